extension Array where Element: BitwiseCopyable {
    /// The same elements, copied where more than an eighth of their storage beyond them is empty.
    func compacted() -> Self {
        guard capacity > count + count / 8 else { return self }
        // Not from a slice: an array made from a slice of all of another shares its storage.
        return withUnsafeBufferPointer { Array($0) }
    }
}
