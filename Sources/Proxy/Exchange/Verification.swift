// Tells whether a composed answer was right, by comparing it with the origin's. Events in, actions
// out; `VerificationRun` performs them.
// Must hold: an answer is wrong only where the origin shows the same parts anew and differs from
// it twice; a revision, be it in the middle of a verification, never makes one wrong; at most
// 2 + `mostParts` requests are asked for.
//
//     whole ─┬─ equal
//            └─ parts, one by one ─┬─ all as they were ─► whole again ─┬─ older (it came back)
//                                  │                                   └─ wrong
//                                  └─ some revised ─► compose again ─┬─ older
//                                                                    └─ whole again ─┬─ older
//                                                                                    └─ undecided

/// The verification of one composed answer.
struct Verification {
    enum Event: Equatable {
        /// There is no answer that could be compared, no room for the request, or nothing can be
        /// composed of the parts as they are now.
        case unanswered
        /// The answer is the expected one.
        case equal
        /// It differs; first at this path.
        case different(at: String)
    }

    enum Action: Equatable {
        /// Asks the origin for the whole, and compares it with the last composition.
        case askWhole
        /// Asks the origin for one of the parts, and compares it with the part that was used.
        case askPart(Int)
        /// Composes from the parts as they are now, and compares that with the whole that came
        /// last.
        case compose
        case end(Verdict)
    }

    enum Verdict: Equatable {
        case equal
        /// The origin has revised a part of the answer.
        case older
        /// No revision of a part explains the difference, which begins at this path.
        case wrong(at: String)
        /// An answer or a part was missing, there were too many parts, or the origin changes too
        /// fast.
        case undecided
    }

    private enum Step {
        case whole
        case part(Int)
        case composing
        case wholeAgain
        case ended
    }

    /// The most parts that are asked for anew.
    static let mostParts = 8

    private let partCount: Int
    private var step = Step.whole
    private var hasRevision = false

    /// Begins with `askWhole`.
    /// - Parameter partCount: how many stored answers it was made of.
    init(partCount: Int) {
        self.partCount = partCount
    }

    mutating func handle(_ event: Event) -> Action {
        switch (step, event) {
        case (.ended, _): preconditionFailure("a verification ends once")
        case (_, .unanswered): return end(.undecided)
        case (.whole, .equal): return end(.equal)
        case (.whole, _): return partCount <= Self.mostParts ? ask(part: 0) : end(.undecided)
        case (.part(let index), _):
            if event != .equal { hasRevision = true }
            return ask(part: index + 1)
        case (.composing, .different): return askAgain()
        case (.composing, .equal), (.wholeAgain, .equal): return end(.older)
        case (.wholeAgain, .different(let path)): return end(hasRevision ? .undecided : .wrong(at: path))
        }
    }

    private mutating func ask(part index: Int) -> Action {
        if index < partCount {
            step = .part(index)
            return .askPart(index)
        }
        guard hasRevision else { return askAgain() }
        step = .composing
        return .compose
    }

    private mutating func askAgain() -> Action {
        step = .wholeAgain
        return .askWhole
    }

    private mutating func end(_ verdict: Verdict) -> Action {
        step = .ended
        return .end(verdict)
    }
}
