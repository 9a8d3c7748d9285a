extension ArraySlice<Int> {
    /// The bucket of the value that a share of all values (0.99) did not exceed. The elements are
    /// counts by bucket, in the order of the values. nil where nothing was counted.
    /// - Parameter count: of all values: the sum of the elements, or more where there are values
    ///   that exceed all that were counted. The last bucket with a value stands for those.
    public func bucket(ofShare share: Double, of count: Int) -> Int? {
        let rank = Int.rank(ofShare: share, of: count)
        var (seen, last): (Int, Int?) = (0, nil)
        for index in indices where self[index] > 0 {
            seen += self[index]
            if seen >= rank { return index }
            last = index
        }
        return last
    }
}

extension Int {
    /// The place, from 1 on, of the value that a share of all values (0.99) did not exceed, in the
    /// order of the values.
    public static func rank(ofShare share: Double, of count: Int) -> Int {
        // One step down before rounding up: 0.07 of 100 is the 7th value, though the product is a
        // little more than 7.
        Swift.min(count, Swift.max(1, Int(clamping: (share.nextDown * Double(count)).rounded(.up))))
    }
}
