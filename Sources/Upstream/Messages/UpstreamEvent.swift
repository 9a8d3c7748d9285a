/// Events that an exchange reports to its receiver.
public enum UpstreamEvent: Sendable {
    /// Something to pass on before the answer; it may be left out (RFC 9110, 15.2). A bounded
    /// number of them comes.
    case interim(UpstreamInterim)
    /// The whole answer, its content at most `maxCollectedBytes`: the common case.
    case answered(UpstreamResponse)
    /// A larger answer begins: its content so far. More comes by `received`, the end by `finished`.
    case began(UpstreamResponse)
    /// The next bytes of a larger answer, never empty.
    case received([UInt8])
    /// The larger answer is complete.
    case finished
    /// There will be no (more of the) answer. After `began` the client must see an incomplete
    /// response.
    case failed(UpstreamFailure)
}

/// An interim response of the origin that says something to the client: 102, 103 or one that is not
/// known yet. Never 100, which belongs to the connection it came on, nor 101 (RFC 9110, 15.2). It
/// is no part of the answer: it is not stored.
public struct UpstreamInterim: Sendable, Equatable {
    /// 102 to 199.
    public let status: Int
    /// Fields that go further than the connection on which they came.
    public let fields: UpstreamFields
}
