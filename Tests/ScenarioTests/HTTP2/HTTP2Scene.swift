import Foundation
import Server
import Testing

@testable import EventLoop
@testable import Proxy

/// A proxy whose clients may speak HTTP/2, and an origin whose answers are what their targets say.
final class HTTP2Scene {
    let authority: ThrowawayAuthority
    let origin: FakeOrigin
    let proxy: ProxyUnderTest
    private(set) var port: UInt16 = 0

    static let large = "{\"a\":\"\(String(repeating: "0123456789abcdef", count: 20_000))\"}"

    init(
        headers: ProxyHeaders? = nil, clientKeys: ClientKeys? = nil, offersHTTP2: Bool = true,
        _ change: (inout ClientTimeouts) -> Void = { _ in }
    ) throws {
        var timeouts = ClientTimeouts.ofTests
        change(&timeouts)
        authority = try ThrowawayAuthority()
        origin = try FakeOrigin(HTTP2Scene.reply)
        proxy = try ProxyUnderTest(before: origin, timeouts: timeouts, clientKeys: clientKeys)
        let tls = try ServerTLS(authority: authority, hosts: ["localhost", "127.0.0.1"], offersHTTP2: offersHTTP2)
        try proxy.adopt { settings in
            settings.listeners.append(
                ListenerSettings(address: SocketAddress("127.0.0.1:0")!, tls: tls, headers: headers))
        }
        port = proxy.addresses[1].port
    }

    deinit { proxy.stop() }

    /// Has the origin answer so once the gate, which this returns, has had a signal.
    func answerLater(_ body: String) -> DispatchSemaphore {
        let gate = DispatchSemaphore(value: 0)
        origin.answer { _ in
            gate.waitOrFail()
            gate.signal()
            return FakeOrigin.Reply(body: body)
        }
        return gate
    }

    @Sendable static func reply(_ request: FakeOrigin.Request) -> FakeOrigin.Reply {
        var reply = FakeOrigin.Reply()
        reply.body = request.target.contains("large") ? large : "{\"at\":\"\(request.method) \(request.target)\"}"
        if !request.body.isEmpty { reply.body = String(decoding: request.body, as: UTF8.self) }
        return reply
    }

    func client(greets: Bool = true, host: String = "localhost") throws -> HTTP2TestClient {
        try HTTP2TestClient(port: port, authority, host: host, greets: greets)
    }

    /// The head of a POST to a personal route.
    static let post = [
        (":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", "/v1/me/library"),
    ]
}
