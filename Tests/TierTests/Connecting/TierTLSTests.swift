import EventLoop
import TestSupport
import Testing

@testable import Tier

/// `rediss:`: nothing is said before the engine is verified. A real engine speaks TLS itself.
@Suite(.timeLimit(.minutes(10)), .requires(.redis)) struct TierTLSTests {
    /// An engine with a certificate of this authority, and the settings to reach it.
    private static func engine(hosts: [String] = ["127.0.0.1"]) throws -> (RedisServer, ThrowawayAuthority) {
        let authority = try ThrowawayAuthority()
        let leaf = try authority.issue(hosts: hosts)
        return (try RedisServer(certificate: leaf.certificatePEM, key: leaf.keyPEM), authority)
    }

    private static func scene(_ engine: RedisServer, trusting authority: ThrowawayAuthority) throws -> TierScene {
        let anchors = try engine.folder.put(authority.certificatePEM().utf8, "anchors.pem")
        let endpoint = Endpoint(isTLS: true, host: "127.0.0.1", port: engine.port)
        return try TierScene([endpoint]) { $0.trustAnchorsFile = anchors }
    }

    @Test func verifiedEngineIsUsed() async throws {
        let (engine, authority) = try Self.engine()
        let scene = try Self.scene(engine, trusting: authority)
        let value = [UInt8](repeating: 7, count: 3 << 20)
        let key = Array("k".utf8)
        #expect(await scene.send(RESPCommand([Array("SET".utf8), key, value])) == [.simple("OK")])
        #expect(await scene.send(RESPCommand("GET", "k")) == [.bulk(value)])
    }

    @Test func anEngineThatCannotBeVerifiedIsNotUsed() async throws {
        let (stranger, _) = try Self.engine()
        let (misnamed, authority) = try Self.engine(hosts: ["engine.test"])
        for (engine, trusted) in [(stranger, try ThrowawayAuthority()), (misnamed, authority)] {
            let scene = try Self.scene(engine, trusting: trusted)
            waitUntil { scene.status.lastError == "tls" }
            #expect(await scene.send(RESPCommand("PING"), timeout: .milliseconds(1)) == nil)
            #expect(!scene.status.isConnected)
        }
        let (engine, _) = try Self.engine()
        let endpoint = Endpoint(isTLS: true, host: "127.0.0.1", port: engine.port)
        let scene = try TierScene([endpoint]) { $0.trustAnchorsFile = engine.folder.file("none.pem") }
        waitUntil { !scene.lines.isEmpty }
        #expect(scene.status.lastError == "tls" && scene.lines[0].contains("none.pem"))
    }
}
