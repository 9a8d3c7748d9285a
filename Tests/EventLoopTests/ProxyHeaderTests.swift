import TestSupport
import Testing

@testable import EventLoop

@Suite struct ProxyHeaderTests {
    private static func text(_ line: String) -> [UInt8] { Array(line.utf8) }

    /// - Parameter command: version and command.
    private static func binary(
        _ command: UInt8, _ family: UInt8, _ rest: [UInt8], length: Int? = nil
    ) -> [UInt8] {
        let count = length ?? rest.count
        return ProxyHeader.signature + [command, family, UInt8(count >> 8), UInt8(count & 0xFF)] + rest
    }

    /// A header of the binary form, for a client that came over IPv4.
    private static func binary(_ rest: [UInt8], length: Int? = nil) -> [UInt8] {
        binary(0x21, 0x11, rest, length: length)
    }

    /// From 10.1.2.3:40000 to 10.0.0.1:443.
    private static let v4: [UInt8] = [10, 1, 2, 3, 10, 0, 0, 1, 0x9C, 0x40, 0x01, 0xBB]
    /// From [2001:db8::7]:40000.
    private static let v6: [UInt8] =
        [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7] + [UInt8](repeating: 0, count: 15) + [1]
        + [0x9C, 0x40, 0x01, 0xBB]
    private static let extensions: [UInt8] = [0x04, 0, 2, 9, 9, 0x20, 0, 5, 1, 0, 0, 0, 0, 0x05, 0, 0]

    /// Headers, and whose connection they say it is; nil: the load balancer's own.
    static let sound: [([UInt8], String?)] = [
        (text("PROXY TCP4 10.1.2.3 10.0.0.1 40000 443\r\n"), "10.1.2.3:40000"),
        (text("PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n"), "255.255.255.255:65535"),
        (text("PROXY TCP4 1.2.3.4 5.6.7.8 0 0\r\n"), "1.2.3.4:0"),
        (text("PROXY TCP6 2001:db8::7 ::1 40000 443\r\n"), "[2001:db8::7]:40000"),
        (
            text(
                "PROXY TCP6 \(String(repeating: "ffff:", count: 7))ffff \(String(repeating: "ffff:", count: 7))ffff "
                    + "65535 65535\r\n"
            ), "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535"
        ),
        (text("PROXY UNKNOWN\r\n"), nil), (text("PROXY UNKNOWN \r\n"), nil),
        (text("PROXY UNKNOWN ffff::1 what ever 65535 this is\r\n"), nil),
        (text("PROXY UNKNOWN " + String(repeating: "x", count: 91) + "\r\n"), nil),
        (binary(v4), "10.1.2.3:40000"), (binary(0x21, 0x21, v6), "[2001:db8::7]:40000"),
        (binary(v4 + extensions), "10.1.2.3:40000"), (binary(0x21, 0x21, v6 + extensions), "[2001:db8::7]:40000"),
        (binary(0x20, 0x00, []), nil), (binary(0x20, 0x11, v4), nil), (binary(0x20, 0xFF, [1, 2]), nil),
        (binary(0x21, 0x00, []), nil), (binary(0x21, 0x00, extensions), nil),
        (binary(0x21, 0x31, [UInt8](repeating: 65, count: 216)), nil),
        (binary(v4 + [0x04, 0x01, 0xF9] + [UInt8](repeating: 0, count: 505)), "10.1.2.3:40000"),
    ]

