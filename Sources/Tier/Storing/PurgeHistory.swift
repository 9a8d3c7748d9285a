import Cache

// The purges of the log that this node knows of, and what they mean for a value of the tier: an
// answer that another node fetched, maybe before one of them.
// Must hold: a value is tested against exactly the purges beyond its fence; what is not known any
// more counts as a purge of everything; the memory is bounded.

/// Purges by their ids, the latest 65,536 of them.
///
/// A value is taken only while this knows all purges up to where the node stands
/// (`PurgeLogState.mayTake`). Those beyond find the answer in the node's own cache.
package struct PurgeHistory: Sendable {
    /// What becomes of a value.
    package enum Fate: Sendable, Equatable {
        /// No purge beyond its fence chose it.
        case untouched
        /// It lost its freshness at that time, unix seconds.
        case stale(asOf: Int64)
        /// It is not to be used, or nobody can tell.
        case gone
    }

    private struct Entry: Sendable {
        let position: LogPosition
        let selection: EntrySelection
        let isHard: Bool
        let at: Int64
    }

    /// What a purge is found by: the narrowest of its conditions.
    private enum Handle: Hashable, Sendable {
        case target([UInt8])
        case resource(UInt64)
        case other
    }

    private let epoch: LogEpoch
    /// A value whose fence lies before that may have been chosen by a purge that is not known.
    package private(set) var forgottenUntil: LogPosition
    /// In the order of their positions.
    private var entries: [Handle: [Entry]] = [:]
    /// The same order, of all.
    private var order: [(position: LogPosition, handle: Handle)] = []
    private var last = LogPosition.start

    package static let mostPurges = 65_536
    private let most: Int

    /// One that knows nothing. `forgottenUntil` is the first id that the log still has, where it
    /// does not have all that it ever had.
    package init(_ epoch: LogEpoch, forgottenUntil: LogPosition = .start, most: Int = PurgeHistory.mostPurges) {
        (self.epoch, self.forgottenUntil, self.most) = (epoch, forgottenUntil, most)
    }

    package var count: Int { order.count }

    /// Notes a purge. One that is not beyond the last is known.
    package mutating func note(_ record: PurgeRecord, at position: LogPosition) {
        guard position > last else { return }
        last = position
        let handle = Self.handle(record.selection)
        entries[handle, default: []].append(
            Entry(position: position, selection: record.selection, isHard: record.mode == .hard, at: record.at))
        order.append((position, handle))
        if order.count > most { forgetHalf() }
    }

    /// What becomes of a value with this answer and this fence.
    package func fate(of response: StoredResponse, fence: LogMark) -> Fate {
        guard fence.epoch == epoch, fence.position >= forgottenUntil else { return .gone }
        guard last > fence.position else { return .untouched }
        var softened: Int64?
        for handle in handles(of: response) {
            guard let found = entries[handle] else { continue }
            for entry in found[Self.firstBeyond(fence.position, in: found)...] where entry.selection.matches(response) {
                if entry.isHard { return .gone }
                // What was stale already stays so: the first purge counts.
                softened = min(softened ?? .max, entry.at)
            }
        }
        // What a signpost leads to is softened itself.
        guard let softened, !response.isSignpost else { return .untouched }
        return .stale(asOf: softened)
    }

    /// Whether a purge beyond the fence chose what such a request asks for, so that no older answer
    /// may stand in for it.
    package func isPurged(_ target: [UInt8], storefront: [UInt8], classTag: UInt8, since fence: LogMark) -> Bool {
        guard fence.epoch == epoch, fence.position >= forgottenUntil else { return true }
        guard last > fence.position else { return false }
        return [.other, Handle.target(target)].contains { handle in
            guard let found = entries[handle] else { return false }
            return found[Self.firstBeyond(fence.position, in: found)...].contains {
                $0.selection.chooses(target, storefront: storefront, classTag: classTag)
            }
        }
    }
}

extension PurgeHistory {
    private static func handle(_ selection: EntrySelection) -> Handle {
        for case .target(let target) in selection.conditions { return .target(target) }
        for case .resource(let number) in selection.conditions { return .resource(number) }
        return .other
    }

    /// Under which handles purges lie that may choose it.
    private func handles(of response: StoredResponse) -> [Handle] {
        let narrow = [.other, Handle.target(Array(response.key.target))]
        guard response.resources.last == StoredResponse.everyResource else {
            return narrow + response.resources.map { .resource($0) }
        }
        return narrow + entries.keys.filter { if case .resource = $0 { true } else { false } }
    }

    private static func firstBeyond(_ fence: LogPosition, in entries: [Entry]) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].position <= fence { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// A half at once, so that what is left is not moved for each.
    private mutating func forgetHalf() {
        let half = order.count / 2
        let until = order[half - 1].position
        for handle in Set(order[..<half].map(\.handle)) {
            let rest = entries[handle]?.filter { $0.position > until } ?? []
            entries[handle] = rest.isEmpty ? nil : rest
        }
        order.removeFirst(half)
        forgottenUntil = max(forgottenUntil, until)
    }
}
