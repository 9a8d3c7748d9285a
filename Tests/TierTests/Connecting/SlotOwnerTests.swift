import EventLoop
import Testing

@testable import Tier

@Suite struct SlotOwnerTests {
    private let node = Endpoint(isTLS: true, host: "seed.example", port: 7_000)

    private func owner(_ text: String, code: String = "MOVED") -> Endpoint? {
        SlotOwner(.error(code: code, text: text), from: node)?.endpoint
    }

    private func endpoint(_ host: String, _ port: UInt16) -> Endpoint { Endpoint(isTLS: true, host: host, port: port) }

    @Test func anOwnerIsReadFromMoved() {
        #expect(owner("3999 127.0.0.1:6381") == endpoint("127.0.0.1", 6_381))
        #expect(owner("0 shard-1.cache.example:6379") == endpoint("shard-1.cache.example", 6_379))
        #expect(owner("16383 2001:db8::1:6379") == endpoint("2001:db8::1", 6_379))
        #expect(owner("1 [2001:db8::1]:6379") == endpoint("2001:db8::1", 6_379))
        // The cluster does not know its clients' names for it.
        #expect(
            owner("1 :6390") == endpoint("seed.example", 6_390) && owner("1 ?:6390") == endpoint("seed.example", 6_390))
    }

    @Test func nothingElseIsAnOwner() {
        for text in [
            "", "1", "1 ", "1 host", "1 host:", "1 host:0", "1 host:65536", "x host:1", "16384 host:1", "1 a/b:1",
            "1 a\u{0}b:1", "1 \(String(repeating: "a", count: 256)):1",
        ] { #expect(owner(text) == nil, "\(text)") }
        #expect(owner("1 host:1", code: "ASK") == nil)
        #expect(SlotOwner(.simple("MOVED 1 host:1"), from: node) == nil)
    }

    /// Redis hashes the part of a key between the first `{` and the first `}` after it.
    @Test(arguments: ["refrain", "refrain:", "a.b-c_d", "x:y:", ""]) func allKeysAreInOneSlot(prefix: String) throws {
        let keys = TierKeys(prefix: prefix)
        let pair = try #require(keys.pair(of: key("/1")))
        let all = [
            keys.purges, keys.epoch, keys.nodes, keys.budget(at: .none), keys.budgetNodes(at: .none), pair.value,
            pair.claim, keys.hint(1, at: .none), keys.generation([1]),
        ].map { String(decoding: $0, as: UTF8.self) }
        let tags = all.map { name in
            let open = name.firstIndex(of: "{").map { name.index(after: $0) } ?? name.endIndex
            return name[open...].prefix { $0 != "}" }
        }
        let name = prefix.hasSuffix(":") ? String(prefix.dropLast()) : prefix
        #expect(Set(tags) == [name.isEmpty ? "refrain" : name[...]])
        #expect(all.allSatisfy { $0.hasPrefix(name + ":{") } && Set(all).count == all.count)
    }
}
