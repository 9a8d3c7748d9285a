import Cache
import Foundation
import Server
import Store
import Synchronization
import TestSupport
import Testing

@testable import Compose
@testable import EventLoop
@testable import Proxy
@testable import Tier

/// `upstream` names another origin. Answers of the former one were served for as long as they were
/// stored, and two installations with one engine served each other's.
@Suite(.timeLimit(.minutes(10))) struct OriginTests {
    private static let album = "/v1/catalog/us/albums/1"

    private static func origin(_ name: String) -> Origin { Origin(isTLS: false, host: name, port: 80) }

    /// An origin whose answers have its name.
    private static func fake(_ name: String) throws -> FakeOrigin {
        try FakeOrigin { request in
            FakeOrigin.Reply(body: #"{"data":[{"id":"1","type":"albums","attributes":{"origin":"\#(name)"}}]}"#)
        }
    }

    private static func teller(_ reply: HTTPTestClient.Reply) -> String? {
        ["one", "two"].first { String(decoding: reply.body, as: UTF8.self).contains(#""origin":"\#($0)""#) }
    }

    private func ask(_ proxy: ProxyUnderTest, _ target: String = album) throws -> (teller: String?, isHit: Bool) {
        let reply = try proxy.client.send("GET", target)
        return (Self.teller(reply), reply.isHit)
    }

    @Test func aReloadServesNothingOfTheFormerOriginAndItsAnswersAreThereAgain() throws {
        let (one, two) = (try Self.fake("one"), try Self.fake("two"))
        let proxy = try ProxyUnderTest(before: one, workers: 2, upstream: Self.origin("one"))
        // Often enough that plans are memoized.
        for _ in 0..<4 { #expect(try ask(proxy).teller == "one") }
        try proxy.adopt(Self.origin("two"), at: two.port)
        #expect(try ask(proxy) == ("two", false) && ask(proxy) == ("two", true))
        for _ in 0..<4 { #expect(try ask(proxy).teller == "two") }
        try proxy.adopt(Self.origin("one"), at: one.port)
        for _ in 0..<4 { #expect(try ask(proxy) == ("one", true)) }
        #expect(one.requests.count == 1 && two.requests.count == 1)
    }

    @Test func aRestartServesNothingOfTheFormerOriginAndItsAnswersAreThereAgain() throws {
        let folder = try TemporaryFolder()
        let (one, two) = (try Self.fake("one"), try Self.fake("two"))
        for (name, isHit) in [("one", false), ("two", false), ("one", true), ("two", true)] {
            let cache = ResponseCache(file: folder.file("cache"), of: Self.origin(name))
            let origin = name == "one" ? one : two
            let proxy = try ProxyUnderTest(originPort: origin.port, cache: cache, upstream: Self.origin(name))
            #expect(try ask(proxy) == (name, isHit))
            proxy.stop()
        }
        #expect(one.requests.count == 1 && two.requests.count == 1)
    }

    /// The answer came after the reload, and was the new origin's from then on.
    @Test func aLateAnswerIsStoredForTheOriginThatGaveIt() throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let body = #"{"data":[{"id":"1","type":"albums","attributes":{"origin":"one"}}]}"#
        let (one, two) = (try FakeOrigin(FakeOrigin.Reply(body: body), after: mayAnswer), try Self.fake("two"))
        let proxy = try ProxyUnderTest(before: one, upstream: Self.origin("one"))
        let client = try proxy.connection(sending: .get(Self.album, closes: true))
        waitUntil { !one.requests.isEmpty }
        try proxy.adopt(Self.origin("two"), at: two.port)
        #expect(try ask(proxy) == ("two", false), "it does not wait for the former origin's answer")
        mayAnswer.signal()
        #expect(client.readText().contains(#""origin":"one""#))
        #expect(try ask(proxy) == ("two", true))
        try proxy.adopt(Self.origin("one"), at: one.port)
        #expect(try ask(proxy) == ("one", true) && one.requests.count == 1)
    }

    /// A request of before the reload that asks again, and then the new origin: its answer was
    /// stored under a key of the former one.
    @Test func anAnswerOfAnotherOriginThanTheKeySaysIsNotStored() throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let damaged = FakeOrigin.Reply(
            fields: [("Content-Type", "application/json"), ("Content-Encoding", "gzip")], body: "no gzip")
        let (one, two) = (try FakeOrigin(damaged, after: mayAnswer), try Self.fake("two"))
        let proxy = try ProxyUnderTest(before: one, upstream: Self.origin("one"))
        let client = try proxy.connection(sending: .get(Self.album, closes: true))
        waitUntil { !one.requests.isEmpty }
        try proxy.adopt(Self.origin("two"), at: two.port)
        mayAnswer.signal()
        #expect(client.readText().contains(#""origin":"two""#), "the new origin is asked, without gzip")
        let body = #"{"data":[{"id":"1","type":"albums","attributes":{"origin":"one"}}]}"#
        one.answer { _ in FakeOrigin.Reply(body: body) }
        try proxy.adopt(Self.origin("one"), at: one.port)
        #expect(try ask(proxy) == ("one", false))
    }

    /// Forms and resources that one origin has shown said what another one shows.
    @Test func nothingIsComposedOfWhatAnotherOriginHasShown() throws {
        func reply(_ name: String) -> @Sendable (FakeOrigin.Request) -> FakeOrigin.Reply {
            { request in
                let ids = request.target.split { "/=,".contains($0) || $0 == "%" }.compactMap { Int($0) }
                let objects = ids.map {
                    #"{"id":"\#($0)","type":"albums","href":"/v1/catalog/us/albums/\#($0)","attributes":{"origin":"\#(name)"}}"#
                }
                return FakeOrigin.Reply(body: #"{"data":[\#(objects.joined(separator: ","))]}"#)
            }
        }
        let (one, two) = (try FakeOrigin(reply("one")), try FakeOrigin(reply("two")))
        let proxy = try ProxyUnderTest(before: one, composition: .byExample(), upstream: Self.origin("one"))
        func list(_ ids: String) -> String { "/v1/catalog/us/albums?ids=" + ids }
        for target in [list("3,4"), .album(3), .album(4), .album(1), .album(2)] {
            #expect(try ask(proxy, target).teller == "one")
        }
        #expect(try ask(proxy, list("1,2")) == ("one", true), "it is composed")
        try proxy.adopt(Self.origin("two"), at: two.port)
        for target in [String.album(1), .album(2), list("1,2")] { #expect(try ask(proxy, target) == ("two", false)) }
        #expect(proxy.settings.shared.library.origin == Self.origin("two").tag)
    }

    /// The second node took the first one's answer out of the engine.
    @Test func nodesOfDifferentUpstreamsShareNoAnswers() throws {
        let engine = try RedisServer()
        let (one, two) = (try Self.fake("one"), try Self.fake("two"))
        var nodes: [ProxyUnderTest] = []
        for (index, name) in ["one", "two", "one"].enumerated() {
            let tier = SharedTier(ofNode: index, engine)
            tier.use(Self.origin(name))
            nodes.append(
                try ProxyUnderTest(
                    originPort: (name == "one" ? one : two).port, tier: tier, upstream: Self.origin(name)))
            tier.beginLog(in: nodes[index].cache)
        }
        defer { for node in nodes { node.stop() } }
        #expect(try ask(nodes[0]).teller == "one" && ask(nodes[1]).teller == "two")
        waitUntil { nodes[0].settings.shared.tier?.counters[.put] == 1 }
        #expect(try ask(nodes[2]).teller == "one")
        #expect(one.requests.count == 1 && two.requests.count == 1, "nodes of one upstream share")
    }
}
