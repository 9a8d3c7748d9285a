import EventLoop
import Foundation
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

    @Test func repliesOfEveryKindAreRead() async throws {
        let engine = try RedisServer()
        let scene = try TierScene([engine.endpoint])
        let replies = await scene.send(
            RESPCommand("SET", "claim", "a", "NX", "PX", "60000"), RESPCommand("SET", "claim", "b", "NX"),
            RESPCommand("INCR", "n"), RESPCommand("LPUSH", "claim", "x"),
            RESPCommand("XADD", "log", "1-1", "path", "/v1"), RESPCommand("XRANGE", "log", "-", "+"),
            RESPCommand("EVALSHA", String(repeating: "0", count: 40), "0"),
            RESPCommand("XREAD", "STREAMS", "log", "1-1"),
            RESPCommand("EVAL", "return {1, {'a', false}}", "0"), RESPCommand("WAIT", "1", "1"),
            RESPCommand("CLIENT", "GETNAME"))
        let found = try #require(replies)
        #expect(found[0].isOK && found[1].isNil && found[2] == .integer(1))
        #expect(found[3].errorCode == "WRONGTYPE")
        #expect(found[4] == .bulk("1-1"))
        #expect(found[5] == .array([.array([.bulk("1-1"), .array([.bulk("path"), .bulk("/v1")])])]))
        #expect(found[6].errorCode == "NOSCRIPT" && found[7] == .array(nil))
        #expect(found[8] == .array([.integer(1), .array([.bulk("a"), .bulk(nil)])]) && found[9] == .integer(0))
        #expect(found[10] == .bulk("refrain-a"))
    }
}
