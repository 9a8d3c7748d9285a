/// The head of a request, as offsets into the bytes it was parsed from. One object serves one
/// request after the other: its storage is reused, so parsing does not allocate once it has grown.
/// An object, because it is looked at from many places, none of which should copy it.
public final class RequestHead {
    /// The method; `other` for one that is not listed.
    public internal(set) var method: Method = .get
    /// The method as it was written; it tells one `other` from the next.
    public internal(set) var methodText = ByteRange()
    /// Path and query. Of a target in absolute form the part after the authority, which begins with
    /// `/` or `?` or is empty; the latter two mean the path `/` (RFC 9112 3.2.1). In origin form it
    /// begins with `/`.
    public internal(set) var target = ByteRange()
    /// Host and port of a target in absolute form; the same host as the Host field's.
    var authority: ByteRange?
    /// The version the client speaks.
    public internal(set) var version: Version = .http11
    /// The field lines, in their order.
    public internal(set) var fields = Fields()
    /// Options of the Connection fields.
    public internal(set) var connection = ConnectionOptions()
    /// How long the head is, with the empty line at its end and any before its start.
    public internal(set) var byteCount = 0
    /// Whether the client wants another exchange on this connection (RFC 9112 9.3).
    public internal(set) var keepsAlive = false
    /// Whether the client waits for `100 Continue` before it sends content (RFC 9110 10.1.1).
    public internal(set) var expectsContinue = false

    /// Storage for a parser to fill.
    public init() {}

    /// A head with the same content, which stays as it is when this one is parsed into again.
    public func copy() -> RequestHead {
        let copy = RequestHead()
        copy.method = method
        copy.methodText = methodText
        copy.target = target
        copy.authority = authority
        copy.version = version
        copy.fields = fields
        copy.connection = connection
        copy.byteCount = byteCount
        copy.keepsAlive = keepsAlive
        copy.expectsContinue = expectsContinue
        return copy
    }

    /// Whether the answer would be the request itself, credentials and all: TRACE, and TRACK of
    /// some servers.
    public func asksForEcho(_ bytes: Span<UInt8>) -> Bool {
        method == .trace || method == .other && bytes.equalsIgnoringCase(methodText.range, "track")
    }

    func removeAll() {
        fields.removeAll()
        connection.removeAll()
        authority = nil
        target = ByteRange()
        methodText = ByteRange()
        method = .get
        version = .http11
        byteCount = 0
        keepsAlive = false
        expectsContinue = false
    }
}
