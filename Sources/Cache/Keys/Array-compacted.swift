extension Array where Element: BitwiseCopyable {
    /// A copy, where the capacity exceeds the count by more than an eighth; else the array itself.
    func compacted() -> Self {
        guard capacity > count + count / 8 else { return self }
        // Not from a slice: an array made from a slice of all of another shares its storage.
        return withUnsafeBufferPointer { Array($0) }
    }
}
