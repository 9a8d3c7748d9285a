import Cache
import Freshness
import HTTP
import Store

// A value that the engine returned: judged, and made fit for this node.

extension TierValue {
    /// Verdict about the bytes under a key.
    enum Reading: Sendable {
        case value(TierValue)
        /// Whole, and another key's: replies and commands do not belong together any more, or two
        /// keys have one name. The connection is not to be trusted.
        case mismatch
        /// Torn, changed, or nothing that a node has written. The connection is not to be trusted.
        case damaged
        /// In gzip, and this process has no zlib.
        case unreadable
        /// A version that this program does not know. Another node may use it.
        case tooNew
    }

    /// Reads the bytes under the name of `key`. More than `maxBytes` are nothing that a node has
    /// written.
    /// - Parameter site: of the origin, to which fields that an older node has stored may refer.
    static func read(
        _ bytes: [UInt8], for key: CacheKey, from site: SiteAddress? = nil, _ gzip: Gzip = .system
    ) -> Reading {
        read(bytes, site, gzip) { $0.elementsEqual(key.bytes) ? key : nil }
    }

    /// Reads the bytes under a name that a hint led to, whatever their key, as long as the name is
    /// that of the key.
    /// - Parameter origin: whose values that hint leads to.
    static func read(
        _ bytes: [UInt8], named name: [UInt8], _ keys: TierKeys, at origin: OriginTag, from site: SiteAddress? = nil,
        _ gzip: Gzip = .system
    ) -> Reading {
        read(bytes, site, gzip) { found in
            guard let key = CacheKey(of: origin, shared: found), keys.pair(of: key)?.value == name else { return nil }
            return key
        }
    }

    private static func read(
        _ bytes: [UInt8], _ site: SiteAddress?, _ gzip: Gzip, _ expected: (ArraySlice<UInt8>) -> CacheKey?
    ) -> Reading {
        guard bytes.count >= headBytes, bytes.count <= maxBytes else { return .damaged }
        func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type, at offset: Int) -> Number {
            bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type)) }
        }
        let found = number(UInt32.self, at: 0)
        guard found & 0xFF_FFFF == mark & 0xFF_FFFF else { return .damaged }
        guard found == mark else { return found > mark ? .tooNew : .damaged }
        let keyEnd = headBytes + Int(number(UInt32.self, at: 4))
        guard keyEnd + Int(number(UInt32.self, at: 8)) == bytes.count,
            number(UInt32.self, at: checkPlace.lowerBound) == checkNumber(bytes[..<keyEnd])
        else { return .damaged }
        guard let key = expected(bytes[headBytes..<keyEnd]) else { return .mismatch }
        let logMark = LogMark(
            LogEpoch(number: number(UInt64.self, at: 16)),
            LogPosition(number(UInt64.self, at: 24), number(UInt64.self, at: 32)))
        return switch PortableRecord.read(bytes.span.extracting(keyEnd...), for: key, gzip, from: site) {
        case .response(let response): .value(TierValue(response, logMark: logMark))
        case .damaged: .damaged
        case .unreadable: .unreadable
        }
    }

    /// The form in which this node may keep it: the same answer with its age, for the shorter of
    /// the granted lifetime and of `rule`, the lifetime that this node's rules grant to such an
    /// answer; nil where that would be useless. Received by now, in unix seconds, whatever the
    /// other node's clock says, and born under `number` (`PurgeKnowledge.born`).
    package func taken(under rule: Lifetime, bornUnder number: Int64, at now: Int64) -> StoredResponse? {
        let taken = response.within(rule).adopted(bornUnder: number, at: now)
        return taken.usefulFor(at: now) > 0 ? taken : nil
    }
}
