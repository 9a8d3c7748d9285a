extension Array where Element: BitwiseCopyable {
    /// A copy in smaller storage where more than an eighth of the elements' bytes beyond them is
    /// empty.
    func compacted() -> Self {
        guard capacity > count + count / 8 else { return self }
        // Not from a slice: an array made from a slice of all of another shares its storage.
        return withUnsafeBufferPointer { Array($0) }
    }
}
