import Testing

@testable import Store

@Suite struct OriginTests {
    @Test(
        arguments: [
            (true, "api.music.apple.com", 443, "https://api.music.apple.com"),
            (true, "API.Music.Apple.COM", 443, "https://api.music.apple.com"),
            (true, "api.music.apple.com.", 443, "https://api.music.apple.com"),
            (true, "api.music.apple.com", 80, "https://api.music.apple.com:80"),
            (false, "api.music.apple.com", 80, "http://api.music.apple.com"),
            (false, "127.0.0.1", 8081, "http://127.0.0.1:8081"), (false, "::1", 8081, "http://[::1]:8081"),
            (false, "[::1]", 80, "http://[::1]"), (true, ".", 443, "https://."),
        ] as [(Bool, String, UInt16, String)])
    func theNameHasNoSpellings(isTLS: Bool, host: String, port: UInt16, name: String) {
        let origin = Origin(isTLS: isTLS, host: host, port: port)
        #expect(origin.name == name && origin == Origin(name: name) && origin.tag != .none)
    }

    /// A tag is in files and names of keys: it means the same on every machine, and for ever.
    @Test func theTagIsFNV() {
        #expect(Origin(name: "a").tag.bits == 0xAF63_DC4C_8601_EC8C)
        #expect(Origin(name: "foobar").tag.bits == 0x8594_4171_F739_67E8)
        #expect(Origin.none.tag == .none && Origin.none.name.isEmpty)
    }

    @Test func aKeyIsRelativeToAHomeAndBack() throws {
        let (home, other) = (Origin(name: "http://a").tag, Origin(name: "http://b").tag)
        let key = try #require(RecordKey(target: Array("/a".utf8), variant: [], of: other))
        let plain = try #require(RecordKey(target: Array("/a".utf8), variant: []))
        #expect(key != plain && key.index != plain.index)
        let within = key.relative(to: home)
        #expect(within != key && within.relative(to: home) == key)
        #expect(within.index == key.index.relative(to: home) && within.index.relative(to: home) == key.index)
        #expect(key.relative(to: other) == plain && key.index.relative(to: other) == plain.index)
    }
}
