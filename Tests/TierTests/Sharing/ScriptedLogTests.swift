import Store
import Synchronization
import TestSupport
import Testing

@testable import Cache
@testable import Tier

/// The follower and an engine that says what the test wants.
@Suite(.timeLimit(.minutes(10))) struct ScriptedLogTests {
    /// What it answers to a page and to other things, in turn; the last of each for good.
    private final class Script: Sendable {
        private let pages: Mutex<[[UInt8]]>

        init(_ pages: RESPReply...) { self.pages = Mutex(pages.map(\.wire)) }

        func page() -> [UInt8] { pages.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }

        @Sendable func behave(_ connection: Int, _ words: [String]) -> [FakeEngine.Act] {
            switch words[0] {
            case "EXEC": [.send(page())]
            case "XRANGE", "GET", "XINFO", "INFO": [.send("+QUEUED\r\n")]
            case "TIME": [.send("*2\r\n$10\r\n1800000000\r\n$1\r\n0\r\n")]
            case "HGETALL", "XREVRANGE": [.send("*0\r\n")]
            case "HSET", "HDEL": [.send(":1\r\n")]
            case "XADD": [.send("-OOM command not allowed\r\n")]
            default: FakeEngine.master(connection, words)
            }
        }
    }

    private static func page(_ epoch: RESPReply = .bulk("0123456789abcdef"), _ ids: String...) -> RESPReply {
        let info = "connected_slaves:0\r\nmaster_replid:00000000000000000000\r\n"
        let fields = purge(.target(Array("/1".utf8))).fields.map { RESPReply.bulk($0) }
        let entries = ids.map { RESPReply.array([.bulk(Array($0.utf8)), .array(fields)]) }
        return .array([
            .array([]), .array(entries), epoch,
            ids.isEmpty
                ? .error(code: "ERR", text: "no such key")
                : .array([
                    .bulk("length"), .integer(Int64(ids.count)), .bulk("last-generated-id"),
                    .bulk(Array(ids.last!.utf8)),
                    .bulk("entries-added"), .integer(Int64(ids.count)), .bulk("first-entry"), entries[0],
                ]),
            .bulk(Array(info.utf8)),
        ])
    }

    @Test func anEngineThatCannotReadTheLogIsToldOfOnceAndTriedAgain() async throws {
        let refusal = RESPReply.error(code: "EXECABORT", text: "Transaction discarded")
        let engine = try FakeEngine(Script(refusal, refusal, refusal, Self.page()).behave)
        let node = try NodeScene([engine.endpoint])
        node.ready()
        #expect(node.lines.filter { $0.contains("purge log: cannot be read: EXECABORT") }.count == 1, "\(node.lines)")
    }

    @Test func aLogWithoutAnEpochIsBegun() async throws {
        let engine = try FakeEngine(Script(Self.page(.bulk(nil)), Self.page()).behave)
        let node = try NodeScene([engine.endpoint])
        node.ready()
        let set = try #require(engine.commands.first { $0[0] == "SET" })
        #expect(set.count == 4 && set[1] == "refrain:epoch" && LogEpoch(set[2].utf8) != nil && set[3] == "NX")
        #expect(node.knowledge.fence == LogMark(epoch, .start))
    }

    /// Nothing that blocks the connection is asked but `WAIT` behind a purge.
    @Test func whatIsAskedIsKnown() async throws {
        let engine = try FakeEngine(Script(Self.page()).behave)
        let node = try NodeScene([engine.endpoint])
        node.ready()
        waitUntil { engine.commands.contains { $0[0] == "HSET" } }
        let names = Set(engine.commands.map { $0[0] })
        #expect(
            names.isSubset(of: [
                "TIME", "HGETALL", "HSET", "MULTI", "XRANGE", "GET", "XINFO", "INFO", "EXEC", "XREVRANGE",
            ]))
    }

    @Test func aPurgeThatTheEngineRefusesIsDoneHereAndIsUnlogged() async throws {
        let engine = try FakeEngine(Script(Self.page()).behave)
        let node = try NodeScene([engine.endpoint])
        node.ready()
        node.store("/1")
        let report = await node.purge(target("/1"))
        #expect(report.purged == 1 && report.replication == .unlogged && report.missing.isEmpty)
        #expect(node.isFresh("/1") == nil && node.lines.contains { $0.hasSuffix("a purge was not taken: OOM") })
    }

    /// Ten purges at once took the engine more than a second, and the connection with them.
    @Test func whereNoReplicaIsNoneIsWaitedFor() async throws {
        let engine = try FakeEngine(Script(Self.page()).behave)
        let node = try NodeScene([engine.endpoint])
        node.ready()
        _ = await node.purge(target("/1"))
        #expect(engine.commands.contains { $0[0] == "XADD" } && !engine.commands.contains { $0[0] == "WAIT" })
    }

    @Test func pagesAreAppliedInTheirOrder() async throws {
        let script = Script(
            Self.page(), Self.page(), Self.page(.bulk("0123456789abcdef"), "5-0", "7-0"),
            .array([
                .array([]), .bulk("0123456789abcdef"), Self.page(.bulk("0123456789abcdef"), "5-0", "7-0").elements![2],
                Self.page().elements![3],
            ]))
        let engine = try FakeEngine(script.behave)
        let node = try NodeScene([engine.endpoint])
        waitUntil { node.knowledge.fence == fence(7) && node.board.status.standing == .ready }
        waitUntil { engine.commands.contains { $0.starts(with: ["XRANGE", "refrain:purges", "(7-0"]) } }
        #expect(node.board.status.lag == 0)
    }

    @Test func whoIsClosedTellsThoseWhoWait() async throws {
        let engine = try FakeEngine { connection, words in
            words[0] == "XADD" ? [.hold] : Script(Self.page()).behave(connection, words)
        }
        let node = try NodeScene([engine.endpoint])
        node.ready()
        let reports = node.begin(EntrySelection([target("/1")]))
        waitUntil { engine.commands.contains { $0[0] == "XADD" } }
        node.end()
        #expect(await reports.first { _ in true }?.replication == .unlogged)
        #expect(node.knowledge.fence == nil && node.board.status == SharingStatus())
    }
}
