/// Result of a purge that all nodes were told of.
package struct PurgeReport: Sendable, Equatable {
    /// Number of the engine's replicas that have it.
    package enum Replication: Sendable, Equatable {
        /// At least one replica has it: it outlives the engine.
        case acknowledged
        /// There is none.
        case noReplica
        /// None of those that there are has said so in time.
        case missed
        /// It is not known to be in the log: the engine did not take it, or did not answer.
        case unlogged
    }

    /// A node that is not known to have applied it.
    package struct MissingNode: Sendable, Equatable {
        package let name: String
        /// Seconds since it was last heard of, by the engine's clock.
        package let lastSeen: Int
    }

    /// How many answers it chose on this node; nil where its disk refused (`ResponseCache.purge`).
    package let purged: Int?
    package let replication: Replication
    /// The others that are not known to have applied it, by name. Those that come back apply it
    /// before they are ready; an `unlogged` one only once the engine has taken it after all.
    package let missing: [MissingNode]
    /// Number of nodes that were heard of within a day, this one included; nil where the engine has
    /// never said which there are.
    package let nodes: Int?
    /// Whether other nodes will be told of a soft purge of everything in place of this one, because
    /// too many purges wait for the engine.
    package var isWidened = false

    /// Nodes that have applied it, this one included; nil where their number is not known.
    package var reached: Int? { nodes.map { $0 - missing.count } }
    /// Whether it outlives the engine.
    package var replicated: Bool { replication == .acknowledged }
}
