import Freshness

// How an answer was made out of stored ones.
// Must hold: the parts are answers of the origin's, none of them composed itself; a composed answer
// is never written to disk.

/// How a stored response was composed, and its parts.
public final class Composition: Sendable {
    /// How: one of the reasons under "How an answer was composed".
    public let detail: Reason
    /// The keys of the stored answers it was made from.
    public let parts: [CacheKey]
    /// The resources that each part names, as `StoredResponse.resources`: its arrays, not copies of
    /// them. A purge that finds one of the parts by them finds the composed answer.
    let named: [[UInt64]]
    /// Size in memory, the records in `Dependents` included, in bytes.
    let byteCount: Int

    /// - Parameter named: for each part.
    init(_ detail: Reason, parts: [CacheKey], naming named: [[UInt64]]) {
        self.detail = detail
        self.parts = parts.map { $0.compacted() }
        self.named = named
        byteCount =
            self.parts.reduce(Self.overhead) { $0 + $1.bytes.count + Self.partOverhead }
            + named.reduce(0) { $0 + $1.count * MemoryLayout<UInt64>.size }
    }

    /// The object, the header of its array, and the record of it, rounded up, in bytes.
    private static let overhead = 160
    /// A key, the headers of its bytes and of its resources, and the record of the part, rounded
    /// up, in bytes.
    private static let partOverhead = 192
}
