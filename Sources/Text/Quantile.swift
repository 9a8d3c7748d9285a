extension ArraySlice<Int> {
    /// The bucket of the value that a share of all values (0.99) did not exceed. The elements are
    /// counts by bucket, in the order of the values. nil where nothing was counted.
    /// - Parameter count: their sum.
    public func bucket(ofShare share: Double, of count: Int) -> Int? {
        // One step down before rounding up: 0.07 of 100 is the 7th value, though the product is a
        // little more than 7.
        let rank = Swift.min(count, Swift.max(1, Int(clamping: (share.nextDown * Double(count)).rounded(.up))))
        var seen = 0
        for index in indices {
            seen += self[index]
            if seen >= rank, count > 0 { return index }
        }
        return nil
    }
}
