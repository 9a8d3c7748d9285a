/// The effect on something of the purges since it was born.
public enum PurgeVerdict: Sendable, Equatable {
    /// None has chosen it.
    case untouched
    /// The answer's freshness has ended.
    case stale
    /// It must not be used any more.
    case gone
}

/// The first purges, by number, that did something to an answer.
struct PurgeEffect {
    /// The number of the first hard purge that chose it.
    private(set) var gone = Int64.max
    /// The number of the first soft purge that chose it.
    private(set) var stale = Int64.max

    /// The effect of purges that are not remembered: any of them may have chosen it.
    static let forgotten: PurgeEffect = {
        var effect = PurgeEffect()
        effect.gone = 0
        return effect
    }()

    /// Adds those of the entries, ascending, that choose the answer.
    mutating func add(_ entries: some Sequence<PurgeList.Entry>, on answer: some Selectable) {
        for entry in entries {
            guard entry.number < gone else { return }
            guard entry.mode == .hard || entry.number < stale, entry.selection.chooses(answer) else { continue }
            if entry.mode == .hard { gone = entry.number } else { stale = entry.number }
        }
    }

    /// The verdict of the purges up to a number.
    func verdict(upTo last: Int64 = .max - 1) -> PurgeVerdict {
        gone <= last ? .gone : stale <= last ? .stale : .untouched
    }
}
