import EventLoop
import Testing

@testable import Tier

@Suite struct NodeRegistryTests {
    private static let keys = TierKeys(prefix: "refrain")
    private static let start = Instant(nanoseconds: 5_000_000_000)
    private static let engineTime: Int64 = 1_800_000_000_000

    private func identity(_ name: String, process: Int32 = 1) -> NodeIdentity {
        NodeIdentity(name: name, address: "\(name):1", version: "1.0", process: process, startedAt: 7)
    }

    private func record(_ name: String, seen: Int64, process: Int32 = 1, mark: LogMark? = nil) -> NodeRecord {
        NodeRecord(identity(name, process: process), seen: Self.engineTime + seen, isReady: true, mark: mark)
    }

    /// The replies to a sign of life, as an engine would give them.
    private func replies(_ nodes: [String: NodeRecord] = [:]) -> [RESPReply] {
        let fields = nodes.flatMap { [RESPReply.bulk($0.key), .bulk($0.value.text)] }
        return [.array([.bulk("\(Self.engineTime / 1000)"), .bulk("0")]), .array(fields), .integer(0)]
    }

    private let successor = NodeIdentity(
        name: "a", address: "a:1", version: "1.1", process: 2, startedAt: 9, predecessor: 1)

    private func registry(_ nodes: [String: NodeRecord] = [:]) -> NodeRegistry {
        var registry = NodeRegistry(identity("a"))
        _ = registry.take(replies(nodes), wall: Self.engineTime + 250, now: Self.start)
        return registry
    }

    private func text(_ command: RESPCommand) -> [String] { command.words.map { String(decoding: $0, as: UTF8.self) } }

