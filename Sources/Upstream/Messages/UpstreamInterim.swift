import HTTP

/// An interim response of the origin that says something to the client: 102, 103 or one that is not
/// known yet. Never 100, which belongs to the connection it came on, nor 101 (RFC 9110, 15.2). It
/// is no part of the answer: it is not stored.
public struct UpstreamInterim: Sendable, Equatable {
    /// 102 to 199.
    public let status: Int
    /// Fields that go further than the connection on which they came.
    public let fields: UpstreamFields
}
