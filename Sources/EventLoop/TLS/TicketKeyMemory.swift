import COpenSSL
import Glibc

/// Room for the keys of session tickets: a page of its own.
///
/// Must hold: it is locked, left out of core dumps, empty in a forked child, and cleansed before it
/// is given back.
struct TicketKeyMemory: ~Copyable, Sendable {
    /// The name of a key, which its tickets have in the clear.
    static let nameBytes = 16
    static let keyBytes = nameBytes + 64

    /// The address of the page: Swift does not know that a pointer may cross threads, under a lock.
    private let address: UInt
    private let size: Int

    private var page: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(bitPattern: address), count: size)
    }

    /// Throws where the kernel has no page.
    init() throws(TLSError) {
        let size = max(Int(sysconf(Int32(_SC_PAGESIZE))), TicketSchedule.mostKeys * Self.keyBytes)
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else {
            throw TLSError("keys of session tickets: \(SystemError.last("mmap"))")
        }
        // Where RLIMIT_MEMLOCK is used up, the keys can be swapped, which is no reason to stop.
        _ = mlock(memory, size)
        _ = madvise(memory, size, MADV_DONTDUMP)
        _ = madvise(memory, size, MADV_WIPEONFORK)
        (address, self.size) = (UInt(bitPattern: memory), size)
    }

    deinit {
        OPENSSL_cleanse(page.baseAddress, page.count)
        munmap(page.baseAddress, page.count)
    }

    /// Name and secret of a key.
    subscript(_ index: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: page[index * Self.keyBytes..<(index + 1) * Self.keyBytes])
    }

    /// Puts a random key in front of the others, the last of which goes; false where there is no
    /// randomness, and nothing is changed.
    func makeFirst() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: Self.keyBytes, alignment: 1) { key in
            defer { OPENSSL_cleanse(key.baseAddress, key.count) }
            guard RAND_bytes(key.baseAddress, CInt(key.count)) == 1, let start = page.baseAddress else { return false }
            memmove(start + Self.keyBytes, start, (TicketSchedule.mostKeys - 1) * Self.keyBytes)
            self[0].copyMemory(from: UnsafeRawBufferPointer(key))
            return true
        }
    }

    /// Cleanses all keys but the first `count`.
    func keepFirst(_ count: Int) {
        let rest = UnsafeMutableRawBufferPointer(rebasing: page.dropFirst(count * Self.keyBytes))
        OPENSSL_cleanse(rest.baseAddress, rest.count)
    }

    /// The key of this name among the first `count`.
    func index(named name: UnsafeRawBufferPointer, among count: Int) -> Int? {
        (0..<count).first { self[$0].prefix(Self.nameBytes).elementsEqual(name) }
    }
}
