// The fewest requests that a cache could send to the origin for a trace, if it forgot nothing
// before its time and knew everything that earlier answers say.
//
// What must hold: it is a bound for caches that send what was asked for. A request needs the origin
// if and only if some fact of its answer is in no earlier answer that is still fresh; its whole
// answer is known from then on. It is generous: a window of a list counts as known when its offsets
// are covered, although items that a storefront lacks may leave open which item has which offset
// (APPLE-MUSIC-API 7.9, 7.10). `strict` says what remains when that is not taken for known. A cache
// that asks for more than it was asked for (larger pages, the misses of a moment in one batch) can
// do better.

/// Plays a trace against what is known so far.
struct PerfectPlanner {
    enum Pages {
        case generous, strict
    }

    private struct Learned<Fact> {
        let fact: Fact
        /// In milliseconds of the trace.
        let at: Int
    }

    private let pages: Pages
    /// How long a fact may be used, in milliseconds; nil without end.
    private let lifetime: Int?
    private var attributes: [Int: [Learned<UInt64>]] = [:]
    private var windows: [Int: [Learned<ListWindow>]] = [:]
    private var single: [Int: Int] = [:]

    init(_ pages: Pages = .generous, lifetime: Int? = nil) {
        self.pages = pages
        self.lifetime = lifetime
    }

    /// Whether the request goes to the origin.
    mutating func sends(_ facts: ObservedFacts, at now: Int) -> Bool {
        if knows(facts, at: now) { return false }
        learn(facts, at: now)
        return true
    }

    private func isFresh(_ at: Int, _ now: Int) -> Bool {
        lifetime.map { now - at < $0 } ?? true
    }

    private func knows(_ facts: ObservedFacts, at now: Int) -> Bool {
        facts.attributes.allSatisfy { resource, names in
            let known = (attributes[resource] ?? []).reduce(UInt64(0)) { isFresh($1.at, now) ? $0 | $1.fact : $0 }
            return names & ~known == 0
        }
            && facts.single.allSatisfy { single[$0].map { isFresh($0, now) } ?? false }
            && facts.windows.allSatisfy { covers($0, at: now) }
    }

    /// Whether windows that are known lie end to end from the beginning of this one to its end.
    private func covers(_ wanted: ListWindow, at now: Int) -> Bool {
        var unused = (windows[wanted.list] ?? []).filter { isFresh($0.at, now) }.map(\.fact)
        var reached: Set<Int> = [wanted.range.lowerBound]
        var isGrowing = true
        while isGrowing {
            let before = unused.count
            unused.removeAll { window in
                guard let end = end(of: window, from: reached, wanted.range.upperBound) else { return false }
                reached.insert(end)
                return true
            }
            isGrowing = unused.count < before
        }
        return reached.contains(wanted.range.upperBound)
    }

    /// Where one gets by a known window from one of the places reached; nil if it cannot be entered
    /// or left there.
    private func end(of window: ListWindow, from reached: Set<Int>, _ upperBound: Int) -> Int? {
        let isDivisible = pages == .generous || window.isFull
        guard reached.contains(where: { isDivisible ? window.range.contains($0) : window.range.lowerBound == $0 })
        else {
            return nil
        }
        if window.range.upperBound <= upperBound { return window.range.upperBound }
        return isDivisible ? upperBound : nil
    }

    private mutating func learn(_ facts: ObservedFacts, at now: Int) {
        for (resource, names) in facts.attributes {
            let others = (attributes[resource] ?? []).filter { $0.fact & ~names != 0 && isFresh($0.at, now) }
            attributes[resource] = others + [Learned(fact: names, at: now)]
        }
        for window in facts.windows {
            let others = (windows[window.list] ?? []).filter {
                isFresh($0.at, now) && ($0.fact.range != window.range || $0.fact.isFull != window.isFull)
            }
            windows[window.list] = others + [Learned(fact: window, at: now)]
        }
        for fact in facts.single { single[fact] = now }
    }
}
