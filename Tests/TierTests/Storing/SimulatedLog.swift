import Cache
import Purging

@testable import Tier

/// The state that all nodes share: the engine, the origin, and the promises.
struct SimulatedLog {
    static let targets = ["/a/1", "/a/2", "/b/1", "/b/2"]

    private(set) var epoch = LogEpoch(number: 1)
    private var entries: [(entry: PurgeLogEntry, isReplicated: Bool)] = []
    private(set) var last = LogPosition.start
    private var added = 0
    private var clock: UInt64 = 1_000
    /// The origin's current version, by target; it only grows.
    private(set) var versions: [String: Int] = [:]
    /// The least version that may be shown as fresh, by the purges that were acknowledged.
    private(set) var promised: [String: Int] = [:]
    /// Values that other nodes have put into the tier.
    var values: [String: (version: Int, logMark: LogMark)] = [:]

    mutating func change(_ target: String) { versions[target, default: 0] += 1 }

    /// The origin changes and a client purges; it is acknowledged if it is on the replica.
    mutating func purge(_ record: PurgeRecord, isReplicated: Bool) {
        let chosen = Self.targets.filter { record.selection.chooses(answer($0)) }
        for target in chosen { change(target) }
        last = max(LogPosition(clock, 0), LogPosition(last.milliseconds, last.sequence + 1))
        added += 1
        entries.append((PurgeLogEntry(last, record), isReplicated))
        guard isReplicated else { return }
        // The replica has everything before it, too.
        for index in entries.indices { entries[index].isReplicated = true }
        for target in chosen { promised[target] = versions[target] }
    }

    mutating func pass(_ milliseconds: UInt64) { clock += milliseconds }

    mutating func trim(_ count: Int) { entries.removeFirst(min(count, entries.count)) }

    mutating func flush(_ number: UInt64) {
        (entries, last, added, values) = ([], .start, 0, [:])
        epoch = LogEpoch(number: number)
    }

    /// The latest writes are lost; a replica has another epoch, and perhaps a slow clock.
    mutating func loseUnreplicated(inEpoch number: UInt64? = nil, clockLag: UInt64 = 0) {
        let kept = entries.lastIndex { $0.isReplicated }.map { $0 + 1 } ?? entries.startIndex
        guard kept < entries.count else { return }
        // In one epoch no id is given twice: the clock goes on.
        clock = max(clock, last.milliseconds) + 1
        last = kept > 0 ? entries[kept - 1].entry.position : last
        if kept == 0, added == entries.count { last = .start }
        added -= entries.count - kept
        entries.removeSubrange(kept...)
        if let number {
            epoch = LogEpoch(number: number)
            clock -= min(clockLag, clock)
        }
    }

    func page(after position: LogPosition, most: Int) -> PurgeLogPage {
        let beyond = entries.map(\.entry).filter { $0.position > position }
        return PurgeLogPage(
            epoch, first: entries.first?.entry.position, last: last, hasForgotten: added > entries.count,
            entries: Array(beyond.prefix(most)))
    }
}

/// A node: the state on its disk, and the state that ends with its process.
struct SimulatedNode {
    struct Copy {
        let version: Int
        let born: Int64
    }

    /// A fetch, or a look into the tier, that is under way.
    private struct Flight {
        let target: String
        let copy: Copy
        /// Set for a fetch, which goes to the tier, too.
        let logMark: LogMark?
    }

    private var kept: LogMark?
    private var purges = Purges()
    private(set) var copies: [String: Copy] = [:]

    private var state = PurgeLogState()
    private var knowledge = PurgeKnowledge()
    private var lastBreak: Int64 = 0
    private var known: Range<Int64> = 1..<1
    private var todo: [PurgeLogState.Action] = []
    private var flights: [Flight] = []
    private(set) var isConnected = false

    /// Whether it has applied all that the log has.
    func isCaughtUp(_ log: SimulatedLog) -> Bool {
        state.readiness == .ready && todo == [.wait] && state.logMark == LogMark(log.epoch, log.last)
    }

    /// - Parameter isEmpty: whether its file is lost, too.
    mutating func restart(isEmpty: Bool) {
        if isEmpty { (kept, purges, copies) = (nil, Purges(), [:]) }
        (state, knowledge, lastBreak) = (PurgeLogState(kept: kept), PurgeKnowledge(), 0)
        (todo, flights, isConnected) = ([], [], false)
    }

    mutating func connect() {
        guard !isConnected else { return }
        isConnected = true
        take(state.connected())
    }

    mutating func disconnect() {
        isConnected = false
        state.disconnected()
        todo.removeAll { if case .read = $0 { true } else { false } }
    }

    /// Takes the next step. `refuses`: whether the disk does.
    mutating func step(_ log: SimulatedLog, refuses: Bool) {
        guard !todo.isEmpty else { return }
        switch todo.removeFirst() {
        case .beginHistory, .note: break
        case .read(let position): take(state.read(log.page(after: position, most: 3)))
        case .apply(let entry):
            knowledge.note(entry.position, as: purges.newest + 1)
            purges.note(entry.record.selection, entry.record.mode)
            take(state.applied(succeeded: !refuses))
        case .makeAllStale:
            lastBreak = purges.note(EntrySelection(), .soft)
            take(state.madeStale(succeeded: !refuses))
        case .persist(let mark): kept = mark
        case .wait: take(state.woken())
        }
    }

    /// Changes of the history take effect at once, all else in its turn.
    private mutating func take(_ actions: [PurgeLogState.Action]) {
        for action in actions {
            switch action {
            case .beginHistory(let epoch, let until):
                knowledge.begin(epoch, forgottenUntil: until, in: purges)
                known = (lastBreak + 1)..<(purges.newest + 1)
            case .note(let entry):
                let (selection, mode) = (entry.record.selection, entry.record.mode)
                let number = purges.noteIfUnknown(selection, mode, among: known)
                if number >= known.upperBound { known = 1..<1 }
                knowledge.note(entry.position, as: number)
            default: todo.append(action)
            }
        }
        knowledge.move(to: state.logMark, mayTake: state.mayTake)
    }

    func isFresh(_ copy: Copy, of target: String) -> Bool {
        purges.verdict(on: answer(target), since: copy.born) == .untouched
    }

    mutating func beginFetch(_ target: String, _ log: SimulatedLog) {
        let copy = Copy(version: log.versions[target] ?? 0, born: purges.newest)
        flights.append(Flight(target: target, copy: copy, logMark: knowledge.logMark))
    }

    mutating func beginTaking(_ target: String, _ log: SimulatedLog) {
        guard isConnected, let value = log.values[target],
            let born = knowledge.born(TierValue(answer(target), logMark: value.logMark))
        else { return }
        let copy = Copy(version: value.version, born: born)
        flights.append(Flight(target: target, copy: copy, logMark: nil))
    }

    /// The oldest fetch or look ends.
    mutating func land(_ log: inout SimulatedLog) {
        guard !flights.isEmpty else { return }
        let flight = flights.removeFirst()
        copies[flight.target] = flight.copy
        if let logMark = flight.logMark, isConnected { log.values[flight.target] = (flight.copy.version, logMark) }
    }
}