    static let malformed: [[UInt8]] = [
        text("GET / HTTP/1.1\r\n\r\n"), text("PROXY\r\n"), text("proxy TCP4 1.2.3.4 5.6.7.8 1 2\r\n"),
        text("PROXY  TCP4 1.2.3.4 5.6.7.8 1 2\r\n"), text("PROXY TCP4 1.2.3.4  5.6.7.8 1 2\r\n"),
        text("PROXY TCP4 1.2.3.4 5.6.7.8 1 2 \r\n"), text("PROXY TCP4 1.2.3.4 5.6.7.8 1 2\n"),
        text("PROXY TCP4 1.2.3.4 5.6.7.8 1 2\rX"), text("PROXY TCP4 1.2.3.4 5.6.7.8 1\r\n"),
        text("PROXY TCP4 1.2.3.4 5.6.7.8 1 2 3\r\n"), text("PROXY TCP4 1.2.3.4 5.6.7.8 1 65536\r\n"),
        text("PROXY TCP4 1.2.3.4 5.6.7.8 01 2\r\n"), text("PROXY TCP4 1.2.3.4 5.6.7.8 -1 2\r\n"),
        text("PROXY TCP4 1.2.3.4 5.6.7.8 +1 2\r\n"), text("PROXY TCP4 1.2.3.4 5.6.7.8  2\r\n"),
        text("PROXY TCP4 1.2.3 5.6.7.8 1 2\r\n"), text("PROXY TCP4 1.2.3.4 5.6.7.256 1 2\r\n"),
        text("PROXY TCP4 01.2.3.4 5.6.7.8 1 2\r\n"), text("PROXY TCP4 ::1 ::1 1 2\r\n"),
        text("PROXY TCP6 1.2.3.4 5.6.7.8 1 2\r\n"), text("PROXY TCP6 ::1 1.2.3.4 1 2\r\n"),
        text("PROXY TCP6 [::1] [::1] 1 2\r\n"), text("PROXY TCP6 ::1%lo ::1 1 2\r\n"),
        text("PROXY TCP4 1.2.3.4\0 5.6.7.8 1 2\r\n"), text("PROXY TCP5 1.2.3.4 5.6.7.8 1 2\r\n"),
        text("PROXY UDP4 1.2.3.4 5.6.7.8 1 2\r\n"), text("PROXY UNKNOWNS\r\n"), text("PROXY unknown\r\n"),
        text("PROXY UNKNOWN " + String(repeating: "x", count: 92) + "\r\n"),
        text("PROXY UNKNOWN " + String(repeating: "x", count: 200)),
        [0x16, 0x03, 0x01], [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0D],
        binary(0x11, 0x11, v4), binary(0x22, 0x11, v4), binary(0x01, 0x11, v4), binary(0x31, 0x11, v4),
        binary(0x21, 0x12, v4), binary(0x21, 0x22, v6), binary(0x21, 0x32, v6), binary(0x21, 0x10, v4),
        binary(0x21, 0x41, v4), binary(Array(v4.dropLast())), binary(0x21, 0x21, v4), binary(0x21, 0x11, []),
        binary(0x21, 0x31, v6), binary(v4, length: 521), binary(0x20, 0x00, [], length: 521),
        binary(v4, length: 0xFFFF), binary(v4 + [0x04]), binary(v4 + [0x04, 0]), binary(v4 + [0x04, 0, 1]),
        binary(v4 + [0x04, 0, 0, 0x04]), binary(v4 + [0x04, 0xFF, 0xFF]), binary(0x21, 0x00, [1]),
    ]

    @Test(arguments: sound)
    func aHeaderNamesTheClient(bytes: [UInt8], client: String?) {
        let expected = ProxyHeader(client: client.flatMap { SocketAddress($0) }, byteCount: bytes.count)
        #expect((client == nil) == (expected.client == nil))
        #expect(ProxyHeader.read(bytes) == .complete(expected))
        // The bytes after the header are no part of it.
        for rest in ["GET / HTTP/1.1\r\n", "\r\n", "PROXY "] {
            #expect(ProxyHeader.read(bytes + rest.utf8) == .complete(expected))
        }
        for count in bytes.indices { #expect(ProxyHeader.read(Array(bytes[..<count])) == .incomplete, "\(count)") }
    }

    /// Once it cannot become a header any more it never does, and no cut makes a header of it.
    @Test(arguments: malformed) func malformedHeadersAreRefused(bytes: [UInt8]) {
        #expect(ProxyHeader.read(bytes + [UInt8](repeating: 0, count: 600)) == .malformed)
        var hasFailed = false
        for count in 0...bytes.count {
            let reading = ProxyHeader.read(Array(bytes[..<count]))
            if case .complete = reading { Issue.record("\(count) bytes are a header") }
            if hasFailed { #expect(reading == .malformed, "\(count)") }
            hasFailed = reading == .malformed
        }
        #expect(hasFailed)
    }

    /// One byte more is among the malformed ones.
    @Test func soundHeadersReachTheBounds() {
        let (text, all) = (Self.sound.filter { $0.0[0] == UInt8(ascii: "P") }, Self.sound)
        #expect(text.map { $0.0.count }.max() == ProxyHeader.maxTextBytes)
        #expect(all.map { $0.0.count }.max() == ProxyHeader.maxBinaryBytes)
    }
}
