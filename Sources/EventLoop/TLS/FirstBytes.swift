import Glibc

/// The first bytes of a client on a port that wants TLS, read without taking them.
///
/// A handshake begins with a byte that no method has. A method of any name is known by the space
/// after it, so the client need not have sent a whole line. The preface of HTTP/2 is none.
enum FirstBytes {
    /// Nothing yet.
    case nothing
    /// The possible beginning of a method.
    case unknown
    /// A method of HTTP in the clear.
    case request
    /// The client has closed or reset the connection, and nothing came before.
    case end
    /// A handshake, or bytes that the TLS library refuses.
    case other

    /// The longest method that requests are read with (FRAMING 1.2).
    private static let longestMethod = 32

    init(peekingInto descriptor: CInt) {
        var room = InlineArray<34, UInt8>(repeating: 0)
        var span = room.mutableSpan
        let count = span.withUnsafeMutableBytes { room in
            var count: Int
            repeat {
                count = recv(descriptor, room.baseAddress, room.count, CInt(MSG_PEEK))
            } while count < 0 && errno == EINTR
            return count
        }
        guard count > 0 else {
            self = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? .nothing : .end
            return
        }
        self.init(room.span.extracting(0..<count))
    }

    init(_ bytes: Span<UInt8>) {
        guard !bytes.isEmpty else {
            self = .nothing
            return
        }
        var length = 0
        while length < bytes.count, Self.isToken(bytes[length]) { length += 1 }
        guard length < bytes.count else {
            self = length <= Self.longestMethod ? .unknown : .other
            return
        }
        let isMethod = (1...Self.longestMethod).contains(length) && bytes[length] == UInt8(ascii: " ")
        self = isMethod && !Self.isPreface(bytes, length) ? .request : .other
    }

    private static func isPreface(_ bytes: Span<UInt8>, _ length: Int) -> Bool {
        length == 3 && bytes[0] == UInt8(ascii: "P") && bytes[1] == UInt8(ascii: "R") && bytes[2] == UInt8(ascii: "I")
    }

    /// RFC 9110 5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
