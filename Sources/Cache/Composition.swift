// How an answer was made out of stored ones.
// Must hold: the parts are answers of the origin's, so that what is known of each part is all there is to know; an answer
// that was composed is never written to disk.

/// The way in which a stored response was composed, and out of what.
public final class Composition: Sendable {
    /// How: one of the reasons under "How an answer was composed".
    public let detail: Reason
    /// The keys of the stored answers it was made from.
    public let parts: [CacheKey]
    /// What it takes in memory, its records in `Dependents` included, in bytes.
    let byteCount: Int

    /// Each part is named once.
    public init(_ detail: Reason, parts: [CacheKey]) {
        self.detail = detail
        self.parts = parts.map { $0.compacted() }
        byteCount = self.parts.reduce(Self.overhead) { $0 + $1.bytes.count + Self.partOverhead }
    }

    /// Out of these answers.
    public convenience init(_ detail: Reason, of parts: [StoredResponse]) {
        self.init(detail, parts: parts.map(\.key))
    }

    /// What an answer made from `parts` has to carry as `StoredResponse.resources`, so that a purge of what one of them names
    /// finds it: all that they name, ascending.
    public static func resources(of parts: [StoredResponse]) -> [UInt64] {
        Set(parts.lazy.flatMap(\.resources)).sorted()
    }

    /// The object, the header of its array, and the record of it, rounded up, in bytes.
    private static let overhead = 160
    /// A key, the header of its bytes, and the record of the part, rounded up, in bytes.
    private static let partOverhead = 192
}
