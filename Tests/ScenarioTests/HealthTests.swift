import AppleMusic
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Proxy
@testable import Server

/// The health path on the client listeners (`health`).
@Suite(.timeLimit(.minutes(10))) struct HealthTests {
    private func proxy(
        _ path: String?, clientKeys: ClientKeys? = nil, isReady: @escaping @Sendable () -> Bool = { true }
    ) throws -> ProxyUnderTest {
        let proxy = try ProxyUnderTest(before: FakeOrigin(), clientKeys: clientKeys)
        try proxy.adopt { settings in
            settings.service.healthPath = path.map { Array($0.utf8) }
            settings.shared.health.use { @Sendable in isReady() ? (true, "ready") : (false, "draining") }
        }
        return proxy
    }

    @Test func theProxyAnswersItself() throws {
        let flag = Flag()
        let proxy = try proxy("/healthz", isReady: { flag.value })
        for target in ["/healthz", "/healthz?from=lb"] {
            let answer = try proxy.client.send("GET", target)
            #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self) == "ready\n")
            #expect(answer.field("Cache-Control") == "no-store")
        }
        #expect(try proxy.client.send("HEAD", "/healthz").status == 200)
        flag.value = false
        let answer = try proxy.client.send("GET", "/healthz")
        #expect(answer.status == 503 && String(decoding: answer.body, as: UTF8.self) == "draining\n")
        #expect(proxy.origin.requests.isEmpty && proxy.statistics[.requests] == 0)
        #expect(try proxy.client.send("GET", "/healthzz").status != 503)
        #expect(proxy.origin.requests.count == 1)
        #expect(try proxy.finalLog().count == 1)
    }

    /// HAProxy's check asks with OPTIONS unless it is told otherwise, and was answered 401.
    @Test func optionsIsAnsweredWithTheSameStatus() throws {
        let flag = Flag()
        let keys = try ClientKeys(SecretBytes(Array("web 0123456789abcdef0123456789abcdef".utf8).span))
        let proxy = try proxy("/healthz", clientKeys: keys, isReady: { flag.value })
        #expect(try proxy.client.send("OPTIONS", "/healthz").status == 200)
        flag.value = false
        #expect(try proxy.client.send("OPTIONS", "/healthz").status == 503)
        #expect(try proxy.client.send("POST", "/healthz").status == 401)
        #expect(try proxy.client.send("OPTIONS", "/v1/catalog/us/albums/1").status == 401)
    }

    private final class Flag: Sendable {
        private let state = Mutex(true)
        var value: Bool {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    @Test func itNeedsNoKeyAndIsOffByDefault() throws {
        let keys = try ClientKeys(SecretBytes(Array("web 0123456789abcdef0123456789abcdef".utf8).span))
        let on = try proxy("/healthz", clientKeys: keys)
        #expect(try on.client.send("GET", "/healthz").status == 200)
        #expect(try on.client.send("GET", "/v1/catalog/us/albums/1").status == 401)
        let off = try proxy(nil, clientKeys: keys)
        #expect(try off.client.send("GET", "/healthz").status == 401)
    }
}
