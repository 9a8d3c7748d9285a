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

    func isMet(by measured: Double) -> Bool {
        switch comparison {
        case .atLeast: measured >= bound
        case .atMost: measured <= bound
        }
    }
}
