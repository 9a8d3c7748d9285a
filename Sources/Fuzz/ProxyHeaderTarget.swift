@testable import EventLoop

extension FuzzTarget {
    /// A header is the same whatever follows; every part of one is a beginning; a malformed one
    /// stays so; and none is longer than the bounds.
    static let proxyHeaders = FuzzTarget(
        name: "proxy-headers", summary: "headers of the PROXY protocol, versions 1 and 2",
        run: { bytes in
            let bytes = Array(bytes.prefix(ProxyHeader.maxBinaryBytes + 64))
            let whole = ProxyHeader.read(bytes)
            for count in bytes.indices {
                switch (ProxyHeader.read(Array(bytes[..<count])), whole) {
                case (.incomplete, .incomplete), (.malformed, .malformed), (.incomplete, .malformed): break
                case (.incomplete, .complete(let header)):
                    precondition(count < header.byteCount, "a whole header is no beginning")
                case (let part, _): precondition(part == whole, "what follows changes what a header is")
                }
            }
            switch whole {
            case .complete(let header):
                precondition(header.byteCount <= min(bytes.count, ProxyHeader.maxBinaryBytes))
                precondition(bytes[0] == 0x0D || header.byteCount <= ProxyHeader.maxTextBytes)
                precondition(ProxyHeader.read(Array(bytes[..<header.byteCount])) == whole)
            case .incomplete: precondition(bytes.count < ProxyHeader.maxBinaryBytes, "nobody waits for ever")
            case .malformed: break
            }
        },
        seeds: {
            let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
            let ends = [UInt8](0..<36)
            return ["TCP4 1.2.3.4 5.6.7.8 1 65535", "TCP6 ::1 2001:db8::7 0 2", "UNKNOWN", "UNKNOWN x y"]
                .map { Array("PROXY \($0)\r\nGET / HTTP/1.1\r\n".utf8) }
                + [
                    signature + [0x20, 0, 0, 0], signature + [0x21, 0x11, 0, 12] + ends.prefix(12),
                    signature + [0x21, 0x21, 0, 41] + ends + [4, 0, 2, 7, 7, 0x16, 0x03],
                ]
        })
}
