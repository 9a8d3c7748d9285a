import Cache
import Compose
import Foundation
import Server
import Store
import Synchronization
import TestSupport
import Testing

@testable import EventLoop
@testable import Proxy
@testable import Upstream

/// The proxy goes over to other settings while it serves.
@Suite(.timeLimit(.minutes(10))) struct ReloadTests {
    private static let target = "/v1/catalog/us/albums/1"

    private static let keeping = Policy(.personal, .fixed(600, stale: 0))

    private static func isPersonalHit(_ proxy: ProxyUnderTest, _ method: String = "GET") throws -> Bool {
        let reply = try proxy.client.send(method, "/v1/me/library/songs", fields: [("Music-User-Token", "anna")])
        return reply.isHit
    }

    private static func keys() throws -> ClientKeys { try ClientKeys(text: "app 0123456789abcdef\n") }

    /// The memoized plan of a request, from before keys were required, still answered it.
    @Test func aKnownRequestNeedsAKeyAfterAReload() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin(), workers: 2)
        for _ in 0..<4 { #expect(try proxy.client.send("GET", Self.target).status == 200) }
        let keys = try Self.keys()
        try proxy.adopt { $0.service.clientKeys = keys }
        #expect(try proxy.client.send("GET", Self.target).status == 401)
        let known = try proxy.client.send("GET", Self.target, fields: [("X-Refrain-Key", "0123456789abcdef")])
        #expect(known.status == 200 && known.isHit)
    }

    @Test func connectionsAndWhatIsStoredOutliveAReload() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin(), workers: 2)
        let client = try proxy.connection(sending: .get(Self.target))
        #expect(!client.readSome().isEmpty)
        try proxy.adopt { settings in
            settings.serve { ($0.authority, $0.composition) = (Array("other:80".utf8), CompositionSettings()) }
            settings.upstream.maxConnections = 3
            settings.upstreamRate = 50
            settings.accessLog = nil
        }
        try client.send(.get(Self.target))
        let answer = client.readSomeText()
        #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains("refrain; hit"))
        #expect(proxy.origin.requests.count == 1)
        #expect(proxy.statistics.upstream.rate == 50)
    }

    /// The other origin was not asked, for up to a minute.
    @Test func whatOneOriginHasRefusedIsForgottenWithAnother() throws {
        let one = try FakeOrigin(.init(status: 429, fields: [("Retry-After", "50")]))
        let other = try FakeOrigin()
        let proxy = try ProxyUnderTest(before: one)
        for _ in 0..<2 { #expect(try proxy.client.send("GET", Self.target).status == 429) }
        #expect(one.requests.count == 1)
        try proxy.adopt(Origin(isTLS: false, host: "other", port: 80), at: other.port)
        #expect(try proxy.client.send("GET", Self.target).status == 200)
        #expect(one.requests.count == 1 && other.requests.count == 1)
    }

    /// The answer came after the reload, and its lesson held for the new origin.
    @Test func aLateRefusalOfTheFormerOriginIsForgottenToo() throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let reply = FakeOrigin.Reply(status: 503, fields: [("Retry-After", "3600")])
        let (former, other) = (try FakeOrigin(reply, after: mayAnswer), try FakeOrigin())
        let proxy = try ProxyUnderTest(before: former)
        let client = try proxy.connection(sending: .get(Self.target, closes: true))
        waitUntil { !former.requests.isEmpty }
        for connections in 1...3 {
            try proxy.adopt { settings in
                let endpoint = Endpoint(isTLS: false, host: "127.0.0.1", port: UInt16(other.port))
                let timeouts = settings.upstream.timeouts
                settings.upstream = UpstreamSettings(endpoint: endpoint, maxConnections: connections)
                settings.upstream.timeouts = timeouts
            }
            try proxy.adopt(Origin(isTLS: false, host: "other", port: 80), at: other.port)
        }
        #expect(try proxy.client.send("GET", "/v1/catalog/us/albums/2").status == 200, "it goes to the other origin")
        mayAnswer.signal()
        #expect(client.readText().hasPrefix("HTTP/1.1 503"))
        // The former origin's connections end in a turn of their own.
        waitUntil(within: 20) { (try? proxy.client.send("GET", Self.target).status) == 200 }
        #expect(other.requests.count == 2 && former.requests.count == 1)
    }

    /// The process that failed to take over may have served a user's write.
    @Test func aFailedUpgradeEndsStoredPersonalAnswers() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin(), policy: Self.keeping)
        func ask() throws -> Bool { try Self.isPersonalHit(proxy) }
        #expect(try !ask() && ask())
        let shared = proxy.settings.shared
        shared.noteOtherProcess()
        #expect(try !ask())
        // Long ago, so that its last write is seen by now.
        shared.noteOtherEnded(at: .now() - UserGenerations.quietPeriod)
        waitUntil { shared.cache.memory.count == 0 && !shared.personalPause.holds(at: .now()) }
        #expect(try !ask() && ask())
    }

    /// The answer came after the pause, and was kept although the process that failed to take over
    /// may have served a write since it was asked for.
    @Test func aFailedUpgradeEndsPersonalAnswersUnderWay() throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let isFirst = Mutex(true)
        let origin = try FakeOrigin { _ in
            let isHeld = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if isHeld { mayAnswer.waitOrFail() }
            return FakeOrigin.Reply()
        }
        let proxy = try ProxyUnderTest(before: origin, policy: Self.keeping)
        let client = try proxy.connection(sending: .get("/v1/me/library/songs", "Music-User-Token: anna\r\n"))
        waitUntil { !origin.requests.isEmpty }
        let shared = proxy.settings.shared
        shared.noteOtherProcess()
        // Long ago, so that its last write is seen by now.
        shared.noteOtherEnded(at: .now() - UserGenerations.quietPeriod)
        mayAnswer.signal()
        #expect(client.readSomeText().hasPrefix("HTTP/1.1 200"))
        #expect(try !Self.isPersonalHit(proxy))
        // Answers kept before are freed in the background, together with those that came since.
        waitUntil { (try? Self.isPersonalHit(proxy)) == true }
    }

    /// While nothing personal is kept, the proxy misses the writes that end earlier answers.
    @Test func keepingSwitchedOffAndOnForgetsPersonalAnswers() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin(), policy: Self.keeping)
        func ask(_ method: String = "GET") throws -> Bool { try Self.isPersonalHit(proxy, method) }
        #expect(try !ask() && ask())
        for policy in [Policy(), Self.keeping] {
            try proxy.adopt { settings in
                settings.serve { $0.policy = policy }
            }
            if policy[.personal] == .off { #expect(try !ask("POST")) }
        }
        #expect(try !ask())
        // Kept answers are freed once in the background, together with those that came since.
        waitUntil { (try? ask()) == true }
        #expect(try ask() || ask())
    }

    @Test func listenersComeAndGo() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin(), workers: 2)
        let first = proxy.settings.listeners[0]
        try proxy.adopt { $0.listeners = [first, first] }
        try #require(proxy.addresses.count == 2)
        let added = Int(proxy.addresses[1].port)
        #expect(Int(proxy.addresses[0].port) == proxy.port && added != proxy.port)
        let late = HTTPTestClient(port: added)
        #expect(try late.send("GET", Self.target).status == 200)
        try proxy.adopt { $0.listeners = [first] }
        #expect(throws: (any Error).self) { try RawClient(port: UInt16(added)) }
        let last = try late.send("GET", Self.target)
        #expect(last.status == 200 && last.field("Connection") == "close", "the last answer of its connection")
        #expect(try HTTPTestClient(port: proxy.port).send("GET", Self.target).status == 200)
    }

    @Test func anAddressThatIsTakenChangesNothing() throws {
        let other = try ProxyUnderTest(workers: 2)
        let proxy = try ProxyUnderTest(before: FakeOrigin(), workers: 2)
        let keys = try Self.keys()
        let taken = ListenerSettings(address: try #require(SocketAddress("127.0.0.1:\(other.port)")), tls: nil)
        let error = #expect(throws: ListenError.self) {
            try proxy.adopt { settings in
                settings.listeners.append(settings.listeners[0])
                settings.listeners.append(taken)
                settings.service.clientKeys = keys
            }
        }
        // Loops share a port, and so could another proxy: both once served half of the requests.
        #expect("\(try #require(error))".hasPrefix("127.0.0.1:\(other.port): bind: Address already in use"))
        #expect(proxy.addresses.count == 1)
        #expect(try proxy.client.send("GET", Self.target).status == 200)
    }

    @Test func aListenerThatBeginsToSpeakTLSKeepsItsSocket() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin())
        let tls = try ServerTLS(authority: ThrowawayAuthority(), hosts: ["127.0.0.1"])
        try proxy.adopt { $0.listeners = [ListenerSettings(address: $0.listeners[0].address, tls: tls)] }
        #expect(proxy.addresses.map { Int($0.port) } == [proxy.port])
        let client = try proxy.connection(sending: .get(Self.target))
        #expect(client.readText().hasPrefix("HTTP/1.1 400 "), "it is told so in the clear")
    }

    /// 12 s were too long whatever the operator wanted, and a change needed another program.
    @Test func timeoutsOfTheOriginAndOfClientsChangeByAReload() throws {
        let gate = ScriptedOrigin.Gate()
        let answer = String.ok(#"{"data":[{"id":"1","type":"songs"}]}"#)
        let origin = try ScriptedOrigin([.request, .hold], [.request, .wait(gate), .send(answer), .hold])
        let proxy = try ProxyUnderTest(scripted: origin) { $0.timeouts.response = .milliseconds(50) }
        #expect(try proxy.client.send("GET", "/v1/catalog/us/songs/1").status == 504)
        try proxy.adopt {
            $0.upstream.timeouts.response = .seconds(600)
            $0.timeouts.idle = .milliseconds(50)
        }
        let client = try proxy.connection(sending: .get("/v1/catalog/us/songs/2"))
        waitUntil { origin.requests.joined().count == 2 }
        gate.open()
        let text = client.readText()
        #expect(text.hasPrefix("HTTP/1.1 200") && text.components(separatedBy: "HTTP/1.1").count == 2)
        #expect(client.sawEnd, "the proxy closes the idle connection, not the test's patience")
    }
}
