import EventLoop
import Text

/// A node's side of a limit that many share: the tokens that it was granted, and its reports to the
/// authority. Pure: events in, questions out.
///
/// Must hold:
/// - while a limit is known, every start spends a token, no sooner than it was granted for;
/// - one question is under way at a time, and tokens are asked for when there are none;
/// - while no limit is known nothing is asked but by `poll`, and when a 429 was met;
/// - an authority that does not answer is `isAway` until a `poll` finds it again: nothing else asks
///   it then, so that no request waits for it.
struct SharedRate {
    /// The authority has not answered the last question, or was never asked.
    private(set) var isAway = true
    /// The authority's last reply, about all nodes together.
    private(set) var limit: Double?
    private(set) var nodes = 1

    private var granted = Grant()
    /// Before that the background is not granted anything.
    private var backgroundFrom = Instant(nanoseconds: .min)
    /// Counts for the next question.
    private var report = BudgetQuestion()
    private var lastRefusedStart: Instant?

    private var underWay: Asked?
    /// Whether the question under way is still to be handed over.
    private var isUnsent = false
    private var count = 0
    private var askedAt = Instant(nanoseconds: .min)
    /// Whether no request has left since the last question.
    private var isIdle = true

    /// Granted and not spent.
    private struct Grant {
        var count = 0
        var next = Instant(nanoseconds: 0)
        var spacing = Duration.zero
        /// Grants not spent by then are lost: the others would have to bear the burst.
        var end = Instant(nanoseconds: 0)
    }

    private struct Asked {
        let number: Int
        var question: BudgetQuestion
        let refusedStart: Instant?
        let deadline: Instant
    }

    /// Every call to the authority ends long before this; if one does not, it is away.
    static let patience = Duration.seconds(5)
    /// A question so long ago is as good as a poll.
    private static let pollInterval = Duration.milliseconds(200)
    /// The pause between polls while no request leaves: a question costs five commands.
    private static let idlePollInterval = Duration.milliseconds(900)
    /// How long a token can be spent after it is due.
    private static let life = Duration.seconds(1)
    /// Requests that late timers held back are made good within this time.
    private static let mostCredit = Duration.milliseconds(20)
}

// MARK: Starting

extension SharedRate {
    /// Requests a second of all nodes together; nil for any number.
    func current(_ ceiling: Double?) -> Double? {
        guard let limit else { return ceiling }
        return min(limit, ceiling ?? limit)
    }

    /// When the next request may leave, or when to look again: `now` or later.
    func nextStart(_ ceiling: Double?, now: Instant) -> Instant {
        guard current(ceiling) != nil else { return now }
        if hasTokens(now: now) { return max(granted.next, now) }
        let soon = now + .milliseconds(1)
        return max(soon, underWay?.deadline ?? backgroundFrom)
    }

    private func hasTokens(now: Instant) -> Bool { granted.count > 0 && now < granted.end }

    /// A request leaves.
    mutating func started(now: Instant) {
        isIdle = false
        guard granted.count > 0 else { return }
        granted.count -= 1
        granted.next = max(granted.next, now - Self.mostCredit) + granted.spacing
    }

    /// Whether it is worth asking for tokens.
    func isDry(_ ceiling: Double?, now: Instant) -> Bool {
        current(ceiling) != nil && !hasTokens(now: now) && (underWay == nil || isUnsent)
    }

    /// `tokens` requests could start but for the limit.
    mutating func want(_ tokens: Int, isBackground: Bool, _ ceiling: Double?, now: Instant) {
        guard isDry(ceiling, now: now), !isBackground || now >= backgroundFrom else { return }
        if underWay == nil { ask(ceiling, now: now) }
        underWay?.question.tokens = tokens
        underWay?.question.isBackground = isBackground
    }
}

// MARK: Telling

extension SharedRate {
    mutating func succeeded(isBinding: Bool) {
        report.answered += 1
        if isBinding { report.answeredWhileBound += 1 }
    }

    /// Is told at once: the other nodes are sending.
    mutating func refused(startedAt: Instant, _ ceiling: Double?, now: Instant) {
        report.refused += 1
        lastRefusedStart = max(lastRefusedStart ?? startedAt, startedAt)
        if underWay == nil { ask(ceiling, now: now) }
    }

    /// Asks for the limit, if nothing else has done so lately.
    mutating func poll(_ ceiling: Double?, now: Instant) {
        let interval = isIdle && !isAway ? Self.idlePollInterval : Self.pollInterval
        guard underWay == nil, askedAt.nanoseconds == .min || now - askedAt > interval else { return }
        ask(ceiling, now: now)
    }

    private mutating func ask(_ ceiling: Double?, now: Instant) {
        count += 1
        (report.ceiling, report.known) = (ceiling, limit)
        if let lastRefusedStart { report.refusedAge = max(.zero, now - lastRefusedStart) }
        underWay = Asked(
            number: count, question: report, refusedStart: lastRefusedStart, deadline: now + Self.patience)
        (report, lastRefusedStart) = (BudgetQuestion(), nil)
        (isUnsent, askedAt, isIdle) = (true, now, true)
    }

    /// The question that is to be handed to the authority, once; with the number by which its
    /// answer is known.
    mutating func takeQuestion() -> (number: Int, question: BudgetQuestion)? {
        guard isUnsent, let underWay else { return nil }
        isUnsent = false
        return (underWay.number, underWay.question)
    }
}

// MARK: Answers

extension SharedRate {
    /// The question under way whose time is up.
    func overdue(now: Instant) -> Int? {
        guard let underWay, underWay.deadline <= now else { return nil }
        return underWay.number
    }

    /// - Returns: false for the answer to a question that was given up.
    mutating func answered(_ answer: BudgetAnswer, to number: Int, _ ceiling: Double?, now: Instant) -> Bool {
        guard let asked = underWay, asked.number == number else { return false }
        (underWay, isUnsent, isAway) = (nil, false, false)
        (limit, nodes) = (answer.limit, max(1, answer.nodes))
        if answer.granted > 0, let rate = current(ceiling) {
            let spacing = Duration.nanoseconds(Int64(clamping: 1e9 / rate))
            let next = now + answer.wait
            granted = Grant(
                count: answer.granted, next: next, spacing: spacing,
                end: next + spacing * (answer.granted - 1) + Self.life)
        } else if asked.question.isBackground {
            backgroundFrom = now + answer.wait
        }
        if report.refused > 0 { ask(ceiling, now: now) }
        return true
    }

    /// - Returns: how many 429s the authority was not told of, and when the last of those requests
    ///   left; nil where the question was given up before.
    mutating func failed(_ number: Int) -> (refused: Int, lastStart: Instant?)? {
        underWay?.number == number ? lose() : nil
    }

    /// Forgets the limit and unreported 429s: the next poll asks another authority.
    mutating func forget() {
        _ = lose()
        limit = nil
    }

    /// Gives up the question under way, if any, because the authority is away.
    /// - Returns: how many 429s it was not told of, and when the last of those requests left.
    mutating func lose() -> (refused: Int, lastStart: Instant?) {
        let unheard = (underWay?.question.refused ?? 0) + report.refused
        let lastStart = [underWay?.refusedStart, lastRefusedStart].compactMap { $0 }.max()
        (underWay, isUnsent, isAway) = (nil, false, true)
        (report, lastRefusedStart, granted) = (BudgetQuestion(), nil, Grant())
        return (unheard, lastStart)
    }
}
