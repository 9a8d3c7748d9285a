import Cache
import Foundation
import Proxy
import Server
import Store
import Synchronization
import TestSupport
import Testing

/// Two real proxies in a row, each with the same rules: the second does not forget an answer's age
/// and staleness, as the first knows them. `ShieldedStoringTests` has the rules.
@Suite(.timeLimit(.minutes(10))) struct ShieldingTests {
    private static let album = "/v1/catalog/us/albums/310730204"
    private static let (day, stale) = (86_400, 600)

    /// A child in front of a parent in front of an origin.
    private final class Chain {
        let clock = ManualClock(1_790_000_000)
        let origin: FakeOrigin
        let parent: ProxyUnderTest
        let child: ProxyUnderTest
        private let parentCache = ResponseCache()

        init(_ answer: @escaping @Sendable (FakeOrigin.Request) -> FakeOrigin.Reply) throws {
            let policy = Policy(.albums, .fixed(day, stale: stale))
            origin = try FakeOrigin(answer)
            let timeOfDay = TimeOfDay { [clock] in clock.unixSeconds }
            parent = try ProxyUnderTest(before: origin, cache: parentCache, policy: policy, timeOfDay: timeOfDay)
            child = try ProxyUnderTest(originPort: parent.port, policy: policy, timeOfDay: timeOfDay)
        }

        func purgeParent() { parentCache.purgeAndWait(EntrySelection(), .soft, at: clock.unixSeconds) }
    }

    private func ttl(_ reply: HTTPTestClient.Reply) -> Int? {
        let status = reply.field("Cache-Status") ?? ""
        return status.components(separatedBy: "; ").first { $0.hasPrefix("ttl=") }.flatMap { Int($0.dropFirst(4)) }
    }

    @Test func anAnswerPurgedInTheParentIsNotStoredAsFresh() throws {
        let answers = Atomic<Int>(0)
        let chain = try Chain { _ in
            FakeOrigin.Reply(body: "{\"answer\":\(answers.add(1, ordering: .relaxed).newValue)}")
        }
        _ = try chain.parent.client.send("GET", Self.album)
        chain.clock.advance(seconds: 50)
        chain.purgeParent()
        chain.clock.advance(seconds: 10)
        let first = try chain.child.client.send("GET", Self.album)
        #expect(first.body == Data("{\"answer\":1}".utf8) && ttl(first) == -60 && first.field("Age") == "60")
        waitUntil { chain.parent.statistics[.stored] == 2 }
        // Served once more while it is fetched again, and then it is the new one.
        let second = try chain.child.client.send("GET", Self.album)
        #expect(second.field("Cache-Status") == "refrain; hit; ttl=-60; detail=stale-while-revalidate")
        waitUntil { chain.child.statistics[.stored] == 2 }
        let third = try chain.child.client.send("GET", Self.album)
        #expect(third.body == Data("{\"answer\":2}".utf8) && ttl(third) == Self.day)
        #expect(chain.origin.requests.count == 2)
    }
}
