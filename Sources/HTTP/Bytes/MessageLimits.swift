/// Every bound on a message, in one table; each is tested at the limit and one above. A bound is on
/// positions in the message and never on the bytes that happen to have arrived, so a message gets
/// the same verdict whole or in pieces.
public struct MessageLimits: Sendable, Equatable {
    /// Start line, fields and the empty line, with their line ends.
    public var maxHeadBytes = 32 * 1024
    /// Bytes of the request target; at least 8000 is recommended (RFC 9112 3).
    var maxTargetBytes = 8 * 1024
    /// A longer method is none that anyone implements (RFC 9112 3: 501).
    var maxMethodBytes = 32
    /// Fields of a head, or of a trailer section.
    var maxFields = 100
    /// Bytes of one name; known ones are at most 32 bytes long.
    var maxFieldNameBytes = 256
    /// Content, after chunked coding is removed.
    public var maxBodyBytes = 1024 * 1024
    /// Bound of all chunk extensions of a message together (RFC 9112 7.1.1 asks for a limit).
    var maxChunkExtensionBytes = 4 * 1024
    /// Bound of the trailer lines and the empty line that ends them.
    var maxTrailerBytes = 8 * 1024
    /// Empty lines skipped before a request line (RFC 9112 2.2: at least one).
    var maxEmptyLines = 2

    /// The defaults, for requests.
    public init() {}

    /// Limits for clients.
    public static let request = MessageLimits()

    /// Limits for an origin: content of any size, because the code that stores or relays it
    /// bounds it; no empty lines.
    public static let response: MessageLimits = {
        var limits = MessageLimits()
        limits.maxBodyBytes = .max
        limits.maxEmptyLines = 0
        return limits
    }()
}
