import EventLoop
import Glibc
import HTTP

/// A final response of the origin, checked and freed of the fields of its connection.
public struct UpstreamResponse: Sendable {
    /// 200 to 599; the reason phrase is not kept (a crafted one has crashed proxies: FRAMING 5.11).
    public let status: Int
    /// Fields that go further than this connection.
    public let fields: UpstreamFields
    /// Value of `Content-Length`, also where there is no content: HEAD and 304. Nil for chunked
    /// and unknown lengths.
    public let declaredLength: Int?
    /// The content; in `began` only the bytes so far. Content codings are as the origin applied
    /// them, until it is `inflated`.
    public package(set) var body: [UInt8]
    /// The origin's content, where `body` is not that any more (`next complete`): its validators
    /// are not the body's then.
    package var original: [UInt8]?
    /// `body` in gzip, where it came so; nil where `body` is another by now.
    package var gzip: [UInt8]?
    /// Whether the content was inflated: the coding in `fields` is no longer true.
    package var isInflated = false
    /// When the request was handed to the connection that answered: the "request_time" of RFC 9111,
    /// 4.2.3.
    public internal(set) var requestedAt = Instant(nanoseconds: 0)
    /// When the head was complete: the "response_time" of RFC 9111, 4.2.3.
    public internal(set) var receivedAt = Instant(nanoseconds: 0)

    /// Takes the forwarded parts out of a head whose framing has been accepted; the content is
    /// still to come.
    init(_ head: borrowing ResponseHead, _ bytes: Span<UInt8>, from site: SiteAddress) {
        status = head.status
        fields = UpstreamFields(of: head, bytes, from: site)
        declaredLength = Self.declaredLength(head, bytes)
        body = []
    }

    /// The value of `Content-Length`: known to be a number in range where it decided the framing;
    /// elsewhere (HEAD, 304) anything else counts as absent.
    private static func declaredLength(_ head: borrowing ResponseHead, _ bytes: Span<UInt8>) -> Int? {
        guard !head.fields.contains(.transferEncoding), head.fields.count(.contentLength) == 1,
            let field = head.fields.first(.contentLength)
        else { return nil }
        return Decimal.parse(bytes, field.value.range)
    }
}

extension UpstreamResponse {
    /// How long the origin asks to wait (RFC 9110, 10.2.3), a year at most; nil where it does not
    /// say. A date counts from the answer's own, or without one from `now`, in unix seconds, when
    /// it came (RFC 9110, 6.6.1).
    public func retryAfter(at now: @autoclosure () -> Int64 = Int64(time(nil))) -> Duration? {
        guard let value = fields.first(.retryAfter) else { return nil }
        if let seconds = Decimal.parse(value.span, 0..<value.count) {
            return .seconds(min(seconds, Self.longestWait))
        }
        guard let until = HTTPDate.parse(value.span) else { return nil }
        let date = fields.first(.date).flatMap { HTTPDate.parse($0.span) } ?? now()
        return .seconds(min(max(until - date, 0), Int64(Self.longestWait)))
    }

    private static let longestWait = 365 * 86_400
}
