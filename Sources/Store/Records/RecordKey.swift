import Text

/// The key of a record: "shared" NUL target NUL variant. No variant has a NUL.
public struct RecordKey: Sendable, Equatable {
    public let bytes: [UInt8]
    /// A NUL follows.
    private let targetEnd: Int

    private static let scope = Array("shared\0".utf8)

    /// - Parameter targetEnd: where in `bytes` the target ends.
    public init(_ bytes: [UInt8], targetEnd: Int) {
        (self.bytes, self.targetEnd) = (bytes, targetEnd)
    }

    /// Nil for parts that no key has: the file is damaged.
    init?(target: [UInt8], variant: [UInt8]) {
        guard !variant.contains(0) else { return nil }
        self.init(Self.scope + target + [0] + variant, targetEnd: Self.scope.count + target.count)
    }

    public var target: ArraySlice<UInt8> { bytes[Self.scope.count..<targetEnd] }
    public var variant: ArraySlice<UInt8> { bytes[(targetEnd + 1)...] }

    /// The integer that finds a key's row: the first 64 bits of its SHA-256, or, without
    /// libcrypto's help, a value that finds nothing. Rows are compared by their whole key anyway.
    public var index: Int64 { Self.index(of: bytes) }

    public static func index(of bytes: [UInt8]) -> Int64 {
        Int64(bitPattern: bytes.withUnsafeBytes { Digest.sha256Head($0) } ?? 0)
    }

    public static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }
}
