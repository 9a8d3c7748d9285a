/// The label under which a request to the origin is counted (`UpstreamObserver`).
public struct UpstreamLabel: Sendable {
    /// A number of the sender's for the purpose and the subject of the request.
    public let number: Int
    /// The client that caused it.
    public let spender: UpstreamParty

    /// Takes both as they are.
    public init(number: Int, spender: UpstreamParty) {
        (self.number, self.spender) = (number, spender)
    }
}
