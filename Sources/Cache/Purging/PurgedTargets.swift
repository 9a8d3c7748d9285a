import EventLoop
import Purging
import Store
import Synchronization

/// The targets that purges chose lately, and when: an answer for one of them is not built of parts
/// that are as old as the purge. A purge takes the answers that it chooses; the same resources in
/// other answers, which it did not choose, would bring the purged state back.
///
/// A purge of everything removes no entry here, though nothing older is left: the log that nodes
/// share still has these purges, and their times must not change with a restart.
///
/// The file keeps them for the next process (`StoreMark`). Used from any thread.
final class PurgedTargets: Sendable {
    fileprivate struct State {
        /// By target; unix seconds.
        var exact: [[UInt8]: Int64] = [:]
        var exactBytes = 0
        var wide: [(selection: EntrySelection, at: Int64)] = []
        /// Anything may have been purged before that, because it is no longer remembered.
        var forgottenUntil = Int64.min
        /// The wall clock less the monotonic one, in seconds: the least since the last look.
        var clock: Int64?
    }

    private let state = Mutex(State())
    /// Mostly nothing was purged, and nothing is locked then.
    private let isEmpty = Atomic<Bool>(true)

    fileprivate static let (mostExact, mostWide) = (16_384, 256)
    /// The bytes of targets; there are few selections.
    fileprivate static let mostExactBytes = 4 << 20
    /// A mark that is further in the future was written while the clock was ahead.
    static let tolerance: Int64 = 60

    /// Notes a purge.
    func note(_ purge: Purge) {
        cap(at: purge.now)
        if let target = purge.markedTarget { note(target, at: purge.now) }
        noteClock(at: purge.now)
    }

    /// Notes a purge that was done elsewhere, unless it is known. Thousands may come in a row: it
    /// does not go through the others.
    /// - Returns: the time as of which it counts, where it leaves parts, and the mark to write.
    func remember(_ purge: Purge) -> (time: Int64, mark: StoreMark?) {
        guard let target = purge.markedTarget else { return (purge.now, nil) }
        let known = state.withLock { $0.time(of: purge.selection) }
        guard known == .min else { return (known, nil) }
        note(target, at: purge.now)
        noteClock(at: purge.now)
        return (purge.now, StoreMark(table: .purged, key: target, value: .time(purge.now)))
    }

    private func noteClock(at now: Int64) {
        let clock = Self.clock(at: now)
        state.withLock { $0.clock = min($0.clock ?? clock, clock) }
    }

    private static func clock(at now: Int64) -> Int64 { now &- Instant.now().nanoseconds / 1_000_000_000 }

    /// Notes a purge from its mark. A mark that cannot be understood counts for all targets.
    /// - Parameters:
    ///   - target: or a selection in words (`EntrySelection.words`); empty: any target.
    ///   - time: unix seconds.
    func note(_ target: [UInt8], at time: Int64) {
        state.withLock { state in
            if target.first == UInt8(ascii: "/") {
                state.note(target, at: time)
            } else if let selection = EntrySelection(words: target) {
                state.note(selection, at: time)
            } else {
                state.forget(time)
            }
        }
        isEmpty.store(false, ordering: .releasing)
    }

    /// The marks to write after a purge that has gone through the file.
    func marks(of purge: Purge) -> [StoreMark] {
        guard let target = purge.markedTarget else { return [] }
        let mark = StoreMark(table: .purged, key: target, value: .time(purge.now))
        let forgottenUntil = forgottenUntil
        if forgottenUntil == .min { return [mark] }
        return [mark, StoreMark(table: .purged, key: [], value: .time(forgottenUntil))]
    }

    /// Purges up to then are not remembered, and count for all targets; unix seconds.
    var forgottenUntil: Int64 { state.withLock { $0.forgottenUntil } }

    /// Ends times in the future: the clock was ahead. How many.
    @discardableResult
    func cap(at now: Int64) -> Int {
        guard now < .max - Self.tolerance, !isEmpty.load(ordering: .acquiring) else { return 0 }
        noteClock(at: now)
        return state.withLock { $0.cap(at: now) }
    }

    /// To be called before receipts are compared with purges by the wall clock, which says `now`.
    /// Where the clock was set ahead since the last call, an answer from before a purge may seem
    /// younger than the purge: from then on the purge counts for all targets, and as of now.
    /// - Returns: the mark to write for that.
    func heed(clock now: Int64) -> StoreMark? {
        if isEmpty.load(ordering: .acquiring) { return nil }
        let clock = Self.clock(at: now)
        return state.withLock { state in
            defer { state.clock = clock }
            guard let last = state.clock, clock &- last > Self.tolerance else { return nil }
            state.forget(now)
            return StoreMark(table: .purged, key: [], value: .time(now))
        }
    }

