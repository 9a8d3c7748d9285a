import TestSupport
import Testing

@testable import EventLoop
@testable import Server

@Suite struct TrustedProxiesTests {
    private static let balancer = "10.0.0.1"

    /// Returns the client's address for a request with these fields.
    private func client(_ fields: [String], from peer: String = balancer) throws -> String? {
        let proxies = TrustedProxies(try ["10.0.0.0/8", "fd00::/8"].map { try #require(AddressRange($0)) })
        let lines = fields.map { $0 + "\r\n" }.joined()
        let request = try ParsedRequest("GET / HTTP/1.1\r\nHost: x\r\n\(lines)\r\n")
        let peer = try #require(SocketAddress(host: peer, port: 40_000))
        return proxies.client(of: request.head, request.bytes.span, from: peer)?.description
    }

    @Test(arguments: [
        ("X-Forwarded-For: 203.0.113.9", "203.0.113.9:0"), ("x-forwarded-for:203.0.113.9:4711", "203.0.113.9:0"),
        ("X-Forwarded-For: 2001:db8::7", "[2001:db8::7]:0"), ("X-Forwarded-For: [2001:db8::7]:443", "[2001:db8::7]:0"),
        ("X-Forwarded-For: ::ffff:203.0.113.9", "203.0.113.9:0"), ("Forwarded: for=203.0.113.9", "203.0.113.9:0"),
        ("Forwarded: proto=https;For=\"203.0.113.9:80\" ;by=10.0.0.1", "203.0.113.9:0"),
        ("Forwarded: by=\"a;for=1.1.1.1\";for=\"[2001:db8::7]:4711\"", "[2001:db8::7]:0"),
    ])
    func aTrustedProxyNamesTheClient(field: String, client: String) throws {
        #expect(try self.client([field]) == client)
        #expect(try self.client([field], from: "fd00::1") == client)
        #expect(try self.client([field], from: "203.0.113.200") == nil, "of others nothing is believed")
    }

    @Test func withoutAFieldThePeerIsTheClient() throws {
        #expect(try client([]) == nil && client(["X-Real-IP: 203.0.113.9"]) == nil)
    }

    /// The first elements of the list are the client's own.
    @Test func theListIsReadFromItsEndThroughTrustedProxies() throws {
        #expect(try client(["X-Forwarded-For: 1.1.1.1, 203.0.113.9"]) == "203.0.113.9:0")
        #expect(try client(["X-Forwarded-For: 1.1.1.1, 203.0.113.9, 10.0.0.7"]) == "203.0.113.9:0")
        #expect(try client(["X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 203.0.113.9"]) == "203.0.113.9:0")
        #expect(try client(["X-Forwarded-For: 203.0.113.9", "X-Forwarded-For: 10.0.0.7"]) == "203.0.113.9:0")
        #expect(try client(["X-Forwarded-For: 10.0.0.9, 10.0.0.7"]) == "10.0.0.9:0", "a client of one's own network")
        #expect(try client(["Forwarded: for=1.1.1.1, for=203.0.113.9;by=10.0.0.1"]) == "203.0.113.9:0")
    }

    @Test(arguments: [
        "X-Forwarded-For: unknown", "X-Forwarded-For:", "X-Forwarded-For: 1.1.1.1, unknown", "Forwarded: for=_hidden",
        "Forwarded: proto=https", "X-Forwarded-For: 203.0.113.9.", "Forwarded: for=", "Forwarded: for=\"",
        "Forwarded: for", "X-Forwarded-For: [203.0.113.9", "X-Forwarded-For: :1.1.1.1",
        // The balancer appends to the client's line: an open quote hid its element, and the client
        // could choose its address.
        "Forwarded: for=1.1.1.1;x=\", for=203.0.113.9", "Forwarded: for=1.1.1.1;x=\"\\\", for=203.0.113.9",
        "Forwarded: for=1.1.1.1;x=\", for=\"[2001:db8::7]:4711\"",
        "Forwarded: for=1.1.1.1;x=\", for=\"[2001:db8::7]\";proto=https;by=\"[2001:db8::8]\"",
    ])
    func otherTextLeavesTheRequestToTheBalancer(field: String) throws {
        #expect(try client([field]) == Self.balancer + ":0")
    }

    /// A balancer that writes one of them passes the other on as the client wrote it.
    @Test func twoFieldsCountOnlyWhereTheyAgree() throws {
        #expect(try client(["X-Forwarded-For: 203.0.113.9", "Forwarded: for=203.0.113.9"]) == "203.0.113.9:0")
        #expect(try client(["X-Forwarded-For: 203.0.113.9", "Forwarded: for=1.1.1.1"]) == Self.balancer + ":0")
        #expect(try client(["X-Forwarded-For: 203.0.113.9", "Forwarded: for=unknown"]) == Self.balancer + ":0")
    }

    /// Each of thousands of elements was made an address.
    @Test func eightElementsAreLookedAt() throws {
        func chain(_ count: Int) -> [String] {
            ["X-Forwarded-For: 203.0.113.9" + (1...count).map { ", 10.0.0.\($0)" }.joined()]
        }
        #expect(try client(chain(7)) == "203.0.113.9:0" && client(chain(8)) == "10.0.0.1:0")
        #expect(try client(chain(250)) == "10.0.0.243:0")
    }

    @Test func connectionsOfAProxyHaveNoBoundByAddress() throws {
        let census = ConnectionCensus(most: 5)
        let now = Instant(nanoseconds: 0)
        let proxies = TrustedProxies([try #require(AddressRange("10.0.0.1"))])
        census.limit(to: 5, perAddress: 1, trusting: proxies)
        let (proxy, other) = (SocketAddress(host: "10.0.0.1", port: 1), SocketAddress(host: "10.0.0.2", port: 1))
        #expect(
            census.enter(from: proxy, at: now) && census.enter(from: proxy, at: now)
                && census.enter(from: proxy, at: now))
        #expect(census.enter(from: other, at: now) && !census.enter(from: other, at: now))
        // A reload takes the trust away: those that are there go, and count as they came.
        census.limit(to: 5, perAddress: 1)
        for _ in 0..<3 { census.leave(from: proxy) }
        #expect(census.enter(from: proxy, at: now) && !census.enter(from: proxy, at: now))
        let network = try #require(other?.network)
        #expect(census.enterRequest(of: network, nil, at: now) && !census.enterRequest(of: network, nil, at: now))
        census.leaveRequest(of: network)
        #expect(census.enterRequest(of: network, nil, at: now))
    }
}
