/// Half-open range of offsets into the buffer a message was parsed from. Eight bytes, so that a
/// head's fields stay in few cache lines; a message therefore spans less than 4 GiB of one buffer,
/// which every limit is far below.
public struct ByteRange: Hashable, Sendable {
    /// Offset of the first byte.
    public var start: UInt32
    /// Offset after the last byte.
    public var end: UInt32

    /// Traps when an offset is negative or does not fit, or when the range is upside down: an error
    /// of the caller.
    @inlinable
    public init(_ start: Int, _ end: Int) {
        precondition(start >= 0 && start <= end && end <= Int(UInt32.max))
        self.start = UInt32(truncatingIfNeeded: start)
        self.end = UInt32(truncatingIfNeeded: end)
    }

    /// Nothing, at the start of the buffer.
    @inlinable
    public init() {
        start = 0
        end = 0
    }

    /// The offsets as a standard range.
    @inlinable public var range: Range<Int> { Int(start)..<Int(end) }
    /// In bytes.
    @inlinable public var count: Int { Int(end) - Int(start) }
    @inlinable public var isEmpty: Bool { start == end }

    /// The place of the bytes in a buffer that has `count` others before them.
    @inlinable public func moved(by count: Int) -> ByteRange { ByteRange(Int(start) + count, Int(end) + count) }
}
