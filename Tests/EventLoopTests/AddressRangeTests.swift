import Testing

@testable import EventLoop

@Suite struct AddressRangeTests {
    private func contains(_ range: String, _ host: String) throws -> Bool {
        let address = try #require(SocketAddress(host: host, port: 4711))
        return try #require(AddressRange(range)).contains(address)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.1.2.3/8", "10.9.9.9", true),
        ("192.168.1.4/30", "192.168.1.7", true), ("192.168.1.4/30", "192.168.1.8", false),
        ("203.0.113.9", "203.0.113.9", true), ("203.0.113.9", "203.0.113.8", false),
        ("203.0.113.9/32", "203.0.113.9", true), ("0.0.0.0/0", "255.255.255.255", true), ("0.0.0.0/0", "::1", false),
        ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::1", false),
        ("2001:db8::/65", "2001:db8::7fff:0:0:1", true), ("2001:db8::/65", "2001:db8::8000:0:0:1", false),
        ("2001:db8::1", "2001:db8::1", true), ("2001:db8::1/128", "2001:db8::2", false), ("::/0", "fe80::1", true),
        ("10.0.0.0/8", "::ffff:10.1.1.1", true), ("::ffff:10.1.1.1", "10.1.1.1", true),
    ])
    func aNetworkHasTheAddressesThatBeginAsItDoes(range: String, host: String, isIn: Bool) throws {
        #expect(try contains(range, host) == isIn)
    }

    @Test(arguments: ["", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0/8", "a/8", "10.0.0.0/-1", "10.0.0.0/8/8"])
    func otherTextIsNone(_ text: String) {
        #expect(AddressRange(text) == nil)
    }

    @Test func theWholeOfAFamilyIsEverything() throws {
        #expect(try #require(AddressRange("0.0.0.0/0")).isEverything)
        #expect(try !#require(AddressRange("0.0.0.0/1")).isEverything)
    }
}
