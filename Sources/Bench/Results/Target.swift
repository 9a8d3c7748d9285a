/// Bound of a figure, or of a ratio of two.
struct Target: Equatable {
    let isAtLeast: Bool
    let bound: Double

    static func atLeast(_ bound: Double) -> Target { Target(isAtLeast: true, bound: bound) }
    static func atMost(_ bound: Double) -> Target { Target(isAtLeast: false, bound: bound) }

    func isMet(by measured: Double) -> Bool { isAtLeast ? measured >= bound : measured <= bound }
}
