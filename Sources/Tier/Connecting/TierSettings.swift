import EventLoop

/// The operator's settings of the shared tier.
package struct TierSettings: Sendable {
    /// Engines in the order in which they are tried; the one that is a master is used. At least
    /// one.
    package var endpoints: [Endpoint]
    /// The name of the ACL's user; nil for the default one.
    package var user: [UInt8]?
    /// Nil where the engine asks for none. Plain bytes: they are sent with every greeting.
    package var password: [UInt8]?
    /// A PEM file with the authorities of `rediss:`; nil for the machine's.
    package var trustAnchorsFile: String?
    /// From handing over a pipeline to its last reply, waiting for the connection included, where
    /// the call does not say otherwise; and for the greeting of a new connection.
    package var timeout: Duration = .milliseconds(50)
    /// Which node this is, among those that share the tier.
    var nodeName: String
    /// Beginning of every key, so that several installations can share one engine.
    var keyPrefix: String
    /// Limits of each connection, which operators cannot change.
    var limits = SessionLimits()

    /// The defaults, without credentials.
    package init(endpoints: [Endpoint], nodeName: String, keyPrefix: String = "refrain:") {
        precondition(!endpoints.isEmpty, "a tier is somewhere")
        (self.endpoints, self.nodeName, self.keyPrefix) = (endpoints, nodeName, keyPrefix)
    }
}

/// The places alone: whatever prints the settings must not show the password.
extension TierSettings: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { endpoints.map(\.description).joined(separator: ",") }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}

/// Every bound on a connection to the engine that is not the operator's to set, in one table; each
/// is tested at the limit and one above.
struct SessionLimits: Sendable {
    /// Pipelines that wait for a connection or for their replies. Per loop.
    var maxPipelines = 1024
    /// Bytes of their commands.
    var maxBytes = 16 << 20
    /// The most by which a large reply that keeps coming postpones deadlines.
    var flowTime: Duration = .seconds(1)
    /// From the decision to dial an engine to an open connection: resolving, TCP and TLS.
    var dialTimeout: Duration = .seconds(1)
    /// How often nodes of a cluster may name another owner before one has answered.
    var maxMoves = 5
    /// The first pause, after all engines were tried or a connection was lost; it doubles with each
    /// further round that fails.
    var backoff: Duration = .milliseconds(100)
    var maxBackoff: Duration = .seconds(1)
}
