import EventLoop
import Store
import Text
import Upstream

/// The budget of all nodes as the engine keeps it: a script that takes one node's report, learns
/// the limit from it, and grants tokens. The engine runs scripts one after the other, so a limit
/// that one node teaches holds for the next question of any other.
///
/// Must hold:
/// - the only clock is the engine's: nodes tell how long ago something was, never when;
/// - a token for a client is always granted, at the end of the queue that all nodes make; one for
///   the background only when that queue is empty, so that it is never ahead of a client;
/// - the limit is learnt as a node alone learns it (`RateLimit` in `Upstream`, with its constants),
///   but for the least one, which is a request in ten seconds;
/// - a clock that was set back, or another engine's, delays no token for longer than the tokens
///   granted ahead can last.
enum BudgetScript {
    /// The script's keys and arguments, in its order: times in microseconds, 0 for no limit.
    static func arguments(
        _ question: BudgetQuestion, _ keys: TierKeys, at origin: OriginTag, node: String
    ) -> [[UInt8]] {
        let values = [
            node, "\(question.tokens)", question.isBackground ? "1" : "0", "\(question.answered)",
            "\(question.answeredWhileBound)", "\(question.refused)", "\(question.refusedAge.wholeNanoseconds / 1000)",
            "\(question.ceiling ?? 0)", "\(question.known ?? 0)",
        ]
        return [Array("2".utf8), keys.budget(at: origin), keys.budgetNodes(at: origin)] + values.map { Array($0.utf8) }
    }

    /// Nil for no answer of the script: others may have changed its keys.
    static func answer(_ reply: RESPReply) -> BudgetAnswer? {
        guard let elements = reply.elements, elements.count == 4, let text = elements[0].bytes,
            let limit = Double(String(decoding: text, as: UTF8.self)), limit == 0 || rates.contains(limit),
            let granted = elements[1].number, (0...mostGranted).contains(granted),
            let wait = elements[2].number, (0...longestWait).contains(wait),
            let nodes = elements[3].number, (1...mostGranted).contains(nodes)
        else { return nil }
        return BudgetAnswer(
            limit: limit > 0 ? limit : nil, granted: Int(granted), wait: .microseconds(wait), nodes: Int(nodes))
    }

    /// Requests a second that the script can have learnt: it has the same bounds.
    private static let rates = 0.1...1e6
    private static let mostGranted: Int64 = 1_000_000
    /// Thirty days, in microseconds.
    private static let longestWait: Int64 = 30 * 86_400_000_000

    /// The script's name in the engine once it has seen it: the digits of its SHA-1. Nil where
    /// libcrypto has none; then the script is sent each time.
    static let name = Array(source.utf8).withUnsafeBytes { Digest.sha1($0) }.map { Hexadecimal.text($0) }

