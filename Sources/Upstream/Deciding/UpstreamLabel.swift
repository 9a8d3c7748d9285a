/// What a request counts as where requests to the origin are added up: see `UpstreamObserver`.
public struct UpstreamLabel: Sendable {
    /// The purpose and the subject of the request, in a number of its sender's.
    public let number: Int
    /// The client that caused it.
    public let spender: UpstreamParty

    /// Takes both as they are.
    public init(number: Int = 0, spender: UpstreamParty = .everyone) {
        (self.number, self.spender) = (number, spender)
    }
}
