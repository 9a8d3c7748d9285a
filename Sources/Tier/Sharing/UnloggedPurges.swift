import EventLoop
import Store

/// A purge that this node has done without having read it in the log.
struct UnloggedPurge: Sendable, Equatable {
    let number: Int
    let record: PurgeRecord
    /// Its place in the log; nil where it is not known to be there.
    var position: LogPosition?

    /// Whether a log that was read up to `end` may yet bring it.
    fileprivate func isAwaited(beyond end: LogPosition) -> Bool { position.map { $0 > end } ?? false }
}

/// All of them, in their order, until they are read in the log.
struct UnloggedPurges: Sendable {
    /// The most that are remembered, and bytes of their conditions: those beyond are one purge of
    /// everything.
    static let (mostCount, mostBytes) = (4_096, 4 << 20)

    /// The most that are written to the log at once.
    private static let mostAtOnce = 256

    private(set) var all: [UnloggedPurge] = []
    /// When some were last written to the log.
    private var lastWriting: Instant?
    private var byteCount = 0

    /// Remembers one. Where there is no room for it, it and the latest before it become one soft
    /// purge of everything, which the log has not seen.
    /// - Returns: whether that is so.
    mutating func add(_ number: Int, _ record: PurgeRecord, at position: LogPosition?) -> Bool {
        let bytes = record.selection.byteCount
        guard all.count >= Self.mostCount || byteCount + bytes > Self.mostBytes else {
            all.append(UnloggedPurge(number: number, record: record, position: position))
            byteCount += bytes
            return false
        }
        let last = all.popLast()?.record
        byteCount -= last?.selection.byteCount ?? 0
        let everything = PurgeRecord(
            selection: EntrySelection(), mode: .soft, at: max(record.at, last?.at ?? 0), node: record.node)
        all.append(UnloggedPurge(number: number, record: everything))
        return true
    }

    /// Those to be written to a log that was read up to `end`, if `pace` has passed since the last:
    /// those without a place, and those that were not at theirs. A log that lost one without a new
    /// epoch is read beyond its place once another is written, after thirty times the pace.
    mutating func due(upTo end: LogPosition, each pace: Duration, now: Instant) -> ArraySlice<UnloggedPurge> {
        let pause = lastWriting.map { now - $0 } ?? pace * 30
        guard pause >= pace else { return [] }
        let due = (pause >= pace * 30 ? all : all.filter { !$0.isAwaited(beyond: end) }).prefix(Self.mostAtOnce)
        if !due.isEmpty { lastWriting = now }
        return due
    }

    /// The log may lack those that it had.
    mutating func forgetPlaces() {
        for index in all.indices { all[index].position = nil }
    }

    /// One was written to the log. A place that may yet be read stays: a log that is read more
    /// slowly than it is written to would never bring the latest.
    mutating func written(_ number: Int, at position: LogPosition, upTo end: LogPosition) {
        for index in all.indices where all[index].number == number && !all[index].isAwaited(beyond: end) {
            all[index].position = position
        }
    }

    /// The log was read at that place.
    /// - Returns: whether one of them was there.
    mutating func read(_ position: LogPosition) -> Bool {
        guard all.contains(where: { $0.position == position }) else { return false }
        all.removeAll { $0.position == position }
        byteCount = all.reduce(0) { $0 + $1.record.selection.byteCount }
        return true
    }
}