    /// Times are microseconds, rates are requests a second; a rate of 0 is no limit. Recent answers
    /// are counted by the engine's second, and the second before by its part of the last second.
    static let source = """
        local NAMES = {'rate', 'growth', 'first', 'lowered', 'calm', 'grown', 'next',
          'second', 'answered', 'answeredBefore', 'refused', 'refusedBefore'}
        local node, tokens, background, answered, bound, refused, age, ceiling, known = ARGV[1],
          tonumber(ARGV[2]), ARGV[3] == '1', tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]),
          tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
        local time = redis.call('TIME')
        local now = time[1] * 1000000 + time[2]

        -- Who is there: a name is written once a second, and forgotten after three.
        local seen = tonumber(redis.call('ZSCORE', KEYS[2], node))
        if not seen or seen > now or now - seen > 1000000 then
          redis.call('ZADD', KEYS[2], now, node)
          redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. string.format('%.0f', now - 3000000))
          redis.call('ZREMRANGEBYSCORE', KEYS[2], '(' .. string.format('%.0f', now), '+inf')
        end
        local nodes = redis.call('ZCARD', KEYS[2])

        local saved = redis.call('HMGET', KEYS[1], unpack(NAMES))
        local s = {}
        for i, name in ipairs(NAMES) do
          local number = tonumber(saved[i])
          s[name] = number and number >= 0 and number < 1e18 and number or 0
        end
        -- A rate that no script has learnt was written by others: it is learnt anew.
        local isNew = s.rate ~= tonumber(saved[1]) or s.rate > 0 and (s.rate < 0.1 or s.rate > 1e6)
        if isNew then s.rate = 0 end
        s.growth = math.min(s.growth, 0.2)
        if isNew and known > 0 then
          s.rate, s.growth, s.lowered, s.grown = known, math.min(0.0007 + 0.0001 * known, 0.01), now, now
        end

        local function pace()
          if ceiling > 0 and (s.rate == 0 or ceiling < s.rate) then return ceiling end
          return s.rate
        end

        -- The clock may have been set back: what is bounded for that is written down, or it would be
        -- as far away at the next question.
        local second = math.floor(now / 1000000)
        local isSetBack = second < s.second or s.lowered > now or s.grown > now
        s.lowered, s.grown = math.min(s.lowered, now), math.min(s.grown, now)
        if pace() > 0 then
          local furthest = now + 1000000 + 4 * (nodes + 1) * 1000000 / pace()
          isSetBack = isSetBack or s.next > furthest or s.calm > furthest
          s.next, s.calm = math.min(s.next, furthest), math.min(s.calm, furthest)
        end

        -- What came in the last second.
        if second ~= s.second then
          local follows = second == s.second + 1
          s.answeredBefore, s.refusedBefore = follows and s.answered or 0, follows and s.refused or 0
          s.second, s.answered, s.refused = second, 0, 0
        end
        s.answered, s.refused = s.answered + answered, s.refused + refused
        local rest = 1 - (now / 1000000 - second)
        local succeeded = s.answered + s.answeredBefore * rest
        local failed = s.refused + s.refusedBefore * rest

        -- The limit is forgotten, or grows with what succeeded at it.
        local quiet = now - s.lowered
        local isForgotten = s.rate > 0 and quiet >= 600000000
        if isForgotten then s.rate = 0 end
        if s.rate > 0 and answered > 0 then
          if s.first == 1 and quiet < 1000000 then s.rate = math.max(s.rate, succeeded) end
          if bound > 0 and quiet > 300000 then
            if now - s.grown > 25000000 then s.growth, s.grown = math.min(0.2, s.growth * 2), now end
            s.rate = s.rate + s.growth * bound
          end
        end

        -- A 429 lowers it, once for each overshoot. What was granted before the step down leaves at
        -- the old pace: its 429s are of the same overshoot.
        if refused > 0 and (s.rate == 0 or now - age >= s.calm) then
          if s.rate == 0 then
            s.rate, s.growth, s.first = math.max(4, succeeded), 0.2, 1
          else
            local step = math.min(math.max(1.5 * s.growth, 0.05), 0.3)
            if quiet < 3000000 then step = math.min(2 * step, 0.3) end
            local lowered = math.min(s.rate, succeeded + failed + 1) * (1 - step)
            if 3 * failed > succeeded + 6 then lowered = math.min(lowered, math.max(1, succeeded)) end
            s.growth = math.max(math.min(0.0007 + 0.0001 * s.rate, 0.01), s.growth / 4)
            s.rate, s.first = math.max(0.1, lowered), 0
          end
          s.lowered, s.grown, s.calm = now, now, math.max(now + 1000000, s.next)
        end

        -- Tokens leave evenly. A node is granted at most its part of a quarter of a second ahead.
        local current, granted, wait = pace(), 0, 0
        if current > 0 and tokens > 0 then
          if background and s.next > now then
            wait = s.next - now
          else
            granted = math.max(1, math.min(tokens, math.floor(current / 4 / nodes)))
            local first = math.max(s.next, now - 20000)
            s.next, wait = first + granted * 1000000 / current, math.max(0, first - now)
          end
        end

        if isNew or isSetBack or isForgotten or granted > 0 or answered > 0 or refused > 0 then
          local fields = {}
          for i, name in ipairs(NAMES) do
            fields[2 * i - 1], fields[2 * i] = name, string.format('%.17g', s[name])
          end
          redis.call('HSET', KEYS[1], unpack(fields))
        end
        return {string.format('%.17g', s.rate), granted, math.ceil(wait), nodes}
        """
}
