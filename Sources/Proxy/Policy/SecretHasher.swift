/// Numbers values that must not be told apart by anyone else: the process has a secret of its own
/// for it.
struct SecretHasher {
    private var hasher = Hasher()

    mutating func combine(_ value: Span<UInt8>) {
        hasher.combine(value.count)
        value.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    mutating func combine(_ number: Int) { hasher.combine(number) }

    /// Never 0.
    var number: UInt64 { max(1, UInt64(bitPattern: Int64(hasher.finalize()))) }
}
