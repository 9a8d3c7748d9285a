/// What a figure, or a ratio of two, has to be.
struct Target: Equatable {
    enum Comparison: String {
        case atLeast = ">="
        case atMost = "<="
    }

    let comparison: Comparison
    let bound: Double

    static func atLeast(_ bound: Double) -> Target { Target(comparison: .atLeast, bound: bound) }
    static func atMost(_ bound: Double) -> Target { Target(comparison: .atMost, bound: bound) }

    /// Of nothing where little is wanted.
    static let bestScore = 100.0

    func isMet(by measured: Double) -> Bool {
        switch comparison {
        case .atLeast: measured >= bound
        case .atMost: measured <= bound
        }
    }

    /// How far it is met, 1 and more where it is: twice as good as wanted is 2, whichever way is
    /// better.
    func score(of measured: Double) -> Double {
        switch comparison {
        case .atLeast: measured / bound
        case .atMost: measured > 0 ? bound / measured : Self.bestScore
        }
    }
}
