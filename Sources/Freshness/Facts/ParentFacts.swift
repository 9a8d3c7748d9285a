import HTTP

// Reads the fields of an answer about a parent, a cache of this program that it came through: `Via`
// (RFC 9110 7.6.3) and `Cache-Status` (RFC 9211). Pure.
// Must hold: the members of other caches in these fields change nothing, and an answer that a
// parent handed on stale is never taken for a fresh one.

/// A parent that an answer came through, or none.
public struct ParentFacts: Sendable, Equatable {
    /// Whether there is one, by `Via`.
    private(set) var isThere = false
    /// Whether the answer was, or is now, in its cache; nil where it does not say.
    private var isKept: Bool?
    private var saidStaleFor: Int?

    /// No parent.
    public init() {}

    /// Whether `Age` says how long the answer has been in caches like this one. Where a parent only
    /// passed it on, it is the origin's, as if there were no parent.
    var countsAge: Bool { isThere && isKept != false }

    /// For how many seconds the answer had been stale when it was handed on, at least 1; nil where
    /// it was fresh.
    var staleFor: Int? { isThere ? saidStaleFor : nil }

    /// Adds a line `Via`: for each hop the protocol, the recipient, and a comment.
    mutating func merge(via value: Span<UInt8>) {
        var hops = ListElements(of: value)
        while let hop = hops.next(in: value)?.range {
            let name = value.trimmingWhitespace(Self.end(of: value, hop)..<hop.upperBound)
            if value.equals(name.lowerBound..<Self.end(of: value, name), "refrain") { isThere = true }
        }
    }

    /// The end of the first word.
    private static func end(of bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        range.first { bytes[$0] == UInt8(ascii: " ") || bytes[$0] == UInt8(ascii: "\t") } ?? range.upperBound
    }

    /// Adds a line `Cache-Status`. A parent that passes an answer on leaves earlier members, so
    /// there may be several, and the one that says the least good counts.
    mutating func merge(cacheStatus value: Span<UInt8>) {
        var members = ListElements(of: value)
        while let member = members.next(in: value)?.range {
            guard let said = CacheStatus(ofRefrain: value, member) else { continue }
            isKept = isKept == true || said.isKept
            if let staleFor = said.staleFor { saidStaleFor = max(saidStaleFor ?? 0, staleFor) }
        }
    }
}
