import Synchronization

/// The targets that purges chose lately, and when: an answer for one of them is not built of parts
/// that are as old as the purge. A purge takes the answers that it chooses; the same resources in
/// others, which it did not choose, would bring back what it was to end.
///
/// The file keeps them for the next process (`StorePurged.swift`). Used from any thread.
final class PurgedTargets: Sendable {
    fileprivate struct State {
        /// By target; unix seconds.
        var exact: [[UInt8]: Int64] = [:]
        var wide: [(selection: EntrySelection, at: Int64)] = []
        /// Before that anything may have been purged: what is not remembered any more.
        var forgottenUntil = Int64.min
    }

    private let state = Mutex(State())
    /// Mostly nothing was purged, and nothing is locked then.
    private let isEmpty = Atomic<Bool>(true)

    fileprivate static let (mostExact, mostWide) = (16_384, 256)

    /// What is written down of a purge: one of several targets counts for all of them.
    struct Mark: Sendable {
        /// Empty: any.
        let target: [UInt8]
        /// Unix seconds.
        let at: Int64
    }

    /// Notes a purge.
    func note(_ purge: Purge) {
        guard let mark = Mark(purge) else { return }
        guard mark.target.isEmpty else { return note(mark) }
        state.withLock { state in
            state.wide.append((purge.selection, purge.now))
            if state.wide.count > Self.mostWide { state.forget(state.wide.removeFirst().at) }
        }
        isEmpty.store(false, ordering: .releasing)
    }

    /// Notes what was written down of one.
    func note(_ mark: Mark) {
        state.withLock { state in
            if mark.target.isEmpty { state.forget(mark.at) } else { state.note(mark.target, at: mark.at) }
        }
        isEmpty.store(false, ordering: .releasing)
    }

    /// What was purged before is not remembered, and counts for all targets; unix seconds.
    var forgottenUntil: Int64 { state.withLock { $0.forgottenUntil } }

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
    fileprivate mutating func note(_ target: [UInt8], at now: Int64) {
        guard now > exact[target] ?? .min else { return }
        exact[target] = now
        guard exact.count > PurgedTargets.mostExact else { return }
        // The older half at once: to look for the oldest takes as long.
        forget(exact.values.sorted()[exact.count / 2])
        exact = exact.filter { $0.value > forgottenUntil }
    }

    fileprivate mutating func forget(_ time: Int64) { forgottenUntil = max(forgottenUntil, time) }
}

extension PurgedTargets.Mark {
    /// Nil for a purge that leaves no parts.
    init?(_ purge: Purge) {
        let conditions = purge.selection.conditions
        guard purge.mode != .dryRun, !purge.selection.choosesAllParts else { return nil }
        if case .target(let target) = conditions[0], conditions.count == 1 {
            self.init(target: target, at: purge.now)
        } else {
            self.init(target: [], at: purge.now)
        }
    }
}

extension EntrySelection {
    /// Whether all answers are among the chosen that have what they have: of everything, or of a
    /// resource wherever it stands.
    package var choosesAllParts: Bool {
        conditions.allSatisfy { if case .resource = $0 { true } else { false } }
    }

    /// Whether an answer of the origin's to such a request may be among the chosen: nobody knows
    /// which resources it would have.
    package func chooses(_ target: [UInt8], storefront: [UInt8], classTag: UInt8) -> Bool {
        conditions.allSatisfy { condition in
            switch condition {
            case .target(let chosen): chosen == target
            case .prefix(let prefix): target.starts(with: prefix)
            case .pattern(let pattern): pattern.matches(target)
            case .storefront(let chosen): chosen == storefront
            case .classTag(let chosen): chosen == classTag
            case .resource: true
            }
        }
    }
}
