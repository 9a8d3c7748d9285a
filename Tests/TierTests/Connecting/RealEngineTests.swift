import EventLoop
import TestSupport
import Testing

@testable import Tier

/// The connection and the protocol with a real Redis.
@Suite(.timeLimit(.minutes(10)), .requires(.redis)) struct RealEngineTests {
    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func valuesOfAnyBytesComeBack() async throws {
        let engine = try RedisServer()
        let scene = try TierScene([engine.endpoint])
        let all = (0...255).map { UInt8($0) }
        let set = RESPCommand([Self.bytes("SET"), all, all + all])
        #expect(await scene.send(set, RESPCommand([Self.bytes("GET"), all])) == [.simple("OK"), .bulk(all + all)])
        #expect(await scene.send(RESPCommand("GET", "none")) == [.bulk(nil)])
        let large = [UInt8](repeating: 0x0D, count: 8 << 20)
        #expect(await scene.send(RESPCommand([Self.bytes("SET"), all, large])) == [.simple("OK")])
        #expect(await scene.send(RESPCommand([Self.bytes("GET"), all])) == [.bulk(large)])
    }
}