    @Test func theEnginesTimeIsAskedForFirst() {
        var registry = NodeRegistry(identity("a"))
        #expect(!registry.knowsTime)
        #expect(registry.heartbeat(Self.keys, mark: nil, isReady: false, now: Self.start) == [RESPCommand("TIME")])
        _ = registry.take([replies()[0]], wall: Self.engineTime - 40, now: Self.start)
        #expect(registry.knowsTime && registry.skew == .milliseconds(-40))
        let later = Self.start + .seconds(3)
        let commands = registry.heartbeat(Self.keys, mark: logMark(5, 1), isReady: true, now: later)
        #expect(
            commands.map(text) == [
                ["TIME"], ["HGETALL", "refrain:{refrain}:nodes"],
                [
                    "HSET", "refrain:{refrain}:nodes", "a",
                    "address=a:1 version=1.0 process=1 started=7 seen=\(Self.engineTime + 3_000) ready=1 "
                        + "applied=0123456789abcdef:5-1",
                ],
            ])
    }

    /// Two installations under one name served each other's answers, and nothing told of it.
    @Test func nodesWithAnotherUpstreamAreNamedOnce() {
        func node(_ name: String, _ upstream: String, seen: Int64 = 0) -> NodeRecord {
            var record = record(name, seen: seen)
            record.upstream = upstream
            return record
        }
        var own = identity("a")
        own.upstream = "https://one"
        var heartbeat = Heartbeat(of: own)
        func lines(_ nodes: [String: NodeRecord]) -> [String] {
            heartbeat.take(replies(nodes), wall: Self.engineTime, now: Self.start)
        }
        let others = [
            "b": node("b", "https://two"), "c": node("c", "https://one"), "d": node("d", ""),
            "e": node("e", "https://two", seen: -20_000),
        ]
        #expect(
            lines(others) == [
                "node b at b:1 has another upstream, https://two: it shares no answers, limits or users with this "
                    + "node, whose upstream is https://one, only purges"
            ])
        #expect(lines(others).isEmpty && lines(["b": node("b", "https://one")]).isEmpty)
        #expect(lines(others).count == 1, "it has changed meanwhile")
        heartbeat.use("https://two")
        #expect(lines(others).map { $0.prefix(6) } == ["node c"])
        let text = heartbeat.registry.heartbeat(Self.keys, mark: nil, isReady: true, now: Self.start).map(self.text)
        #expect(text[2].last?.hasSuffix(" upstream=https://two") == true)
        #expect(NodeRecord(Array(node("b", "https://two").text.utf8))?.upstream == "https://two")
    }

    /// The names of all nodes of 1.0.0 that ever were, such as those of containers, were kept.
    @Test func nodesOfAnOlderVersionAreNamedOnceWhileTheEngineListsThem() throws {
        var heartbeat = Heartbeat(of: identity("a"))
        _ = heartbeat.take(replies(), wall: Self.engineTime, now: Self.start)
        func names(_ older: [String]) throws -> [String] {
            var lines: [String] = []
            var isAsking = false
            while !isAsking {
                let commands = heartbeat.beat(Self.keys, mark: nil, isReady: true, now: Self.start)
                isAsking = try #require(commands).count > 3
                let list = older.flatMap { [RESPReply.bulk($0), .bulk(record($0, seen: 0).text)] }
                lines += heartbeat.take(
                    replies() + (isAsking ? [.array(list)] : []), wall: Self.engineTime, now: Self.start)
                _ = heartbeat.ended(isAnswered: true)
            }
            return lines.map { String($0.split(separator: " ")[1]) }
        }
        #expect(try names(["b", "c"]) == ["b", "c"] && names(["b", "c"]) == [])
        #expect(try names([]) == [] && names(["b"]) == [], "an engine that refuses lists none")
        #expect(try names(["b", "c"]) == ["c"], "it was gone meanwhile")
    }

    @Test func theEnginesClockDecidesWhichNodesAreThere() {
        let registry = registry([
            "b": record("b", seen: -10_000), "c": record("c", seen: -10_001), "d": record("d", seen: -86_400_001),
        ])
        let nodes = registry.nodes(mark: nil, isReady: true, tail: LogTail(), now: Self.start)
        #expect(nodes.map(\.name) == ["a", "b", "c"])
        #expect(nodes.map(\.isAlive) == [true, true, false] && nodes.map(\.lastSeen) == [0, 10, 10])
        #expect(nodes.map(\.isSelf) == [true, false, false])
        let later = registry.nodes(mark: nil, isReady: true, tail: LogTail(), now: Self.start + .seconds(30))
        #expect(later.map(\.isAlive) == [true, false, false] && later.map(\.lastSeen) == [0, 40, 40])
        let silent = self.registry(["b": record("b", seen: -86_400_000), "c": record("c", seen: -86_400_001)])
        let commands = silent.heartbeat(Self.keys, mark: nil, isReady: true, now: Self.start)
        #expect(commands.last.map(text) == ["HDEL", "refrain:{refrain}:nodes", "c"])
        #expect(silent.missing(nil, now: Self.start).map(\.node.name) == ["b"])
    }

    @Test func nodesLackThePurgesBeyondTheirMark() {
        let registry = registry([
            "b": record("b", seen: -1_000, mark: logMark(10)), "c": record("c", seen: -40_000, mark: logMark(9)),
            "d": record("d", seen: 0),
            "e": record("e", seen: 0, mark: LogMark(LogEpoch(number: 1), LogPosition(99, 0))),
            "a": record("a", seen: 0),
        ])
        let missing = registry.missing(logMark(10), now: Self.start)
        #expect(missing.map(\.node) == [("c", 40), ("d", 0), ("e", 0)].map { .init(name: $0.0, lastSeen: $0.1) })
        #expect(missing.map(\.isAlive) == [false, true, true])
        #expect(registry.missing(nil, now: Self.start).count == 4)
        var tail = LogTail()
        for milliseconds in 1...5 { tail.note(LogPosition(UInt64(milliseconds), 0)) }
        let lagging = self.registry(["b": record("b", seen: 0, mark: logMark(2)), "c": record("c", seen: 0)])
        let nodes = lagging.nodes(mark: logMark(5), isReady: true, tail: tail, now: Self.start)
        #expect(nodes.map(\.lag) == [0, 3, nil])
    }

    /// The node was waited for and listed until the engine's clock came to the time in its record.
    @Test func aRecordFromTheFutureIsRewrittenAsNow() throws {
        let registry = registry(["b": record("b", seen: 10_001, mark: logMark(2)), "c": record("c", seen: 10_000)])
        #expect(registry.ahead(now: Self.start).map(\.name) == ["b"])
        let written = text(registry.heartbeat(Self.keys, mark: nil, isReady: true, now: Self.start)[2])
        #expect(written.count == 6 && written[4] == "b")
        let anew = try #require(NodeRecord(Array(written[5].utf8)))
        #expect(anew.seen == Self.engineTime && anew.mark == logMark(2) && anew.address == "b:1")
    }

    @Test func aLastingDuplicateNameIsReportedOnce() {
        var registry = registry()
        let other = ["a": record("a", seen: 0, process: 2)]
        // The one that was there before, and hands over.
        #expect(registry.take(replies(other), wall: 0, now: Self.start) == nil)
        #expect(registry.take(replies(other), wall: 0, now: Self.start) == nil)
        #expect(registry.take(replies(["a": record("a", seen: 0)]), wall: 0, now: Self.start) == nil)
        let told = (0..<6).map { _ in registry.take(replies(other), wall: 0, now: Self.start) != nil }
        #expect(told == [false, false, true, false, false, false])
        // A record from before the start is none.
        registry = NodeRegistry(identity("a"))
        let earlier = ["a": record("a", seen: 0, process: 2)]
        for _ in 0..<3 { #expect(registry.take([replies()[0]], wall: 0, now: Self.start) == nil) }
        #expect(registry.take(replies(earlier), wall: 0, now: Self.start) == nil)
        #expect(registry.take(replies(["a": record("a", seen: 0)]), wall: 0, now: Self.start) == nil)
    }

    /// While a purge waited for other nodes, both gave signs of life many times a second.
    @Test func theTwoProcessesOfAnUpgradeAreOneNode() {
        let mark = NodeRecord(successor, seen: Self.engineTime, isReady: true, mark: nil)
        #expect(mark.text.hasSuffix(" ready=1 after=1 since=0") && NodeRecord(Array(mark.text.utf8)) == mark)
        var (old, new) = (registry(), NodeRegistry(successor))
        for _ in 0..<6 {
            #expect(old.take(replies(["a": mark]), wall: 0, now: Self.start) == nil)
            #expect(new.take(replies(["a": record("a", seen: 0)]), wall: 0, now: Self.start) == nil)
        }
        #expect(old.namesake == nil && new.namesake == nil)
        let third = ["a": record("a", seen: 0, process: 3)]
        #expect((0..<3).contains { _ in new.take(replies(third), wall: 0, now: Self.start) != nil })
    }

    /// In containers each was process 1 before its upgrade, and one node of that name was shown.
    @Test func theProcessOfAnUpgradeElsewhereIsNoPredecessor() {
        var new = NodeRegistry(successor)
        #expect(new.take(replies(["a": record("a", seen: 0)]), wall: 0, now: Self.start) == nil)
        #expect(NodeRecord(new.own, seen: 1, isReady: true, mark: nil).text.contains(" after=1 since=7"))
        var elsewhere = record("a", seen: 0)
        elsewhere.startedAt = 8
        #expect((0..<3).contains { _ in new.take(replies(["a": elsewhere]), wall: 0, now: Self.start) != nil })
        var old = registry()
        elsewhere = NodeRecord(successor, seen: Self.engineTime, isReady: true, mark: nil)
        elsewhere.predecessorStartedAt = 8
        #expect((0..<4).contains { _ in old.take(replies(["a": elsewhere]), wall: 0, now: Self.start) != nil })
    }

    /// The age of a node that was heard of at the end of time did not fit into 64 bits.
    @Test func repliesThatAreNoneChangeNothing() {
        let ends = [Int64.min, -1, 0, 999_999, 1_000_000, 1 << 40, 1 << 40 + 1, .max]
        let node = [RESPReply.bulk("b"), .bulk("seen=\(Int64.max) ready=1")]
        for (seconds, microseconds) in ends.flatMap({ second in ends.map { (second, $0) } }) {
            var registry = NodeRegistry(identity("a"))
            let time = [seconds, microseconds].map { RESPReply.bulk("\($0)") }
            _ = registry.take([.array(time), .array(node), .integer(0)], wall: .max, now: Self.start)
            let isTime = 0...1 << 40 ~= seconds && 0..<1_000_000 ~= microseconds
            #expect(registry.knowsTime == isTime, "\(seconds) \(microseconds)")
            #expect(registry.ahead(now: Self.start).count == (isTime ? 1 : 0))
            #expect(registry.nodes(mark: nil, isReady: true, tail: LogTail(), now: Self.start).count == 2)
            #expect(registry.missing(nil, now: Self.start).count == 1)
        }
        var registry = self.registry(["b": record("b", seen: 0)])
        let time = registry.engineTime(Self.start)
        let nonsense: [[RESPReply]] = [
            [], [.error(code: "LOADING", text: "")], [.array([.bulk("x"), .bulk("y")]), .integer(1), .integer(1)],
            [.array(nil), .array([.bulk("b")]), .integer(1)], [.array([.bulk("-5"), .bulk("0")])],
        ]
        for replies in nonsense { #expect(registry.take(replies, wall: 0, now: Self.start) == nil) }
        #expect(registry.engineTime(Self.start) == time)
        #expect(registry.missing(nil, now: Self.start).map(\.node.name) == ["b"])
    }

    private let own = NodeIdentity(name: "a", address: "10.0.0.1:80", version: "1.4", process: 71, startedAt: 5)

    @Test func writtenValuesAreReadWithoutUnknownNames() {
        for mark in [nil, logMark(5, 2)] {
            let record = NodeRecord(own, seen: 9, isReady: mark != nil, mark: mark)
            #expect(NodeRecord(Array(record.text.utf8)) == record)
        }
        let record = NodeRecord(Array("color=red seen=9 address=x =1 y".utf8))
        #expect(record?.seen == 9 && record?.address == "x" && record?.mark == nil)
        let odd = NodeIdentity(name: "a", address: "x seen=1\n", version: "", process: 1, startedAt: 5)
        let blank = NodeRecord(Array(NodeRecord(odd, seen: 9, isReady: false, mark: nil).text.utf8))
        #expect(blank?.address == "x_seen=1_" && blank?.seen == 9)
        for text in ["", "address=x", "seen=", "seen=-1", "seen=99999999999999999999"] {
            #expect(NodeRecord(Array(text.utf8)) == nil, "\(text)")
        }
        let long = Array("seen=9 address=".utf8) + [UInt8](repeating: 0x78, count: 4_096 - 15)
        #expect(NodeRecord(long)?.seen == 9 && NodeRecord(long + [0x78]) == nil)
    }

    @Test func purgesBeyondAPositionAreCountedUpToABound() {
        var tail = LogTail()
        #expect(tail.count(beyond: .start) == 0)
        for milliseconds in [1, 2, 2, 1, 4] { tail.note(LogPosition(UInt64(milliseconds), 0)) }
        #expect(tail.count(beyond: .start) == 3 && tail.count(beyond: LogPosition(2, 0)) == 1)
        #expect(tail.count(beyond: LogPosition(3, 0)) == 1 && tail.count(beyond: LogPosition(4, 0)) == 0)
        tail.forget()
        #expect(tail.count(beyond: .start) == 0)
        for milliseconds in 1...LogTail.most { tail.note(LogPosition(UInt64(milliseconds), 0)) }
        #expect(tail.count(beyond: .start) == LogTail.most)
        for milliseconds in 1...(3 * LogTail.most) {
            tail.note(LogPosition(UInt64(LogTail.most + milliseconds), 0))
            #expect(tail.count(beyond: .start) == LogTail.most)
        }
    }
}
