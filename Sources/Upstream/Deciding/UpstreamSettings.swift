import EventLoop
import HTTP

/// The limits of one loop's connections to the origin. Every wait and every buffer has a bound.
public struct UpstreamSettings: Sendable, Equatable {
    /// The origin's host and port.
    public var endpoint: Endpoint
    /// How long the origin may take.
    public var timeouts = UpstreamTimeouts()
    /// How long an unused connection is kept.
    var idleTimeout: Duration = .seconds(30)
    /// A connection unused for longer than this is not trusted with a request that could not be
    /// repeated.
    var recentUse: Duration = .seconds(1)
    /// The first wait after a failed connect; it doubles with each further failure.
    var backoff: Duration = .milliseconds(100)
    /// The longest wait between two attempts to connect. Requests wait that long too, rather than
    /// fail at once, so that an origin that has come back is noticed by the first of them.
    var maxBackoff: Duration = .milliseconds(500)
    /// Connections at once, those being opened included. Per loop.
    var maxConnections: Int
    /// Requests waiting for a connection. Per loop.
    public var maxWaiting: Int = 1000
    /// The most content that is handed over in one piece; a larger answer is streamed, and so is a
    /// smaller one of a known length where its receiver says so.
    var maxCollectedBytes = Self.standardCollectedBytes
    /// Bounds of heads, chunk extensions and trailers.
    var limits: MessageLimits = .response

    /// `maxCollectedBytes`, where nothing else is said.
    public static let standardCollectedBytes = 8 << 20

    /// The defaults; `maxConnections` is at least 1.
    public init(endpoint: Endpoint, maxConnections: Int = 32) {
        precondition(maxConnections > 0)
        (self.endpoint, self.maxConnections) = (endpoint, maxConnections)
    }

    /// The share of one loop in the connections, at least one.
    package func share(of index: Int, among loops: Int) -> UpstreamSettings {
        var share = self
        share.maxConnections = max(1, maxConnections / loops + (index < maxConnections % loops ? 1 : 0))
        return share
    }
}

extension Endpoint {
    /// The value of the `Host` field (RFC 9110, 7.2): the port only where it is not the scheme's
    /// own. Of the configuration alone, never of anything that a client sent (FRAMING 1.4).
    public var authority: String {
        port == (isTLS ? 443 : 80) ? hostBeforePort : description
    }

    /// The address by which the origin may refer to itself.
    package var site: SiteAddress { SiteAddress(isTLS: isTLS, host: hostBeforePort, port: port) }
}
