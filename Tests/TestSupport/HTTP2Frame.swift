/// A frame of HTTP/2 as bytes (RFC 9113 4.1), also one that no client would send.
public struct HTTP2Frame: Equatable, Sendable {
    public enum Kind: UInt8, Sendable {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    public var type: UInt8
    public var flags: UInt8
    public var stream: UInt32
    public var payload: [UInt8]

    public var kind: Kind? { Kind(rawValue: type) }
    /// DATA and HEADERS: nothing follows on the stream. SETTINGS and PING: an acknowledgement.
    public var endsStream: Bool { flags & 1 != 0 }

    public init(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
        (self.type, self.flags, self.stream, self.payload) = (type, flags, stream, payload)
    }

    public init(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
        self.init(type: kind.rawValue, flags: flags, stream: stream, payload: payload)
    }

    public var bytes: [UInt8] {
        let length = payload.count
        return [UInt8(length >> 16 & 255), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags]
            + Self.word(stream) + payload
    }

    /// The first frame in `bytes`, and how long it is; nil where it is not whole.
    public static func first(in bytes: ArraySlice<UInt8>) -> (frame: HTTP2Frame, count: Int)? {
        guard bytes.count >= 9 else { return nil }
        let head = Array(bytes.prefix(9))
        let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        guard bytes.count >= 9 + length else { return nil }
        let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let payload = Array(bytes.dropFirst(9).prefix(length))
        return (HTTP2Frame(type: head[3], flags: head[4], stream: stream, payload: payload), 9 + length)
    }

    /// Four bytes of the payload as a number: an error code, a last stream.
    public func word(at offset: Int) -> UInt32 {
        payload.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    public static func word(_ number: UInt32) -> [UInt8] {
        [UInt8(number >> 24 & 255), UInt8(number >> 16 & 255), UInt8(number >> 8 & 255), UInt8(number & 255)]
    }
}

extension HTTP2Frame {
    public static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// Fields as literals that are never indexed (RFC 7541 6.2.2), names and values as they are.
    public static func fieldBlock(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { name, value in [0x00] + text(name) + text(value) }
    }

    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var (prefix, rest): ([UInt8], Int) = ([127], bytes.count - 127)
        while rest >= 128 {
            prefix.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return prefix + [UInt8(rest)] + bytes
    }

    /// The pseudo-header fields of a GET.
    public static func get(_ path: String, authority: String = "localhost") -> [(String, String)] {
        [(":method", "GET"), (":scheme", "https"), (":authority", authority), (":path", path)]
    }

    /// A whole head in one frame.
    public static func head(_ fields: [(String, String)], stream: UInt32, isLast: Bool = true) -> HTTP2Frame {
        HTTP2Frame(.headers, flags: isLast ? 5 : 4, stream: stream, payload: fieldBlock(fields))
    }

    /// A setting of the client's.
    public static func setting(_ identifier: UInt16, _ value: UInt32) -> HTTP2Frame {
        HTTP2Frame(.settings, payload: [UInt8(identifier >> 8), UInt8(identifier & 255)] + word(value))
    }

    public static func windowUpdate(_ stream: UInt32, by count: UInt32) -> HTTP2Frame {
        HTTP2Frame(.windowUpdate, stream: stream, payload: word(count))
    }

    public static func reset(_ stream: UInt32, _ code: UInt32 = 8) -> HTTP2Frame {
        HTTP2Frame(.reset, stream: stream, payload: word(code))
    }
}
