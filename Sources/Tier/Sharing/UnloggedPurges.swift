import Purging
import Store

/// A purge that this node has done without having read it in the log.
struct UnloggedPurge: Sendable, Equatable {
    let number: Int
    let record: PurgeRecord
    /// The purge's place in the log; nil where it is not known to be there.
    var position: LogPosition?
}

/// The purges asked for here, in their order, until they are read in the log.
struct UnloggedPurges: Sendable {
    /// The most that are remembered, and bytes of their conditions: those beyond are one purge of
    /// everything.
    static let (mostCount, mostBytes) = (4_096, 4 << 20)

    /// Bytes of conditions after which no other purge is written to the log at once.
    private static let mostBytesAtOnce = 256 << 10

    private(set) var all: [UnloggedPurge] = []
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

    /// Purges that are to be written to the log: it has no place for them, or was read to beyond it
    /// without them. One that is in the log and not read yet is waited for: each copy would be
    /// another purge of every node. The first of them, not more than go into the log at once: those
    /// beyond the bound of bytes would not get through a slow link in the time that a reply has.
    func lacking(inLogReadTo position: LogPosition) -> [UnloggedPurge] {
        var bytes = 0
        let purges = all.lazy.filter { $0.position.map { $0 <= position } ?? true }.prefix(256)
        return Array(
            purges.prefix { purge in
                defer { bytes += purge.record.selection.byteCount }
                return bytes < Self.mostBytesAtOnce
            })
    }

    /// The log may lack those that it had.
    mutating func forgetPlaces() {
        for index in all.indices { all[index].position = nil }
    }

    /// Notes the place of a purge that was written to the log.
    mutating func written(_ number: Int, at position: LogPosition) {
        for index in all.indices where all[index].number == number { all[index].position = position }
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
