// Memory for keys and tokens.
//
// Must hold: the bytes are in pages of their own that are locked, left out of core dumps,
// empty in a forked child and cleansed before they are given back; nothing that prints a value
// shows them; no `String` is made of them, since strings cannot be wiped (FRAMING 7.2).

import COpenSSL
import Glibc

/// Bytes that must not be shown, copied or written anywhere but where they are meant to go.
/// Deliberately neither `Hashable` nor `Codable`; compare with ``isEqual(to:)``.
///
/// `@unchecked Sendable` because the memory is written in `init` alone and freed in `deinit` alone.
public final class SecretBytes: @unchecked Sendable {
    private let pages: UnsafeMutableRawBufferPointer
    /// In bytes.
    let count: Int

    /// Room for `capacity` bytes, of which the closure fills the first ones and says how many those
    /// are.
    /// Rethrows the closure's error after the memory has been cleansed.
    ///
    /// Locking needs `RLIMIT_MEMLOCK`; where that is used up the secret can be swapped, which is no
    /// reason to stop.
    init<E: Error>(
        capacity: Int, initializingWith body: (UnsafeMutableRawBufferPointer) throws(E) -> Int
    ) throws(E) {
        let pages = SecretBytes.map(capacity)
        do {
            let count = try body(UnsafeMutableRawBufferPointer(rebasing: pages[..<capacity]))
            precondition((0...capacity).contains(count), "more bytes than there is room for")
            (self.pages, self.count) = (pages, count)
        } catch {
            SecretBytes.unmap(pages)
            throw error
        }
    }

    /// A copy. The original is for the caller to wipe.
    public convenience init(_ bytes: UnsafeRawBufferPointer) {
        self.init(capacity: bytes.count) { memory in
            memory.copyMemory(from: bytes)
            return bytes.count
        }
    }

    /// A copy, for example of the value of a field. The original is for the caller to wipe.
    public convenience init(_ bytes: Span<UInt8>) {
        self.init(capacity: bytes.count) { memory in
            for index in bytes.indices { memory[index] = bytes[index] }
            return bytes.count
        }
    }

    deinit { SecretBytes.unmap(pages) }

    /// The bytes, for as long as the closure runs.
    public func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(rebasing: pages[..<count]))
    }

    /// The bytes, for as long as the closure runs.
    public func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        let bytes = UnsafeRawBufferPointer(rebasing: pages[..<count]).bindMemory(to: UInt8.self)
        return try body(bytes.span)
    }

    /// Compares in a time that depends on the lengths alone.
    func isEqual(to other: SecretBytes) -> Bool { other.withUnsafeBytes { isEqual(to: $0) } }

    /// Compares in a time that depends on the lengths alone.
    public func isEqual(to other: UnsafeRawBufferPointer) -> Bool { holds(other, at: 0..<count) }

    /// Whether the bytes in `range` are these; the time depends on the lengths alone.
    public func holds(_ other: UnsafeRawBufferPointer, at range: Range<Int>) -> Bool {
        precondition(range.upperBound <= count, "a range of other bytes")
        guard range.count == other.count, let theirs = other.baseAddress else { return range.count == other.count }
        return CRYPTO_memcmp(pages.baseAddress! + range.lowerBound, theirs, other.count) == 0
    }

    private static func map(_ capacity: Int) -> UnsafeMutableRawBufferPointer {
        let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
        let size = max(1, (capacity + pageSize - 1) / pageSize) * pageSize
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { preconditionFailure("out of memory") }
        _ = mlock(memory, size)
        _ = madvise(memory, size, MADV_DONTDUMP)
        _ = madvise(memory, size, MADV_WIPEONFORK)
        return UnsafeMutableRawBufferPointer(start: memory, count: size)
    }

    private static func unmap(_ pages: UnsafeMutableRawBufferPointer) {
        OPENSSL_cleanse(pages.baseAddress, pages.count)
        munmap(pages.baseAddress, pages.count)
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .class) }
}
