import Glibc
import HTTP

// Requests that came before, byte for byte: their plans are not worked out again.
// Must hold: no request with a token, a key or a cookie is kept, so nothing here needs wiping; a
// kept plan follows from the request's bytes alone; a request takes a place only when it comes the
// second time, so that one that is never repeated costs a hash and no allocation.

/// A request that came at least twice.
///
/// Confined to the loop whose memo holds it.
public final class RepeatedRequest {
    fileprivate let bytes: [UInt8]
    /// The parsed head; its ranges count in the request's bytes, wherever they are.
    public let head: RequestHead
    /// The coding that the request asks for.
    public let preferredCoding: ContentCoding
    /// The service's own value for the request. It must follow from the bytes of the request alone,
    /// or be looked up anew.
    public var plan: AnyObject?

    fileprivate init(_ bytes: Span<UInt8>, _ head: RequestHead) {
        self.bytes = bytes.copy()
        self.head = head.copy()
        preferredCoding = ContentCoding.preferred(by: head.fields, bytes)
    }

    fileprivate func isSpelt(_ other: Span<UInt8>) -> Bool {
        guard other.count == bytes.count else { return false }
        return other.withUnsafeBytes { other in
            bytes.withUnsafeBytes { memcmp($0.baseAddress!, other.baseAddress!, $0.count) == 0 }
        }
    }
}

/// The requests that one loop remembers. Confined to that loop.
struct RequestMemo {
    private var places = [RepeatedRequest?](repeating: nil, count: RequestMemo.count)
    /// Part of the hash that was seen last in each place.
    private var seen = [UInt32](repeating: 0, count: RequestMemo.count)
    private let seed = UInt64.random(in: .min ... .max)

    /// A power of two. With heads of 500 bytes the places take two megabytes when all are taken.
    static let count = 2048
    /// Longer heads are seldom the same again.
    static let longest = 2048

    /// The request that these bytes are, and nothing but these.
    func find(_ bytes: Span<UInt8>) -> RepeatedRequest? {
        guard bytes.count <= Self.longest, let known = places[place(hash(bytes))], known.isSpelt(bytes) else {
            return nil
        }
        return known
    }

    /// Notes a request that was parsed from these bytes, all of them. It is found from the third
    /// time on.
    mutating func note(_ bytes: Span<UInt8>, _ head: RequestHead) {
        guard bytes.count <= Self.longest, head.byteCount == bytes.count, !head.tellsWhoAsks else { return }
        let hash = hash(bytes)
        let (place, tag) = (place(hash), UInt32(truncatingIfNeeded: hash))
        // It came in pieces: the plan from before stays.
        if places[place]?.isSpelt(bytes) == true { return }
        if seen[place] == tag {
            places[place] = RepeatedRequest(bytes, head)
        } else {
            seen[place] = tag
        }
    }

    private func place(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash >> 32) & (Self.count - 1)
    }

    /// Eight bytes at a time. Requests that are made to collide become as slow as they are
    /// elsewhere: every byte is compared.
    private func hash(_ span: Span<UInt8>) -> UInt64 {
        span.withUnsafeBytes { bytes in
            var (hash, index) = (seed ^ UInt64(truncatingIfNeeded: bytes.count), 0)
            while index &+ 8 <= bytes.count {
                hash = Self.mixed(hash ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                index &+= 8
            }
            while index < bytes.count {
                hash = Self.mixed(hash ^ UInt64(bytes[index]))
                index &+= 1
            }
            return hash
        }
    }

    @inline(__always)
    private static func mixed(_ word: UInt64) -> UInt64 {
        let (high, low) = word.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return high ^ low
    }
}

extension RequestHead {
    /// Whether a token, a key or a cookie is among the fields.
    fileprivate var tellsWhoAsks: Bool {
        fields.contains(.authorization) || fields.contains(.proxyAuthorization) || fields.contains(.cookie)
            || fields.contains(.xRefrainKey) || fields.contains(.musicUserToken)
    }
}
