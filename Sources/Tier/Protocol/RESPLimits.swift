/// Every bound on a reply, in one table; each is tested at the limit and one above. A bound is on
/// positions in the reply and never on the bytes that have arrived, so a reply gets the same
/// verdict whole or in pieces.
struct RESPLimits: Sendable {
    /// Bytes of a line, without its first byte and its end: the engine's own bound for lines that
    /// it reads (`PROTO_INLINE_MAX_SIZE`).
    var maxLineBytes = 64 << 10
    /// Bytes of one bulk: twice the largest value that a node writes (`TierValue.maxBytes`).
    var maxBulkBytes = 8 << 20
    /// Arrays inside each other: a stream's entries with their fields take three.
    var maxNesting = 4
    /// Elements of all arrays of one reply together, as their heads announce them.
    var maxElements = 100_000
    /// Bulks and lines of one reply together: elements within their bounds could take terabytes.
    /// The largest are pages of the purge log, and four parts of an answer with 1 MiB each.
    var maxReplyBytes = 24 << 20
}
