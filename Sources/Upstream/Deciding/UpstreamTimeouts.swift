/// How long the origin may take: as in nginx, each begins anew with bytes that come.
public struct UpstreamTimeouts: Sendable, Equatable {
    /// From the decision to open a connection to its being usable: resolving, TCP and TLS, all
    /// addresses together.
    public var connect: Duration = .seconds(5)
    /// From handing over the request to the end of the final response's head; interim responses do
    /// not prolong it.
    public var response: Duration = .seconds(60)
    /// Between two reads of an answer's content; pauses for a slow reader do not count.
    public var content: Duration = .seconds(60)

    /// The defaults.
    public init() {}

    /// The time for a whole answer that comes as slowly as it may, in times of `content`.
    private static let contentParts = 10

    /// From `send` to the last byte of the answer, waiting for a connection, streaming and pauses
    /// included.
    var whole: Duration { connect + response + content * Self.contentParts }

    /// The longest that nothing may come at all.
    var patience: Duration { connect + response + content }
}
