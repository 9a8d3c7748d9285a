import EventLoop
import Testing

@testable import Tier

@Suite struct RefusalLogTests {
    private static let full = EngineRefusal("SET", code: "OOM", text: "command not allowed")
    private static let forbidden = EngineRefusal("XADD", code: "NOPERM", text: "no key")

    private static func moment(_ seconds: Int64) -> RefusalLog.Moment {
        RefusalLog.Moment(now: Instant(nanoseconds: seconds * 1_000_000_000), wall: 1_000 + seconds)
    }

    private var log = RefusalLog()

    private mutating func refuse(_ refusals: EngineRefusal..., at seconds: Int64) -> [String] {
        log.answered(refusals, accepted: [], by: "e:1", at: Self.moment(seconds))
    }

    private mutating func accept(_ commands: String..., at seconds: Int64) -> [String] {
        log.answered([], accepted: commands, by: "e:1", at: Self.moment(seconds))
    }

    @Test func errorsAreRefusalsByTheirFirstWord() {
        let table: [(RESPReply, EngineRefusal.Kind?)] = [
            (.error(code: "OOM", text: ""), .oom), (.error(code: "MISCONF", text: ""), .misconf),
            (.error(code: "READONLY", text: ""), .readonly), (.error(code: "NOREPLICAS", text: ""), .noreplicas),
            (.error(code: "NOPERM", text: ""), .noperm), (.error(code: "WRONGPASS", text: ""), .auth),
            (.error(code: "CROSSSLOT", text: ""), .cluster), (.error(code: "LOADING", text: ""), .busy),
            (.error(code: "SPAM", text: "x"), .other), (.error(code: "ERR", text: "x -OOMS"), .other),
            (.error(code: "ERR", text: "max number of clients reached"), .maxclients),
            (.error(code: "ERR", text: "Error running script: @user_script:9: -OOM command not allowed"), .oom),
            (.error(code: "NOSCRIPT", text: "No matching script"), nil),
            (.error(code: "ERR", text: "no such key"), nil), (.simple("OK"), nil), (.bulk(nil), nil),
            (.array([.simple("OK"), .error(code: "OOM", text: "")]), .oom),
            (.array([.error(code: "ERR", text: "no such key")]), nil),
        ]
        for (reply, kind) in table { #expect(EngineRefusal(Array("SET".utf8), reply)?.kind == kind, "\(reply)") }
    }

    /// An engine may say anything, at any length.
    @Test func wordsAreOneShortLineWithoutTheCommandsOwn() {
        #expect(EngineRefusal("SET", code: "A\r\n", text: "\u{1B}[2Jb\u{85}").words == "A?? ?[2Jb?")
        let long = EngineRefusal("SET", code: "OOM", text: String(repeating: "é", count: 1_000)).words
        #expect(long.utf8.count <= EngineRefusal.mostBytes + 4 && long.hasSuffix("..."))
        let unknown = EngineRefusal("GET", code: "ERR", text: "unknown command 'GET', with args beginning with: 'k' ")
        #expect(unknown.words == "ERR unknown command 'GET'")
    }

    @Test mutating func oneLineAMinuteForEachKind() {
        #expect(refuse(Self.full, at: 0) == ["shared tier e:1: SET refused: OOM command not allowed"])
        let hash = EngineRefusal("HSET", code: "OOM", text: "command not allowed")
        for second in 1..<60 { #expect(refuse(hash, at: Int64(second)) == []) }
        #expect(refuse(Self.forbidden, at: 30) == ["shared tier e:1: XADD refused: NOPERM no key"])
        #expect(
            refuse(Self.full, at: 60) == [
                "shared tier e:1: SET refused: OOM command not allowed "
                    + "(60 refusals since the last line: HSET, SET)"
            ])
        #expect(log.counts == [.oom: 61, .noperm: 1])
    }

    @Test mutating func aRefusalLastsUntilTheEngineAccepts() {
        #expect(log.lasting == [])
        _ = refuse(Self.full, Self.forbidden, at: 0)
        #expect(
            log.lasting.map(\.latest) == [Self.forbidden, Self.full] && log.lasting.map(\.since) == [1_000, 1_000])
        // Reads and removals are accepted by a full engine.
        #expect(accept("GET", "DEL", "EVAL", at: 5) == [])
        #expect(log.lasting.count == 2)
        // Any write shows that there is room; another key's rights say nothing about this one's.
        #expect(accept("HSET", at: 7) == ["shared tier e:1: HSET accepted again after 1 refusal (oom) in 7 s"])
        #expect(log.lasting.map(\.latest) == [Self.forbidden])
        #expect(accept("XADD", at: 9).count == 1 && log.lasting == [])
        #expect(accept("XADD", at: 10) == [])
    }

    /// An engine at the edge of its memory accepts and refuses by turns.
    @Test mutating func anEngineThatWaversHasFewLines() {
        var lines: [String] = []
        for second in 0..<Int64(600) {
            lines += refuse(Self.full, at: second)
            lines += accept("SET", at: second)
        }
        #expect(lines.count <= 20 && log.counts == [.oom: 600])
    }

    @Test mutating func greetingsAreCountedAndEndWithOne() {
        let refusal = EngineRefusal("ROLE", code: "ERR", text: "max number of clients reached")
        log.refusedGreeting(refusal, at: Self.moment(1))
        #expect(log.lasting.map(\.text) == ["the engine refuses connections (maxclients) since 1970-01-01T00:16:41Z"])
        #expect(log.answered([], accepted: RefusalLog.greeting, by: "e:1", at: Self.moment(2)) == [])
        #expect(log.lasting == [] && log.counts == [.maxclients: 1])
    }
}
