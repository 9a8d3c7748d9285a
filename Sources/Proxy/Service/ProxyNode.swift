import Cache
import Compose
import EventLoop
import Purging
import Store
import Synchronization
import Tier
import Upstream

/// This process as one of the nodes that share a tier: it follows the purge log, tells the others
/// of purges and of itself, and has one upstream budget with them. It does so on a loop of its own;
/// what requests ask of the tier goes by connections of their own loops. From any thread.
public final class ProxyNode: Sendable {
    /// Members confined to the loop.
    private struct Parts {
        let follower: LogFollower
        let budget: SharedBudget
        /// The budget's.
        let connection: TierConnection

        func close() {
            follower.close()
            budget.stop()
            connection.close()
        }
    }

    package let tier: SharedTier
    private let board = SharingBoard()
    private let loop: EventLoop
    private let parts: Confined<Parts>
    private let began: Instant
    private let library: PresentLibrary

    /// Holds the library in use, for the node's loop.
    private final class PresentLibrary: Sendable {
        let library: Mutex<ResourceLibrary>

        init(_ library: ResourceLibrary) { self.library = Mutex(library) }

        var wishes: LogFollower.Wishes {
            LogFollower.Wishes {
                self.library.withLock { $0 }.growth.announcement()
            } heed: { lines in
                self.library.withLock { $0 }.growth.heed(lines)
            }
        }
    }

    /// How long a node that has just begun waits for an engine before it does without.
    private static let patience = Duration.seconds(10)

    /// Begins to follow the log.
    /// - Parameter tier: that of `shared`.
    package init(_ tier: SharedTier, _ identity: NodeIdentity, _ shared: SharedStores) throws(SystemError) {
        let loop = try EventLoop(label: "refrain.tier")
        (self.tier, self.loop) = (tier, loop)
        began = Instant.now()
        library = PresentLibrary(shared.library)
        parts = loop.sync { [board, library] in
            let connection = TierConnection(
                tier.settings, loop: loop, observe: tier.observer(of: .node), refusals: tier.refusals
            ) { tier.log($0) }
            let follower = LogFollower(
                tier.settings, identity, cache: shared.cache, knowledge: tier.knowledge, board: board,
                wishes: library.wishes, loop: loop,
                observe: tier.observer(of: .node), refusals: tier.refusals, inform: tier.inform
            ) { tier.log($0) }
            let budget = SharedBudget(
                shared.budget, over: connection, tier.settings, at: { tier.origin.tag }, nodes: shared.nodes,
                loop: loop)
            return Confined(Parts(follower: follower, budget: budget, connection: connection), to: loop)
        }
    }

    /// The state of this node, and of the others.
    package var status: SharingStatus {
        var status = board.status
        status.refusals = tier.refusals.lasting
        return status
    }

    /// Whether clients may be sent here: everything that was purged elsewhere is purged here too.
    /// An engine that is away keeps them off for the first ten seconds alone, and not from a node
    /// that was ready before; a purge then reports this node as missing.
    public var isReady: Bool {
        switch board.status.readiness {
        case .ready: true
        case .catchingUp: false
        case .away: board.hasBeenReady || Instant.now() - began >= Self.patience
        }
    }

    /// Purges this node and all others: see `LogFollower.purge`.
    package func purge(
        _ selection: EntrySelection, _ mode: PurgeMode, durable: (@Sendable (PurgeReport) -> Void)? = nil,
        _ completion: @escaping @Sendable (PurgeReport) -> Void
    ) {
        parts.execute { $0.follower.purge(selection, mode, durable: durable, completion) }
    }

    /// The upstream is another one from now on, or the same: with nodes of others this one shares
    /// nothing but purges.
    /// - Parameter shared: those with which requests are answered from now on.
    public func use(_ shared: SharedStores, of origin: Origin) {
        tier.use(origin)
        parts.execute { [library] in
            // On the loop: no names of nodes of another origin come between the two.
            library.library.withLock { $0 = shared.library }
            $0.follower.use(origin)
        }
    }

    /// Follows the log no more, because another process goes on under this node's name: it has this
    /// one forget all that is purged.
    public func stopFollowing() {
        parts.execute { $0.follower.close() }
    }

    /// Leaves the others for good.
    /// - Parameter isReplaced: whether another process goes on under this node's name.
    public func stop(isReplaced: Bool = false, _ completion: @escaping @Sendable () -> Void) {
        parts.execute { [loop] parts in
            guard !isReplaced else { return Self.end(parts, loop, completion) }
            parts.follower.leave { Self.end(parts, loop, completion) }
        }
    }

    private static func end(_ parts: Parts, _ loop: EventLoop, _ completion: @escaping @Sendable () -> Void) {
        parts.close()
        loop.stop(completion)
    }
}
