import Dispatch
import EventLoop
import Glibc
import Synchronization

// The lock that says which process uses a cache file: on a file of its own, never on the file
// itself, because closing any descriptor of that would let go of the locks that SQLite holds on it.
// Must hold: one holder at a time, whatever name its directory is reached by; the lock goes with
// its holder, however that ends, and the file stays: removing it would leave two processes with a
// lock each. A lock belongs to the open file (flock(2)): a process that is given a descriptor of it
// holds it too, and it is free when both have let go.

/// The right to use a cache file, for as long as this lives.
public final class StoreLock: Sendable {
    /// Why it could not be had.
    public enum Failure: Error, Equatable {
        /// Another process has it; nil where that one has not said yet which it is.
        case taken(by: Int?)
        /// There is no place for the lock.
        case impossible(String)
    }

    private let path: String
    let descriptor: CInt
    /// Whether another process, which was given it, goes on with it.
    private let isHandedOver = Atomic<Bool>(false)
    /// Whether another process may have a copy of the descriptor on purpose.
    private let isShared: Atomic<Bool>

    /// How often `take` looks again.
    private static let pause: UInt32 = 50_000
    /// More than the number of a process is no file of ours.
    private static let longest = 32

    /// Takes the lock of the cache file at `file`, at once or not at all.
    init(_ file: String) throws(Failure) {
        if let reason = DatabaseFile.oddity(of: file) { throw .impossible(reason) }
        let path = Self.path(beside: file)
        descriptor = try Self.locked(path)
        isShared = Atomic(false)
        self.path = path
        sign()
    }

    /// Goes on with the lock of the cache file at `file` that another process has handed over; nil,
    /// and the descriptor is left alone, where it is not that.
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
            // Otherwise the next holder would be taken for this one until it has written its own.
            ftruncate(descriptor, 0)
        }
        // Any program that this process is starting has a copy of the descriptor until it runs, and
        // would keep the lock for so long.
        if !isShared.load(ordering: .relaxed) { flock(descriptor, LOCK_UN) }
        close(descriptor)
    }

    /// Writes down that this process holds it.
    public func sign() {
        ftruncate(descriptor, 0)
        let text = Array("\(getpid())\n".utf8)
        pwrite(descriptor, text, text.count, 0)
    }

    /// A descriptor for another process to go on with, which belongs to the caller; nil where there
    /// can be none.
    func copy() -> CInt? {
        isShared.store(true, ordering: .relaxed)
        return try? Descriptor.duplicate(descriptor)
    }

    /// The other process goes on with it: this one's share ends without a trace.
    func noteHandedOver() {
        isHandedOver.store(true, ordering: .relaxed)
    }

    /// Takes it, and waits for as long as `limit` for another process to let go of it: one that is
    /// being replaced may still write what it has. `isWaiting` is told once by whom it is held.
    public static func take(
        _ file: String, within limit: Duration, isWaiting: (Int?) -> Void = { _ in }
    ) throws(Failure) -> StoreLock {
        let begun = ContinuousClock.now
        var isSaid = false
        while true {
            do throws(Failure) {
                return try StoreLock(file)
            } catch {
                guard case .taken(let holder) = error, ContinuousClock.now - begun < limit else { throw error }
                if !isSaid { isWaiting(holder) }
                isSaid = true
                usleep(pause)
            }
        }
    }

    /// The process that holds the lock of `file` now, without a trace but for a moment in which
    /// nobody else can take it; nil for none, and for one that cannot be told.
    public static func holder(of file: String) -> Int? {
        let descriptor = open(path(beside: file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) == 0 ? nil : number(in: descriptor)
    }

    static func path(beside file: String) -> String { file + ".lock" }

    /// Whether its name still leads to it: where the directory was removed, it keeps nobody away.
    var isInPlace: Bool { Self.leads(path, to: descriptor) }

    private static func leads(_ path: String, to descriptor: CInt) -> Bool {
        var (mine, named) = (stat(), stat())
        return fstat(descriptor, &mine) == 0 && lstat(path, &named) == 0 && mine.st_dev == named.st_dev
            && mine.st_ino == named.st_ino
    }

    /// An open descriptor that has the lock. Not in `init`, where an error behind the last property
    /// would run `deinit`, and wipe out the name of the holder.
    private static func locked(_ path: String) throws(Failure) -> CInt {
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .impossible("\(path): \(String(cString: strerror(errno)))") }
        do throws(Failure) {
            try lock(descriptor, path)
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func lock(_ descriptor: CInt, _ path: String) throws(Failure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= longest else {
            throw .impossible("\(path) exists and is not the lock of a cache file")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return }
        guard errno == EWOULDBLOCK else { throw .impossible("\(path): \(String(cString: strerror(errno)))") }
        throw .taken(by: number(in: descriptor))
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
