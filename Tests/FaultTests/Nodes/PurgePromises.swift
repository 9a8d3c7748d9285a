import Purging
import Synchronization

/// The promises that purges have made for each node, and the node's port.
///
/// A purge that is in the log is promised for good by each node that the report does not list as
/// missing, where the report counts all of them. A node that was missing gives the promise when it
/// has caught up; where the log was lost meanwhile, a hard purge is a soft one for it. A purge that
/// the engine did not take is promised by the node that was asked, for as long as its process
/// lives.
final class PurgePromises: Sendable {
    /// The least versions of an album that a node may serve.
    struct Floor: Sendable, Equatable {
        /// Fresh or stale.
        var any = 1
        var fresh = 1

        mutating func raise(to version: Int, isHard: Bool) {
            fresh = max(fresh, version)
            if isHard { any = max(any, version) }
        }
    }

    struct Purge: Sendable {
        /// The new versions, by album.
        let versions: [Int: Int]
        var isHard: Bool
    }

    /// How a node is reached, and which promises hold for it at one moment.
    struct Visit: Sendable {
        let port: Int
        let floor: Floor
    }

    private struct Node {
        /// Nil while its process is away.
        var port: Int?
        var isStopped = false
        var kept: [Int: Floor] = [:]
        var ofProcess: [Int: Floor] = [:]
        var missed: [Purge] = []

        mutating func keep(_ purge: Purge) {
            for (album, version) in purge.versions {
                kept[album, default: Floor()].raise(to: version, isHard: purge.isHard)
            }
        }
    }

    private let nodes: Mutex<[Node]>

    init(nodes count: Int) { nodes = Mutex(Array(repeating: Node(), count: count)) }

    // MARK: Where nodes are

    func started(_ node: Int, at port: Int) { nodes.withLock { $0[node].port = port } }

    func killed(_ node: Int) {
        nodes.withLock { nodes in
            (nodes[node].port, nodes[node].isStopped, nodes[node].ofProcess) = (nil, false, [:])
        }
    }

    func stopped(_ node: Int, _ isStopped: Bool) { nodes.withLock { $0[node].isStopped = isStopped } }

    /// Nil where nothing can be asked there now.
    func visit(_ node: Int, _ album: Int) -> Visit? {
        nodes.withLock { nodes in
            let node = nodes[node]
            guard let port = node.port, !node.isStopped else { return nil }
            var floor = node.kept[album] ?? Floor()
            if let other = node.ofProcess[album] {
                floor = Floor(any: max(floor.any, other.any), fresh: max(floor.fresh, other.fresh))
            }
            return Visit(port: port, floor: floor)
        }
    }

    // MARK: Promises

    /// The node that was asked has done it.
    func done(_ purge: Purge, by node: Int, isLogged: Bool) {
        nodes.withLock { nodes in
            guard !isLogged else { return nodes[node].keep(purge) }
            for (album, version) in purge.versions {
                nodes[node].ofProcess[album, default: Floor()].raise(to: version, isHard: purge.isHard)
            }
        }
    }

    /// It is in the log, and the node is not known to have done it.
    func missed(_ purge: Purge, by node: Int) { nodes.withLock { $0[node].missed.append(purge) } }

    /// The node has done all that is in the log.
    func caughtUp(_ node: Int) {
        nodes.withLock { nodes in
            for purge in nodes[node].missed { nodes[node].keep(purge) }
            nodes[node].missed = []
        }
    }

    /// Notes that the purges in the log are lost, or may be.
    func logWasLost() {
        nodes.withLock { nodes in
            for node in nodes.indices {
                for purge in nodes[node].missed.indices { nodes[node].missed[purge].isHard = false }
            }
        }
    }
}
