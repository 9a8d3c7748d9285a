import EventLoop
import Synchronization
import Text

/// The upstream budget of the process: `BudgetState` under one lock, for the gates of all loops.
///
/// The lock is held for one decision, which takes well below a microsecond; nothing is performed
/// under it.
public final class UpstreamBudget: Sendable {
    /// The budget's state at a moment.
    public struct Snapshot: Sendable, Equatable {
        /// Requests a second that may be sent, rounded up; nil for any number.
        public let rate: Int?
        /// Requests that have their turn.
        public let inFlight: Int
        /// Requests that wait for it.
        public let waiting: Int
    }

    fileprivate struct Shared {
        var state: BudgetState
        /// By lane: the ways to the loops' gates.
        var doors: [Confined<WeakLane>] = []
        /// Keeps the budget of many nodes, where there are many.
        var authority: BudgetAuthority?

        /// The ways to the loops of actions that are not this lane's.
        func doors(
            of actions: ActionList<BudgetState.Action>, outside lane: Int
        ) -> [(BudgetState.Action, Confined<WeakLane>)] {
            var foreign: [(BudgetState.Action, Confined<WeakLane>)] = []
            for index in actions.indices where actions[index].job.lane != lane {
                foreign.append((actions[index], doors[actions[index].job.lane]))
            }
            return foreign
        }

        /// The next question to the authority, once.
        mutating func takeCall() -> Call? {
            guard let authority, let (number, question) = state.rate.takeQuestion() else { return nil }
            return (authority, number, question)
        }
    }

    fileprivate typealias Call = (authority: BudgetAuthority, number: Int, question: BudgetQuestion)

    private let shared: Mutex<Shared>

    /// - Parameters:
    ///   - rate: requests a second that are never exceeded; nil: only the rate that 429s teach.
    ///   - maxWaiting: requests of all loops that wait for their turn at most.
    ///   - maxWaitingInBackground: how many of them may be ones that no client waits for.
    public init(rate: Int? = nil, maxWaiting: Int = 1024, maxWaitingInBackground: Int = 128) {
        precondition(rate ?? 1 > 0 && maxWaiting > 0 && maxWaitingInBackground > 0)
        let state = BudgetState(rate: rate, maxWaiting: maxWaiting, maxWaitingInBackground: maxWaitingInBackground)
        shared = Mutex(Shared(state: state))
    }

    /// From any thread.
    public var snapshot: Snapshot {
        shared.withLock { shared in
            Snapshot(
                rate: shared.state.rate.current.map { Int(clamping: $0.rounded(.up)) }, inFlight: shared.state.inFlight,
                waiting: shared.state.waitingCount)
        }
    }

    func addLane(_ lane: any BudgetLane, loop: EventLoop, connections: Int) -> Int {
        let door = Confined(WeakLane(lane: lane), to: loop)
        return shared.withLock { shared in
            let number = shared.state.addLane(connections: connections)
            if number < shared.doors.count { shared.doors[number] = door } else { shared.doors.append(door) }
            return number
        }
    }

    /// Another ceiling, in requests a second; the gates have to ask again
    /// (`UpstreamGate.reconsider`).
    package func limit(to rate: Int?) {
        shared.withLock { $0.state.rate.limit(to: rate) }
    }

    /// Another origin is asked from now on.
    package func forgetOrigin() {
        shared.withLock { $0.state.forgetOrigin() }
    }

    /// Asks the state something that starts nothing.
    func ask<R: Sendable>(_ question: (inout BudgetState) -> R) -> R {
        shared.withLock { question(&$0.state) }
    }

    /// Whether something waits for its turn.
    package var isContended: Bool {
        shared.withLock { $0.state.waitingCount > 0 }
    }

    /// Lets the state decide on an event of this lane; hands other lanes' actions to their loops.
    ///
    /// - Returns: the lane's own actions, and when the state wants to be asked again.
    func decide(
        for lane: Int, _ event: (inout BudgetState) -> ActionList<BudgetState.Action>
    ) -> (actions: ActionList<BudgetState.Action>, wakeAt: Instant?) {
        let (actions, foreign, wakeAt, call) = shared.withLock { shared in
            let actions = event(&shared.state)
            return (actions, shared.doors(of: actions, outside: lane), shared.state.wakeAt, shared.takeCall())
        }
        if let call { perform(call) }
        guard !foreign.isEmpty else { return (actions, wakeAt) }
        for (action, door) in foreign {
            door.execute { $0.lane?.perform(action) }
        }
        return (ActionList(of: actions.filter { $0.job.lane == lane }), wakeAt)
    }
}

// MARK: One budget for many nodes

extension UpstreamBudget {
    /// From now on the limit is that of all nodes that ask this authority, which must be told of
    /// `poll` every quarter of a second.
    package func share(with authority: @escaping BudgetAuthority) {
        shared.withLock { shared in
            shared.authority = authority
            shared.state.rate.share(phase: .random(in: 0..<1))
        }
    }

    /// Asks the authority for the limit, if no request has done so lately; finds it again after it
    /// was away.
    package func poll(now: Instant) {
        let call = shared.withLock { shared in
            shared.state.rate.poll(now: now)
            return shared.takeCall()
        }
        if let call { perform(call) }
    }

    /// A request has waited for the authority in vain: no other does, until a poll finds it again.
    package func lost(now: Instant) {
        reconsider(
            shared.withLock { shared in
                shared.state.rate.lost(now: now)
                return shared.state.waitingCount > 0 ? shared.doors : []
            })
    }

    /// Nodes that share the limit, as the authority said last; 1 where none do.
    package var nodes: Int { shared.withLock { $0.state.rate.nodes } }

    private func perform(_ call: Call) {
        call.authority(call.question) { [weak self] answer in
            self?.answered(answer, to: call.number, now: .now())
        }
    }

    private func answered(_ answer: BudgetAnswer?, to number: Int, now: Instant) {
        let (doors, call) = shared.withLock { shared in
            shared.state.rate.answered(answer, to: number, now: now)
            return (shared.state.waitingCount > 0 ? shared.doors : [], shared.takeCall())
        }
        reconsider(doors)
        if let call { perform(call) }
    }

    /// In a turn of its own: the gate may be performing something.
    private func reconsider(_ doors: [Confined<WeakLane>]) {
        for door in doors { door.execute { $0.lane?.reconsider() } }
    }
}

/// Performs the budget's actions for the requests of one loop: its gate.
protocol BudgetLane: AnyObject {
    func perform(_ action: BudgetState.Action)
    /// The budget may allow more than before.
    func reconsider()
}

/// A lane that the budget knows and does not keep alive.
private struct WeakLane {
    weak var lane: (any BudgetLane)?
}
