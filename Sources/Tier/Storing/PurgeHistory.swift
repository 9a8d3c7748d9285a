import Cache
import Purging
import Store

// The purges of the log that this node knows of, and their verdict on a value of the tier: an
// answer that another node fetched, maybe before one of them.
// Must hold: a value is tested against exactly the purges beyond its log mark; purges that are no
// longer known count as purges of everything; the memory is bounded.

/// The latest purges by their ids: of single targets some 40,000.
///
/// A value is taken only while this knows all purges up to the node's position
/// (`PurgeLogState.mayTake`). Those beyond find the answer in the node's own cache.
package struct PurgeHistory: Sendable {
    private struct Entry: Sendable {
        let position: LogPosition
        let selection: EntrySelection
    }

    /// Index of a purge: the narrowest of its conditions.
    private enum Handle: Hashable, Sendable {
        case target([UInt8])
        case resource(UInt64)
        case other
    }

    private let epoch: LogEpoch
    /// A value with an earlier log mark may have been chosen by a purge that is not known.
    private(set) var forgottenUntil: LogPosition
    /// In the order of their positions.
    private var entries: [Handle: [Entry]] = [:]
    /// All purges in the same order, with the bytes of each. The number is the least of its own in
    /// this node's list (`PurgeList`) and those of all later ones: a purge may be known there from
    /// an earlier life.
    private var order: [(position: LogPosition, handle: Handle, byteCount: Int, number: Int64)] = []
    private var byteCount = 0
    private var last = LogPosition.start

    /// Most bytes of memory.
    package static let mostBytes = 16 << 20
    /// Bytes of a purge besides those that it names: its places in `entries` and `order`, and
    /// the heads of four arrays.
    static let purgeBytes = 336
    private let mostBytes: Int

    /// One that knows nothing. `forgottenUntil` is the first id that the log still has, where it
    /// does not have all that it ever had.
    init(
        _ epoch: LogEpoch, forgottenUntil: LogPosition = .start, mostBytes: Int = PurgeHistory.mostBytes
    ) {
        (self.epoch, self.forgottenUntil, self.mostBytes) = (epoch, forgottenUntil, mostBytes)
    }

    var count: Int { order.count }

    /// Notes a purge. One that is not beyond the last is known.
    /// - Parameter number: not above that of the purge in this node's list.
    mutating func note(_ record: PurgeRecord, at position: LogPosition, as number: Int64) {
        guard position > last else { return }
        last = position
        let handle = Self.handle(record.selection)
        entries[handle, default: []].append(Entry(position: position, selection: record.selection))
        for index in order.indices.reversed() {
            guard order[index].number > number else { break }
            order[index].number = number
        }
        order.append((position, handle, Self.purgeBytes + record.selection.byteCount, number))
        byteCount += Self.purgeBytes + record.selection.byteCount
        while byteCount > mostBytes { forgetHalf() }
    }

    /// Whether a purge beyond the log mark chose the answer of a value, as far as can be known. A
    /// soft one counts like any other: stale answers are not taken from other nodes.
    func isPurged(_ response: StoredResponse, since logMark: LogMark) -> Bool {
        isPurged(since: logMark, under: { handles(of: response) }, by: { $0.chooses(response) })
    }

    /// Whether a purge beyond the log mark chose the answer to such a request, so that no older
    /// answer may be used for it.
    func isPurged(_ target: [UInt8], storefront: [UInt8], classTag: UInt8, since logMark: LogMark) -> Bool {
        isPurged(
            since: logMark, under: { [.other, .target(target)] },
            by: { $0.chooses(target, storefront: storefront, classTag: classTag) })
    }

    /// The number of this node's list under which a value with that log mark was born: that of the
    /// last purge up to the mark; 0 where none is known.
    func born(at logMark: LogMark) -> Int64 {
        let next = Self.firstBeyond(logMark.position, in: order, \.position)
        return next > 0 ? order[next - 1].number : 0
    }

    private func isPurged(
        since logMark: LogMark, under handles: () -> [Handle], by chooses: (EntrySelection) -> Bool
    ) -> Bool {
        guard logMark.epoch == epoch, logMark.position >= forgottenUntil else { return true }
        guard last > logMark.position else { return false }
        return handles().contains { handle in
            guard let found = entries[handle] else { return false }
            return found[Self.firstBeyond(logMark.position, in: found, \.position)...].contains {
                chooses($0.selection)
            }
        }
    }

    private static func handle(_ selection: EntrySelection) -> Handle {
        for case .target(let target) in selection.conditions { return .target(target) }
        // One that is narrower counts for requests too (`isPurged`), which name no resources.
        guard selection.leavesNoParts else { return .other }
        for case .resource(let number) in selection.conditions { return .resource(number) }
        return .other
    }

    /// The handles of the purges that may choose it.
    private func handles(of response: StoredResponse) -> [Handle] {
        let narrow = [.other, Handle.target(Array(response.key.target))]
        guard response.resources.last == StoredResponse.everyResource else {
            return narrow + response.resources.map { .resource($0) }
        }
        return narrow + entries.keys.filter { if case .resource = $0 { true } else { false } }
    }

    private static func firstBeyond<Element>(
        _ logMark: LogPosition, in entries: [Element], _ position: (Element) -> LogPosition
    ) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if position(entries[middle]) <= logMark { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// A half at once, so that the rest is not moved for each.
    private mutating func forgetHalf() {
        let half = max(order.count / 2, 1)
        let until = order[half - 1].position
        for handle in Set(order[..<half].map(\.handle)) {
            let rest = entries[handle]?.filter { $0.position > until } ?? []
            entries[handle] = rest.isEmpty ? nil : rest
        }
        byteCount -= order[..<half].reduce(0) { $0 + $1.byteCount }
        order.removeFirst(half)
        forgottenUntil = max(forgottenUntil, until)
    }
}
