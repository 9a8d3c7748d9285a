import Synchronization
import Text

/// The shared tier as the whole process has it: where it is, what its keys are called, what is
/// known of the purge log, and what was found there. Each loop has a `TierClient` of its own.
package final class SharedTier: Sendable {
    package let settings: TierSettings
    package let keys: TierKeys
    package let knowledge = PurgeKnowledge()
    package let counters = TierCounters()
    private let warn: @Sendable (String) -> Void
    private let inform: @Sendable (String) -> Void

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
        var life = UInt64.random(in: .min ... .max)
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - inform: is told what other nodes had this one do, a line without its end.
    ///   - warn: is told of each change between used and unusable, likewise.
    package init(
        _ settings: TierSettings, inform: @escaping @Sendable (String) -> Void = { _ in },
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.settings = settings
        keys = TierKeys(prefix: settings.keyPrefix)
        (self.inform, self.warn) = (inform, warn)
    }

    /// State of its connections of one kind.
    package func connections(for use: Use) -> [TierStatus] {
        state.withLock { $0.connections.filter { $0.use == use }.map(\.status) }
    }

    /// A place for one more connection; what is returned is to be told of it.
    package func observer(of use: Use) -> @Sendable (TierStatus) -> Void {
        let place = state.withLock { state in
            state.connections.append((use, TierStatus()))
            return state.connections.count - 1
        }
        return { [self] status in state.withLock { $0.connections[place].status = status } }
    }

    /// In which life of this node's connections it is: another one as soon as any loop uses one
    /// that was made anew. `seen` is that loop's.
    func life(ofConnectionMade times: Int, seenAs seen: inout Int) -> UInt64 {
        defer { seen = times }
        let isNew = seen != times
        return state.withLock { state in
            if isNew { state.life = .random(in: .min ... .max) }
            return state.life
        }
    }

    /// All loops see the same engine: what several say one after the other is said once.
    package func log(_ line: String) {
        let isNew = state.withLock { state in
            defer { state.lastLine = line }
            return state.lastLine != line
        }
        if isNew { warn(line) }
    }

    /// Logs a line, however often it comes.
    package func note(_ line: String) { inform(line) }
}

/// Counts of values that leaders found in the tier and left there, since the start, over all loops.
package struct TierCounters: ~Copyable, Sendable {
    package enum Name: Int, CaseIterable, Sendable {
        /// Questions of leaders, each with all its repetitions.
        case looks
        /// Answers that were used.
        case taken
        /// Answers that were made of what other nodes had fetched for others.
        case composed
        /// Waited while another node fetched the answer.
        case waited
        /// Answers that were put there.
        case put
        /// Were there, and had been purged since, or nobody could tell.
        case purged
        /// Were there, and of no use under this node's rules.
        case useless
        /// Named another key.
        case mismatched
        /// Were torn, changed, or nothing that a node has written.
        case damaged
        /// The tier did not answer, and the origin was asked at once.
        case unanswered
        /// Personal requests of which the tier did not say whether what is stored still counts.
        case unconfirmed

        private static let words = CaseWords<Self>(separator: "-")

        /// In `/stats` and `/metrics`.
        package var text: String { Self.words[self] }
    }

    private let cells = InlineArray<11, Atomic<Int>> { _ in Atomic<Int>(0) }

    init() { precondition(Name.allCases.count == 11, "one cell for each name") }

    package subscript(_ name: Name) -> Int { cells[name.rawValue].load(ordering: .relaxed) }

    package func count(_ name: Name) { cells[name.rawValue].wrappingAdd(1, ordering: .relaxed) }
}
