/// How much of a common good one party may hold, so that others who come later find some: seven
/// times what is free, and so seven eighths of all. The more is taken, the less each may take.
///
/// Dynamic thresholds: A. K. Choudhury, E. L. Hahne, "Dynamic Queue Length Thresholds for
/// Shared-Memory Packet Switches", IEEE/ACM Transactions on Networking 6 (2), 1998. Nothing that is
/// held is ever taken back.
public enum FairShare {
    @usableFromInline static let times = 7

    /// Whether a party that holds `holding` may take `more`. A party that holds nothing may take
    /// all that is free.
    /// - Parameter free: the amount that no party holds.
    @inlinable
    public static func allows(_ more: Int, holding: Int, of free: Int) -> Bool {
        guard more <= free else { return false }
        return holding <= 0 || (holding + more - 1) / times < free - more
    }

    /// The most that one party gets in steps of 1: seven eighths, at least 1.
    @inlinable
    public static func most(of all: Int) -> Int { max(1, all - (all + times) / (times + 1)) }
}
