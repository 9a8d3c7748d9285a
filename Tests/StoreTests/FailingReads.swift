import CSQLite
import Foundation
import Glibc
import Synchronization

/// Reads of SQLite's that the disk fails (EIO), of the files in one directory alone.
enum FailingReads {
    private struct Plan {
        var directory = ""
        var spared = 0
        var left = 0
        var failed = 0
    }

    private static let plan = Mutex(Plan())
    private static let isOn = Atomic<Bool>(false)
    /// One test at a time has a plan.
    private static let turn = Mutex(())

    /// Lets `count` reads fail in `directory` after `spared` others, and returns how many did.
    @discardableResult
    static func run(in directory: String, after spared: Int = 0, _ count: Int = 1, _ body: () throws -> Void) rethrows
        -> Int
    {
        try turn.withLock { _ in
            precondition(isInstalled, "SQLite reads in a way that cannot be made to fail")
            plan.withLock { $0 = Plan(directory: directory, spared: spared, left: count) }
            isOn.store(true, ordering: .sequentiallyConsistent)
            defer { isOn.store(false, ordering: .sequentiallyConsistent) }
            try body()
            return plan.withLock { $0.failed }
        }
    }

    fileprivate static func fails(_ descriptor: CInt) -> Bool {
        guard isOn.load(ordering: .relaxed) else { return false }
        var name = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/fd/\(descriptor)", &name, name.count - 1)
        guard count > 0 else { return false }
        let path = String(decoding: name[..<count].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
        return plan.withLock { plan in
            guard path.hasPrefix(plan.directory + "/") else { return false }
            if plan.spared > 0 {
                plan.spared -= 1
                return false
            }
            guard plan.left > 0 else { return false }
            plan.left -= 1
            plan.failed += 1
            return true
        }
    }

    private typealias Read = @convention(c) (CInt, UnsafeMutableRawPointer?, Int) -> Int
    private typealias ReadAt = @convention(c) (CInt, UnsafeMutableRawPointer?, Int, Int) -> Int

    /// In place of the system calls that SQLite makes, for the whole process and for good.
    private static let isInstalled: Bool = {
        let read: Read = { descriptor, bytes, count in
            guard FailingReads.fails(descriptor) else { return Glibc.read(descriptor, bytes, count) }
            errno = EIO
            return -1
        }
        let readAt: ReadAt = { descriptor, bytes, count, offset in
            guard FailingReads.fails(descriptor) else { return Glibc.pread(descriptor, bytes, count, offset) }
            errno = EIO
            return -1
        }
        guard let system = sqlite3_vfs_find(nil), let set = system.pointee.xSetSystemCall,
            let get = system.pointee.xGetSystemCall
        else { return false }
        typealias Call = @convention(c) () -> Void
        var isInstalled = false
        for (name, call) in [
            ("read", unsafeBitCast(read, to: Call.self)), ("pread", unsafeBitCast(readAt, to: Call.self)),
            ("pread64", unsafeBitCast(readAt, to: Call.self)),
        ] where get(system, name) != nil {
            isInstalled = set(system, name, call) == SQLITE_OK || isInstalled
        }
        return isInstalled
    }()
}
