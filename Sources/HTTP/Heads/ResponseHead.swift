/// The head of a response, as offsets into the bytes it was parsed from. Its storage is reused like
/// a request's.
public struct ResponseHead: Sendable {
    /// 100...599. The reason is not kept: it says nothing that the status does not (RFC 9112 4).
    public internal(set) var status = 0
    /// The version the origin answered with.
    var version: Version = .http11
    /// The field lines, in their order.
    public internal(set) var fields = Fields()
    /// Options of the Connection fields.
    public internal(set) var connection = ConnectionOptions()
    /// How long the head is, with the empty line at its end.
    public internal(set) var byteCount = 0
    /// Whether the origin keeps the connection open after this exchange (RFC 9112 9.3).
    public internal(set) var keepsAlive = false

    /// Whether another response to the same request follows (RFC 9110 15.2).
    public var isInterim: Bool { status < 200 }

    /// Storage for a parser to fill.
    public init() {}

    mutating func removeAll() {
        fields.removeAll()
        connection.removeAll()
        status = 0
        version = .http11
        byteCount = 0
        keepsAlive = false
    }
}
