import Cache
import Purging

/// All purges and all answers of several nodes, nothing forgotten: what a node may use, and what it
/// must be able to use. Times are steps of a test.
struct PurgeModel {
    struct Purge {
        let selection: EntrySelection
        let asked: Int
        /// On which nodes it is answered: no older answer may be used there.
        var nodes: Set<String>
        /// When it was last done anywhere; nil: it may still be on its way.
        var ended: Int?
        /// Whether nodes that have not read it hear of it.
        var isLost = false
    }

    var purges: [Purge] = []

    /// Whether a node may not use an answer whose fetch began then, for itself or another target.
    func forbids(_ begun: Int, on node: String, _ chooses: (EntrySelection) -> Bool) -> Bool {
        purges.contains { $0.asked > begun && $0.nodes.contains(node) && chooses($0.selection) }
    }

    /// Whether no purge that was under way then or since chose it: it is as if there were none.
    func permits(_ begun: Int, _ chooses: (EntrySelection) -> Bool) -> Bool {
        !purges.contains { $0.ended.map { $0 > begun } ?? true && chooses($0.selection) }
    }

    /// All nodes have applied the log, and it has all purges that are not lost.
    mutating func settle(_ nodes: [String], at now: Int) {
        for index in purges.indices where purges[index].ended == nil {
            if !purges[index].isLost { purges[index].nodes.formUnion(nodes) }
            purges[index].ended = now
        }
    }
}
