import EventLoop

/// A final response of the origin, checked and freed of what belongs to its connection.
public struct UpstreamResponse: Sendable {
    /// 200 to 599; the reason phrase is not kept (a crafted one has crashed proxies: HARDENING, VSV00009).
    public let status: Int
    public let fields: UpstreamFields
    /// What `Content-Length` said, also where there is no content: HEAD and 304. Nil for chunked and unknown lengths.
    public let declaredLength: Int?
    /// The content; in `began` only what has come so far. Content codings are as the origin applied them.
    public internal(set) var body: [UInt8]
    /// When the request was handed to the connection that answered: the "request_time" of RFC 9111, 4.2.3.
    public internal(set) var requestedAt = Instant(nanoseconds: 0)
    /// When the head was complete: the "response_time" of RFC 9111, 4.2.3.
    public internal(set) var receivedAt = Instant(nanoseconds: 0)

    init(status: Int, fields: UpstreamFields, declaredLength: Int?, body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.declaredLength = declaredLength
        self.body = body
    }
}
