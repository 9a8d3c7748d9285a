import Text

/// The key of a record: its origin, and "shared" NUL target NUL variant. No variant has a NUL.
public struct RecordKey: Sendable, Equatable {
    public let bytes: [UInt8]
    /// Within a file, the tag relative to its home.
    public private(set) var origin: OriginTag
    /// A NUL follows.
    private let targetEnd: Int

    private static let scope = Array("shared\0".utf8)

    /// - Parameter targetEnd: where in `bytes` the target ends.
    public init(_ bytes: [UInt8], targetEnd: Int, of origin: OriginTag) {
        (self.bytes, self.targetEnd, self.origin) = (bytes, targetEnd, origin)
    }

    /// Nil for parts that no key has: the file is damaged.
    init?(target: [UInt8], variant: [UInt8], of origin: OriginTag = .none) {
        guard !variant.contains(0) else { return nil }
        self.init(Self.scope + target + [0] + variant, targetEnd: Self.scope.count + target.count, of: origin)
    }

    /// The key as a file with this home has it, and back.
    func relative(to home: OriginTag) -> RecordKey {
        var key = self
        key.origin = origin.relative(to: home)
        return key
    }

    public var target: ArraySlice<UInt8> { bytes[Self.scope.count..<targetEnd] }
    public var variant: ArraySlice<UInt8> { bytes[(targetEnd + 1)...] }

    /// The integer that finds a key's row: the first 64 bits of the SHA-256 of its bytes, or,
    /// without libcrypto's help, a value that finds nothing; XOR its origin. Rows are compared by
    /// their whole key anyway.
    public var index: Int64 { Self.index(of: bytes, origin) }

    public static func index(of bytes: [UInt8], _ origin: OriginTag) -> Int64 {
        Int64(bitPattern: bytes.withUnsafeBytes { Digest.sha256Head($0) } ?? 0) ^ origin.number
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.origin == right.origin && left.bytes == right.bytes
    }
}
