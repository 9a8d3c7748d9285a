/// The label under which a request to the origin is counted (`UpstreamObserver`). Its numbers are
/// the sender's own.
public struct UpstreamLabel: Sendable {
    /// The class of the resource asked for.
    public let resourceClass: Int
    /// Why it is asked for.
    public let purpose: Int
    public let route: Int
    /// The client that caused it.
    public let spender: UpstreamParty

    /// Takes all as they are.
    public init(resourceClass: Int, purpose: Int, route: Int, spender: UpstreamParty) {
        (self.resourceClass, self.purpose, self.route) = (resourceClass, purpose, route)
        self.spender = spender
    }
}
