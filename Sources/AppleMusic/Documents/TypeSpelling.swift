/// The type of a resource as it is spelt in a text, and values derived from it.
struct TypeSpelling {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    /// Zero means none, and those too long to be compared.
    private var count = 0
    /// Nil for a type that is none of the catalog's twelve.
    private(set) var type: ResourceClass?
    /// The hash of the type and the byte after it, with which the number of a resource begins
    /// (``ResourceMention``).
    private(set) var hash = FNV1a()

    init() {}

    init(_ text: StringToken, in bytes: Span<UInt8>) {
        let length = text.end - text.start
        if length <= 16 {
            (low, high) = MemberName.words(bytes, text.start, length)
            count = length
        }
        type = ResourceClass(resourceType: TextSlice(text.start, text.end), in: bytes)
        hash.combine(bytes, text.start, text.end)
        hash.combine(ResourceMention.separator)
    }

    /// Whether `text` is this type.
    @inline(__always)
    func isSpelt(_ text: StringToken, in bytes: Span<UInt8>) -> Bool {
        guard text.end &- text.start == count, count > 0 else { return false }
        return (low, high) == MemberName.words(bytes, text.start, count)
    }
}