    /// When the target was purged last, in unix seconds; `Int64.min` where it was not.
    func lastPurge(
        of target: @autoclosure () -> [UInt8], storefront: @autoclosure () -> [UInt8], classTag: UInt8
    ) -> Int64 {
        if isEmpty.load(ordering: .acquiring) { return .min }
        let (target, storefront) = (target(), storefront())
        return state.withLock { state in
            var last = max(state.forgottenUntil, state.exact[target] ?? .min)
            for (selection, time) in state.wide where time > last {
                if selection.chooses(target, storefront: storefront, classTag: classTag) { last = time }
            }
            return last
        }
    }
}

extension PurgedTargets.State {
    /// As of when such a purge counts, be it that all older ones do; `Int64.min`: it is not known.
    fileprivate func time(of selection: EntrySelection) -> Int64 {
        let known = selection.onlyTarget.map { exact[$0] } ?? wide.first { $0.selection == selection }?.at
        return max(forgottenUntil, known ?? .min)
    }

    fileprivate mutating func note(_ target: [UInt8], at now: Int64) {
        guard now > exact[target] ?? .min else { return }
        if exact.updateValue(now, forKey: target) == nil { exactBytes += target.count }
        guard exact.count > PurgedTargets.mostExact || exactBytes > PurgedTargets.mostExactBytes else { return }
        // The older half at once: to look for the oldest takes as long.
        forget(exact.values.sorted()[exact.count / 2])
        exact = exact.filter { $0.value > forgottenUntil }
        exactBytes = exact.keys.reduce(0) { $0 + $1.count }
    }

    fileprivate mutating func note(_ selection: EntrySelection, at now: Int64) {
        // Marks of the file come again whenever it is opened.
        if wide.contains(where: { $0.selection == selection && $0.at >= now }) { return }
        wide.removeAll { $0.selection == selection }
        wide.append((selection, now))
        if wide.count > PurgedTargets.mostWide { forget(wide.removeFirst().at) }
    }

    fileprivate mutating func cap(at now: Int64) -> Int {
        let limit = now + PurgedTargets.tolerance
        var count = 0
        func capped(_ time: Int64) -> Int64 {
            guard time > limit else { return time }
            count += 1
            return now
        }
        forgottenUntil = capped(forgottenUntil)
        for index in wide.indices { wide[index].at = capped(wide[index].at) }
        for (target, time) in exact where time > limit { exact[target] = capped(time) }
        return count
    }

    fileprivate mutating func forget(_ time: Int64) { forgottenUntil = max(forgottenUntil, time) }
}

extension Purge {
    /// The target, or the selection in words, of its mark; nil for a purge that leaves no parts.
    fileprivate var markedTarget: [UInt8]? {
        guard mode != .dryRun, !selection.choosesAllParts else { return nil }
        return selection.onlyTarget ?? selection.words
    }
}

extension EntrySelection {
    /// Whether it leaves no answer with the purged content: it chooses everything, or a resource in
    /// any answer.
    package var choosesAllParts: Bool {
        conditions.allSatisfy { condition in
            switch condition {
            case .resource: true
            case .target, .prefix, .pattern, .storefront, .classTag: false
            }
        }
    }

    /// Whether the origin's answer to such a request may be among the chosen. Its resources are not
    /// known yet.
    package func chooses(_ target: [UInt8], storefront: [UInt8], classTag: UInt8) -> Bool {
        chooses(AnswerToCome(target: target, storefront: storefront, classTag: classTag))
    }

    /// The target, where it is the only condition.
    fileprivate var onlyTarget: [UInt8]? {
        if conditions.count == 1, case .target(let target) = conditions[0] { target } else { nil }
    }
}

/// An answer that the origin may give.
private struct AnswerToCome: Selectable {
    let target: [UInt8]
    let storefront: [UInt8]
    let classTag: UInt8

    func answers(_ test: ([UInt8]) -> Bool) -> Bool { test(target) }
    func mayBeOfClass(_ tag: UInt8) -> Bool { tag == classTag }
    func mayName(_ resource: UInt64) -> Bool { true }
    var named: [UInt64]? { nil }
}
