/// The bytes between a socket and a parser, or between a serialiser and a socket:
///
///     0          start            end              capacity
///     [ consumed | readable       | writable       ]
///
/// Holds: `0 <= start <= end <= storage.count`, and after the high-water mark, `max(mark, end)`,
/// storage is zero but for bytes that a writer of `withUnsafeWritable` has left there without
/// saying so. Offsets that a parser hands out count from `start`, so they stay good while more is
/// written and turn stale when something is consumed. Old storage is zeroed before it is freed,
/// because heads carry tokens (a buffer that once held a secret must not leave copies when it
/// grows). It is memory of the buffer's own and not an array: each append to an array would ask
/// first whether it is shared.
public struct ByteBuffer: ~Copyable {
    private var storage: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0
    /// The largest `end` since the storage was zero, but for the present one: brought up to date
    /// wherever `end` sinks, so that appending does not pay for it.
    private var mark = 0

    /// Room for `capacity` bytes before it grows.
    public init(capacity: Int) { storage = Self.zeroed(capacity) }

    deinit {
        Self.zero(storage, first: max(mark, end))
        storage.deallocate()
    }

    private static func zeroed(_ capacity: Int) -> UnsafeMutableRawBufferPointer {
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        storage.initializeMemory(as: UInt8.self, repeating: 0)
        return storage
    }

    /// Overwrites bytes with zeros. `prefix`, which is generic and was called as such, cost fifty
    /// instructions of a hit.
    @inline(__always)
    private static func zero(_ storage: UnsafeMutableRawBufferPointer, first count: Int) {
        UnsafeMutableRawBufferPointer(rebasing: storage[..<count]).withMemoryRebound(to: UInt8.self) {
            $0.update(repeating: 0)
        }
    }

    /// Bytes that were written and not yet consumed.
    public var readableCount: Int { end - start }
    /// Whether nothing is readable.
    public var isEmpty: Bool { start == end }
    /// Bytes of storage, whatever they hold.
    public var capacity: Int { storage.count }

    /// The readable bytes, as long as `body` runs.
    public func withReadable<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        let readable = UnsafeRawBufferPointer(rebasing: storage[start..<end])
        return try body(Span(_unsafeBytes: readable))
    }

    /// The readable bytes for calls that take a pointer; it must not leave `body`.
    public func withUnsafeReadable<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(rebasing: storage[start..<end]))
    }

    /// Lets `body` write at the end, into at least `minimum` bytes; `written` of them become
    /// readable.
    public mutating func withUnsafeWritable<R>(
        minimum: Int, _ body: (UnsafeMutableRawBufferPointer) -> (written: Int, result: R)
    ) -> R {
        makeRoom(minimum)
        let (written, result) = body(UnsafeMutableRawBufferPointer(rebasing: storage[end...]))
        precondition(written >= 0 && written <= storage.count - end)
        end += written
        return result
    }

    /// Forgets the first `count` readable bytes, in constant time.
    public mutating func consume(_ count: Int) {
        precondition(count >= 0 && count <= readableCount)
        start += count
        if start == end { rewind() }
    }

    private mutating func rewind() {
        mark = max(mark, end)
        start = 0
        end = 0
    }

    /// Forgets everything; without `keepingCapacity` the storage goes too, zeroed.
    public mutating func removeAll(keepingCapacity: Bool) {
        rewind()
        guard !keepingCapacity else { return }
        wipe()
        storage.deallocate()
        storage = Self.zeroed(0)
    }

    /// Forgets everything and zeroes all storage that was ever readable, consumed or forgotten
    /// bytes included: for a buffer of a pool that held a head. Costs the bytes used since the last
    /// time, not the capacity.
    public mutating func wipe() {
        rewind()
        Self.zero(storage, first: mark)
        mark = 0
    }

    /// The readable bytes as an array of their own, to be stored.
    public func copyReadable() -> [UInt8] { [UInt8](storage[start..<end]) }

    /// Appends one byte.
    @inline(__always)
    public mutating func append(_ byte: UInt8) {
        makeRoom(1)
        storage[end] = byte
        end += 1
    }

    /// Appends the bytes of another piece of memory, which must not be this buffer's own.
    @inline(__always)
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        makeRoom(bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: storage[end...]).copyMemory(from: bytes)
        end += bytes.count
    }

    /// Makes at least `count` bytes writable: by moving the readable ones to the front where that
    /// is enough, otherwise by doubling, so that appending stays linear.
    @inline(__always)
    private mutating func makeRoom(_ count: Int) {
        guard storage.count - end < count else { return }
        findRoom(count)
    }

    @inline(never)
    private mutating func findRoom(_ count: Int) {
        if storage.count - readableCount >= count {
            moveToFront()
        } else {
            grow(to: max(readableCount + count, storage.count * 2, 64))
        }
    }

    private mutating func moveToFront() {
        let count = readableCount
        storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[start..<end]))
        mark = max(mark, end)
        start = 0
        end = count
    }

    private mutating func grow(to capacity: Int) {
        let count = readableCount
        let grown = Self.zeroed(capacity)
        grown.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[start..<end]))
        wipe()
        storage.deallocate()
        storage = grown
        end = count
    }
}

/// Appending text and numbers. None of these allocates unless the buffer has to grow.
extension ByteBuffer {
    /// Appends a copy of the bytes.
    public mutating func append(_ bytes: Span<UInt8>) { bytes.withUnsafeBytes { append($0) } }

    /// Appends a copy of the bytes.
    public mutating func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

    /// Appends a copy of the bytes.
    mutating func append(_ bytes: ArraySlice<UInt8>) { bytes.withUnsafeBytes { append($0) } }

    /// The text as UTF-8. Inlined, so that appending a literal becomes a few stores of constants.
    @inline(__always)
    public mutating func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// The text as UTF-8.
    @_disfavoredOverload
    public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// `-?1*DIGIT`, no leading zeros.
    public mutating func append(decimal number: Int) {
        // Filled from the right; 19 digits and a sign are the longest.
        var text = InlineArray<20, UInt8>(repeating: 0)
        var first = text.count
        var rest = number.magnitude
        repeat {
            first -= 1
            text[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        if number < 0 {
            first -= 1
            text[first] = UInt8(ascii: "-")
        }
        append(text.span.extracting(first...))
    }

    /// `1*HEXDIG` in lower case, no leading zeros: a chunk size. `number` is not negative.
    public mutating func append(hexadecimal number: Int) {
        precondition(number >= 0)
        var text = InlineArray<16, UInt8>(repeating: 0)
        var first = text.count
        var rest = number.magnitude
        repeat {
            first -= 1
            let digit = UInt8(truncatingIfNeeded: rest & 0xF)
            text[first] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            rest >>= 4
        } while rest > 0
        append(text.span.extracting(first...))
    }

    /// Two decimal digits, as dates want them.
    mutating func append(twoDigits number: Int) {
        append(UInt8(ascii: "0") + UInt8(number / 10 % 10))
        append(UInt8(ascii: "0") + UInt8(number % 10))
    }
}
