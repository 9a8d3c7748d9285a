/// Why bytes are not a reply that this module reads. The connection is of no use afterwards: where
/// the next reply begins cannot be known. Raw values are for the log and hold nothing of the reply.
enum RESPFault: String, Error, Sendable {
    /// The first byte of a reply is none of `+`, `-`, `:`, `$` and `*`.
    case kind = "kind of reply"
    /// A CR without an LF, an LF without a CR, or something else after the bytes of a bulk.
    case lineEnd = "line end"
    case lineTooLong = "line too long"
    /// A number that is not whole, not in its shortest spelling, or beyond 64 bits.
    case number
    /// The length of a bulk or an array is negative and not -1.
    case length
    case bulkTooLarge = "bulk too large"
    case tooManyElements = "too many elements"
    case nestedTooDeep = "arrays nested too deep"
    case replyTooLarge = "reply too large"
}
