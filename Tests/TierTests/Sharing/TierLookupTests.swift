import Cache
import TestSupport
import Testing

@testable import Tier

@Suite(.timeLimit(.minutes(10)), .requires(.redis)) struct TierLookupTests {
    private let engine: RedisServer
    private let a: LookupScene
    private let b: LookupScene

    init() throws {
        engine = try RedisServer()
        (a, b) = (try LookupScene(engine.endpoint), try LookupScene(engine.endpoint, node: "b"))
    }

    /// The first node finds nothing, and fetches this answer.
    private func put(_ response: StoredResponse, hints: [UInt64] = []) async throws {
        let lookup = a.begin(String(decoding: response.key.target, as: UTF8.self))
        #expect(try await lookup.looked() == nil)
        a.end(lookup, with: response, hints: hints)
    }

    @Test func aNodeTakesOrAwaitsTheAnswerOfAnother() async throws {
        try await put(answer("/1", variant: "fr"))
        #expect(a[.put] == 0)
        try await put(answer("/1", "one"))
        let second = b.begin("/1")
        let found = try #require(try await second.looked())
        #expect(found.body == Array("one".utf8) && found.receivedAt == noon)
        // The other node's rule is shorter.
        #expect(found.freshFor == 500 && found.age(at: noon + 100) == 100)
        #expect(a[.put] == 1 && b[.looks] == 1)
        let first = a.begin("/9")
        #expect(try await first.looked() == nil)
        let waiter = b.begin("/9")
        waitUntil { b[.waited] == 1 }
        #expect(!waiter.hasLooked)
        a.end(first, with: answer("/9", "one"))
        #expect(try await waiter.looked()?.body == Array("one".utf8))
    }

    @Test func anAnswerIsComposedFromOthersThatSuffice() async throws {
        try await put(answer("/1", "one"), hints: [11, 12])
        try await put(answer("/2", "two"), hints: [21])
        let made = b.begin("/3", hints: [11, 12, 21, 99], enough: 2)
        #expect(try await made.composed()?.body == Array("one+two".utf8))
        // Its claim was given back.
        let fetching = a.begin("/3")
        #expect(try await fetching.looked() == nil && a[.waited] == 0)
        let lacking = b.begin("/5", hints: [11, 99], enough: 2)
        #expect(try await lacking.composed() == nil)
        b.end(lacking, with: answer("/5", "three"))
        #expect(try await a.begin("/5", hints: [11], enough: 1).looked()?.body == Array("three".utf8))
    }

    /// By the purge of a part, and of the requested target.
    @Test(arguments: ["/1", "/3"]) func nothingIsMadeOfWhatAPurgeHasChosen(target: String) async throws {
        try await put(answer("/1", "old"), hints: [11])
        b.purge(target, at: 2)
        #expect(try await b.begin("/3", hints: [11], enough: 1).composed() == nil)
        #expect(b[.purged] == 1)
        let other = b.begin("/4", hints: [11], enough: 1)
        #expect(try await other.composed()?.body == (target == "/1" ? nil : Array("old".utf8)))
    }

    @Test func aFullEngineGivesWhatItHas() async throws {
        try await put(answer("/1", "one"), hints: [11])
        waitUntil { a[.put] == 1 }
        try engine.fill()
        #expect(try await b.begin("/1").looked()?.body == Array("one".utf8))
        #expect(try await b.begin("/3", hints: [11], enough: 1).composed()?.body == Array("one".utf8))
        // Two nodes ask the origin, and neither waits for the other.
        for scene in [a, b] {
            let lookup = scene.begin("/2")
            #expect(try await lookup.looked() == nil)
            scene.end(lookup, with: answer("/2"))
        }
        waitUntil { a[.putFailed] == 1 && b[.putFailed] == 1 }
        #expect(a[.put] == 1 && b[.put] == 0 && b[.unanswered] == 0 && b[.waited] == 0)
        let lasting = b.tier.refusals.lasting
        #expect(lasting.map(\.latest.kind) == [.oom] && lasting.first?.commands == ["SET"])
        #expect(b.log.all.last?.contains("SET refused: OOM command not allowed when used memory") == true)
        try engine.refuseNothing()
        try await put(answer("/4"))
        waitUntil { a[.put] == 2 }
        #expect(a.tier.refusals.lasting == [] && a.log.all.last?.contains("SET accepted again after") == true)
        #expect(a.tier.refusals.count(of: .oom) > 0)
    }

    @Test func aHintThatLeadsToAnotherKeyIsNotFollowed() async throws {
        let keys = a.tier.keys
        let (one, two) = (try #require(keys.pair(of: key("/1"))), try #require(keys.pair(of: key("/2"))))
        let bytes = try TierValue(answer("/1"), logMark: logMark(1)).bytes()
        func isRead(_ name: [UInt8]) -> Bool {
            if case .value = TierValue.read(bytes, named: name, keys, at: .none) { true } else { false }
        }
        #expect(isRead(one.value) && !isRead(two.value) && !isRead(one.claim) && !isRead([]))
    }

    @Test func aPurgeDuringTheFetchKeepsTheValueOut() async throws {
        let first = a.begin("/1")
        #expect(try await first.looked() == nil)
        // The purge reaches the other node while this one is out.
        b.purge("/1", at: 2)
        a.end(first, with: answer("/1", "old"))
        let second = b.begin("/1")
        #expect(try await second.looked() == nil)
        #expect(b[.purged] == 1)
        b.end(second, with: answer("/1", "new"))
        #expect(try await b.begin("/1").looked()?.body == Array("new".utf8))
    }

    @Test func oldValuesAndThoseWithoutALogAreFetched() async throws {
        try await put(answer("/1"))
        b.tier.knowledge.move(to: nil, mayTake: false)
        let second = b.begin("/1")
        #expect(try await second.looked() == nil)
        b.end(second, with: answer("/1"))
        #expect(b[.purged] == 1 && b[.put] == 0)
        b.tier.knowledge.move(to: logMark(1), mayTake: true)
        try await put(answer("/2", at: noon - 450))
        #expect(try await b.begin("/2").looked() == nil)
        #expect(b[.useless] == 1)
    }
}

/// Leaders and engines that are away, slow or wrong: the origin is asked then.
@Suite(.timeLimit(.minutes(10))) struct TierLookupFaultTests {
    @Test func aReplyThatIsNoValueIsAMiss() async throws {
        let foreign = try TierValue(answer("/2"), logMark: logMark(1)).bytes()
        var damaged = try TierValue(answer("/1"), logMark: logMark(1)).bytes()
        damaged[damaged.count - 1] ^= 1
        let replies: [(name: String, bytes: [UInt8], counter: TierCounters.Name)] = [
            ("a value of another key", RESPReply.bulk(foreign).wire, .mismatched),
            ("damaged bytes", RESPReply.bulk(damaged).wire, .damaged), ("a number", Array(":1\r\n".utf8), .unanswered),
            ("an error", Array("-ERR no\r\n".utf8), .unanswered), ("an array", Array("*0\r\n".utf8), .unanswered),
        ]
        for (name, bytes, counter) in replies {
            let engine = try FakeEngine { connection, words in
                words[0] == "GET" ? [.send(bytes)] : FakeEngine.master(connection, words)
            }
            let scene = try LookupScene(engine.endpoint)
            #expect(try await scene.begin("/1").looked() == nil && scene[counter] == 1, "\(name)")
            // The connection ends where it cannot be trusted.
            if counter != .unanswered { waitUntil { engine.endedConnections == 1 } }
        }
    }

    @Test func anEngineThatIsAwayCostsNothing() async throws {
        let engine = try FakeEngine(FakeEngine.master)
        engine.stop()
        let scene = try LookupScene(engine.endpoint)
        for _ in 0..<20 { #expect(try await scene.begin("/1").looked() == nil) }
        #expect(scene[.unanswered] == 20)
    }
}
