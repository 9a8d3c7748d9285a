/// Why bytes are not a message that this module accepts. On the client side `status` is the answer,
/// and after it the connection is finished; on the origin side any of these is a 502.
public enum ParseError: String, Error, Sendable, CaseIterable {
    // Start lines
    case emptyLines = "empty lines"
    case requestLine = "request line"
    case method
    case methodTooLong = "method too long"
    case connect = "CONNECT"
    case target = "request target"
    case targetTooLong = "request target too long"
    case version = "HTTP version"
    case statusLine = "status line"
    // Lines
    case lineEnd = "line end"
    case controlCharacter = "control character"
    case headTooLarge = "head too large"
    // Field lines
    case fieldName = "field name"
    case fieldNameTooLong = "field name too long"
    case foldedField = "folded field"
    case fieldWhitespace = "white space around a field value"
    case tooManyFields = "too many fields"
    // Fields of a request
    case hostMissing = "Host missing"
    case hostRepeated = "Host repeated"
    case hostInvalid = "Host invalid"
    case authorityMismatch = "authority and Host differ"
    case connectionOption = "Connection option"
    case expectation
    case traceContent = "TRACE with content"
    // HTTP/2
    case pseudoField = "pseudo-field"
    case connectionField = "connection-specific field"
    case misdirected = "authority is not the host of the TLS handshake"
    // Framing
    case contentLength = "Content-Length"
    case contentTooLarge = "content too large"
    case transferEncoding = "Transfer-Encoding"
    case transferCoding = "transfer coding"
    case conflictingFraming = "conflicting framing"
    // Content
    case chunkSize = "chunk size"
    case chunkExtension = "chunk extension"
    case chunkEnd = "chunk end"
    case trailersTooLarge = "trailers too large"
    case truncated

    /// The status code that tells a client about it (RFC 9110 15.5, RFC 6585 5).
    public var status: Int {
        switch self {
        case .connect: 405
        case .contentTooLarge: 413
        case .targetTooLong: 414
        case .expectation: 417
        case .misdirected: 421
        case .headTooLarge, .fieldNameTooLong, .tooManyFields, .trailersTooLarge: 431
        case .methodTooLong, .transferCoding: 501
        case .version: 505
        default: 400
        }
    }

    /// A word or two for logs and error bodies; nothing of the message is in it.
    public var reason: String { rawValue }
}
