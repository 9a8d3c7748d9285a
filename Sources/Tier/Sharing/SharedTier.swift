import HTTP
import Store
import Synchronization
import Text

/// The shared tier of the whole process: its place, the names of its keys, the known part of the
/// purge log, and counters. Each loop has a `TierClient` of its own.
package final class SharedTier: Sendable {
    package let settings: TierSettings
    package let keys: TierKeys
    /// The origin, to which fields that an older node has stored may refer; nil if unknown.
    let site: SiteAddress?
    package let knowledge = PurgeKnowledge()
    package let counters = TierCounters()
    /// Refusals of the engine on any connection of the process.
    package let refusals = SharedRefusalLog()
    private let warn: @Sendable (String) -> Void
    /// Logs a line, however often it comes.
    package let inform: @Sendable (String) -> Void

    /// Purpose of a connection.
    package enum Use: Sendable {
        /// Connection for the requests of one loop.
        case requests
        /// The purge log and the nodes; the budget.
        case node
    }

    private struct State {
        /// In the order in which they came.
        var connections: [(use: Use, status: TierStatus)] = []
        var lastLine = ""
        var origin = Origin.none
        var life = UInt64.random(in: .min ... .max)
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - site: of the origin that the nodes share.
    ///   - inform: gets a line, without its end, for each purge of another node.
    ///   - warn: gets one for each change between used and unusable.
    package init(
        _ settings: TierSettings, site: SiteAddress? = nil, inform: @escaping @Sendable (String) -> Void = { _ in },
        warn: @escaping @Sendable (String) -> Void
    ) {
        (self.settings, self.site) = (settings, site)
        keys = TierKeys(prefix: settings.keyPrefix)
        (self.inform, self.warn) = (inform, warn)
    }

    /// The present upstream.
    package var origin: Origin { state.withLock { $0.origin } }

    /// The upstream is this one from now on.
    package func use(_ origin: Origin) { state.withLock { $0.origin = origin } }

    /// State of its connections of one kind.
    package func connections(for use: Use) -> [TierStatus] {
        state.withLock { $0.connections.filter { $0.use == use }.map(\.status) }
    }

    /// A place for one more connection, which reports its status to the closure.
    package func observer(of use: Use) -> @Sendable (TierStatus) -> Void {
        let place = state.withLock { state in
            state.connections.append((use, TierStatus()))
            return state.connections.count - 1
        }
        return { [self] status in state.withLock { $0.connections[place].status = status } }
    }

    /// The life of this node's connections: another one as soon as any loop uses one that was made
    /// anew. `seen` is that loop's.
    func life(ofConnectionMade times: Int, seenAs seen: inout Int) -> UInt64 {
        defer { seen = times }
        let isNew = seen != times
        return state.withLock { state in
            if isNew { state.life = .random(in: .min ... .max) }
            return state.life
        }
    }

    /// Logs a line once, although every loop sees the same engine and may log it.
    package func log(_ line: String) {
        let isNew = state.withLock { state in
            defer { state.lastLine = line }
            return state.lastLine != line
        }
        if isNew { warn(line) }
    }
}

/// Counts of values that leaders found in the tier and left there, since the start, over all loops.
package struct TierCounters: ~Copyable, Sendable {
    package enum Name: Int, CaseIterable, Sendable {
        /// Questions of leaders, each with all its repetitions.
        case looks
        /// Answers that were used.
        case taken
        /// Answers that were composed from values that other nodes had fetched for other requests.
        case composed
        /// Waited while another node fetched the answer.
        case waited
        /// Answers that the engine has accepted.
        case put
        /// Answers that the engine has refused, or not confirmed.
        case putFailed
        /// Were there, and had been purged since, as far as could be known.
        case purged
        /// Were there, and of no use under this node's rules.
        case useless
        /// Named another key.
        case mismatched
        /// Were torn, changed, or nothing that a node has written.
        case damaged
        /// The tier did not answer, and the origin was asked at once.
        case unanswered
        /// Personal requests for which the tier did not confirm the stored answer.
        case unconfirmed

        private static let words = CaseWords<Self>(separator: "-")

        /// In `/stats` and `/metrics`.
        package var text: String { Self.words[self] }
    }

    private let cells = InlineArray<12, Atomic<Int>> { _ in Atomic<Int>(0) }

    init() { precondition(Name.allCases.count == 12, "one cell for each name") }

    package subscript(_ name: Name) -> Int { cells[name.rawValue].load(ordering: .relaxed) }

    package func count(_ name: Name) { cells[name.rawValue].wrappingAdd(1, ordering: .relaxed) }
}
