import Text

/// A node that shares the tier, as this one knows it.
package struct NodeState: Sendable, Equatable {
    package let name: String
    /// Address at which clients reach the node, as its operator wrote it.
    package let address: String
    /// Version of the program.
    package let version: String
    /// Whether it had applied all that was in the purge log when it said so last.
    package let isReady: Bool
    /// Purges that this node has read and that one has not applied: a lower bound, and 1024 at
    /// most. Nil where it follows another life of the log, or none yet.
    package let lag: Int?
    /// Seconds since it was last heard of, by the engine's clock; 0 for this node.
    package let lastSeen: Int
    /// Whether it was heard of so lately that it is taken to be up.
    package let isAlive: Bool
    package let isSelf: Bool
    /// Name of the origin that it asks; empty for a node of an earlier version.
    package let upstream: String
    /// Whether its version has other keys in the engine, so that it shares nothing with this one.
    var isIncompatible = false

    /// The state's name on all surfaces. Without an engine no node hears of others.
    package func words(in status: SharingStatus) -> String {
        if isIncompatible { return "incompatible (older version)" }
        return switch status.readiness {
        case .away: isSelf ? "engine away" : "unknown"
        case .catchingUp, .ready: isAlive ? isReady ? "ready" : "catching up" : "missing"
        }
    }
}

/// This node's identity among those that share the tier.
package struct NodeIdentity: Sendable {
    /// Name of a single node. Two processes under one name count as one node, and the log says so.
    let name: String
    /// Address at which clients reach the node, for people.
    let address: String
    /// Version of the program, for people.
    let version: String
    /// Number of this process.
    let process: Int32
    /// When it began, unix milliseconds: with `process` it tells this process from all others.
    let startedAt: Int64
    /// The process whose place this one takes, and which may still be there; 0 for none.
    let predecessor: Int32
    /// When that began, by its record: in containers many have one number. 0 where it has none.
    var predecessorStartedAt: Int64 = 0
    /// Name of the origin that it asks; empty where it does not say.
    var upstream: String
    /// The names that its clients want of the origin, in one line of a thousand bytes at most;
    /// empty where it does not say.
    var wanted = ""

    package init(
        name: String, address: String, version: String, process: Int32, startedAt: Int64, predecessor: Int32 = 0,
        upstream: String = ""
    ) {
        (self.name, self.address, self.version, self.upstream) = (name, address, version, upstream)
        (self.process, self.startedAt, self.predecessor) = (process, startedAt, predecessor)
    }
}

/// This node's knowledge of itself among the others at one moment.
package struct SharingStatus: Sendable, Equatable {
    /// `ready`: the node may be sent clients. In the others purges of other nodes may be missing.
    package var readiness = PurgeLogState.Readiness.away
    /// When it came to be `away`, unix seconds: the states of other nodes are as old as that.
    var awaySince: Int64?
    /// Another process that goes by this node's name, as people read it.
    package var namesake: String?
    /// The nodes heard of within a day, by name; this one is among them from the beginning.
    package var nodes: [NodeState] = []
    /// Purges that were read and are not applied yet.
    package var lag = 0
    /// This machine's clock less the engine's; nil before the engine has told its time.
    package var skew: Duration?
    /// Refusals of the engine that last, by kind.
    package var refusals: [LastingRefusal] = []

    package init() {}

    /// Nodes that are taken to be up, this one included.
    package var aliveCount: Int { nodes.count(where: \.isAlive) }

    /// The state's name on all surfaces, and what the engine refuses.
    package var words: String {
        let state =
            switch readiness {
            case .away: "engine away" + (awaySince.map { " since " + LogTime.rfc3339($0) } ?? "")
            case .catchingUp: "catching up with purges"
            case .ready: "ready"
            }
        return ([state] + refusals.map(\.text)).joined(separator: "; ")
    }
}
