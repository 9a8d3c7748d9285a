import Freshness

/// An answer of the origin's that is not stored, or that none came.
public struct LastAnswer: Sendable, Equatable {
    /// The origin's; nil where it gave none.
    public let status: Int?
    /// Why nothing is stored of it.
    public let reason: Reason
    /// When it came.
    public let unixSeconds: Int64
}
