import Dispatch
import EventLoop
import Glibc
import Synchronization

// The lock that says which process uses a cache file. It is on a file of its own: closing any
// descriptor of the cache file would release the locks that SQLite holds on that.
// Must hold: one holder at a time, by whatever name its directory is reached; the lock ends with
// its holder, and its file stays, because removing it would leave two processes with a lock each. A
// lock belongs to the open file (flock(2)): a process that is given a descriptor of it holds it
// too, and the lock is free once both have closed theirs.

/// The right to use a cache file, for as long as this lives.
public final class StoreLock: Sendable {
    /// Why it could not be taken.
    public enum Failure: Error, Equatable {
        /// Another process has it; nil where that has not written its number yet.
        case taken(by: Int?)
        /// There is no place for the lock.
        case impossible(String)
    }

    private let path: String
    let descriptor: CInt
    /// Whether another process, which was given a descriptor, keeps the lock.
    private let isHandedOver = Atomic<Bool>(false)
    /// Whether a copy of the descriptor was made for another process.
    private let isShared: Atomic<Bool>

    /// How often `take` looks again.
    private static let pause: UInt32 = 50_000
    /// Most bytes of a lock file, which has the number of a process; a larger one is not ours.
    private static let longest = 32

    /// Takes the lock of the cache file at `file`, at once or not at all.
    init(_ file: String) throws(Failure) {
        if let reason = DatabaseFile.oddity(of: file) ?? StoreNames.objection(to: file)?.description {
            throw .impossible(reason)
        }
        let path = Self.path(beside: file)
        descriptor = try Self.locked(path)
        isShared = Atomic(false)
        self.path = path
        sign()
    }

    /// Takes over the lock of the cache file at `file` from another process; nil, and the
    /// descriptor stays open, where it is not that lock.
    public init?(handedOver descriptor: CInt, _ file: String) {
        let path = Self.path(beside: file)
        guard Self.leads(path, to: descriptor), flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
        self.path = path
        self.descriptor = descriptor
        isShared = Atomic(true)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        if !isHandedOver.load(ordering: .relaxed) {
            // Or this number would stand for the next holder until that has written its own.
            ftruncate(descriptor, 0)
        }
        // A program that is being started has a copy of the descriptor until it runs, and would
        // keep the lock until then.
        if !isShared.load(ordering: .relaxed) { flock(descriptor, LOCK_UN) }
        close(descriptor)
    }

    /// Writes the number of this process into the lock's file.
    public func sign() {
        ftruncate(descriptor, 0)
        let text = Array("\(getpid())\n".utf8)
        pwrite(descriptor, text, text.count, 0)
    }

    /// Makes a descriptor for another process, which the caller owns; nil where there are no more.
    func copy() -> CInt? {
        isShared.store(true, ordering: .relaxed)
        return try? Descriptor.duplicate(descriptor)
    }

    /// Leaves the lock to the other process: its number stays in the file when this one closes it.
    func noteHandedOver() { isHandedOver.store(true, ordering: .relaxed) }

    /// Takes the lock, and waits up to `limit` for another process to release it: one that is being
    /// replaced may still write its queue.
    /// - Parameters:
    ///   - isWaiting: called once, with the process that holds the lock.
    ///   - goesOn: asked before each pause; at the first false the wait ends as at its limit.
    public static func take(
        _ file: String, within limit: Duration, isWaiting: (Int?) -> Void = { _ in }, goesOn: () -> Bool = { true }
    ) throws(Failure) -> StoreLock {
        let begun = ContinuousClock.now
        var isSaid = false
        while true {
            do throws(Failure) {
                return try StoreLock(file)
            } catch {
                let isOver = ContinuousClock.now - begun >= limit || !goesOn()
                guard case .taken(let holder) = error, !isOver else { throw error }
                if !isSaid { isWaiting(holder) }
                isSaid = true
                usleep(pause)
            }
        }
    }

    /// The process that holds the lock of `file` now; nil for none, and for one that is not known.
    /// Another process cannot take the lock during the call.
    public static func holder(of file: String) -> Int? {
        let descriptor = open(path(beside: file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) == 0 ? nil : number(in: descriptor)
    }

    static func path(beside file: String) -> String { file + ".lock" }

    /// Whether its name still leads to it: once the directory was removed, it locks nothing.
    var isInPlace: Bool { Self.leads(path, to: descriptor) }

    private static func leads(_ path: String, to descriptor: CInt) -> Bool {
        var (mine, named) = (stat(), stat())
        return fstat(descriptor, &mine) == 0 && lstat(path, &named) == 0 && mine.st_dev == named.st_dev
            && mine.st_ino == named.st_ino
    }

    /// Opens a descriptor that has the lock. Not in `init`, where an error after the last property
    /// would run `deinit`, and wipe out the holder's number.
    private static func locked(_ path: String) throws(Failure) -> CInt {
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .impossible("\(path): \(String(cString: strerror(errno)))") }
        guard let failure = failure(toLock: descriptor, path) else { return descriptor }
        close(descriptor)
        throw failure
    }

    private static func failure(toLock descriptor: CInt, _ path: String) -> Failure? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= longest else {
            return .impossible("\(path) exists and is not the lock of a cache file")
        }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return nil }
        guard errno == EWOULDBLOCK else { return .impossible("\(path): \(String(cString: strerror(errno)))") }
        return .taken(by: number(in: descriptor))
    }

    private static func number(in descriptor: CInt) -> Int? {
        var text = [UInt8](repeating: 0, count: longest)
        let count = pread(descriptor, &text, text.count, 0)
        guard count > 0 else { return nil }
        return Int(String(decoding: text[..<count].prefix { $0 != 0x0A }, as: UTF8.self))
    }
}

extension StoreLock.Failure {
    /// In words for the operator.
    public func words(about file: String) -> String {
        switch self {
        case .taken(let holder?): "\(file) is in use by process \(holder)"
        case .taken(nil): "\(file) is in use by another process"
        case .impossible(let reason): reason
        }
    }
}
