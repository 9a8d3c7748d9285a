/// Takes an even share of a sequence: at 1 %, every hundredth.
struct Sampling {
    private var credit = 0

    /// 100 %.
    static let all = 1_000_000

    /// Whether the next one is taken.
    /// - Parameter share: in millionths.
    mutating func takes(_ share: Int) -> Bool {
        credit += share
        guard credit >= Self.all else { return false }
        credit -= Self.all
        return true
    }
}
