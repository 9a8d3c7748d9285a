import Foundation
import Synchronization

/// A program started for a benchmark and stopped by its process id.
///
/// Not Foundation's `Process`: that learns of an end by a descriptor which the program inherits,
/// and then waits for good where one such as varnishd closes descriptors that it does not know.
final class Child {
    let identifier: Int32
    private var hasEnded = false
    /// Those that run now: an interruption stops them all.
    static let running = Mutex<Set<Int32>>([])

    /// - Parameter log: the file that gets its output.
    /// - Throws: when the program cannot be started.
    convenience init(_ path: String, _ arguments: [String], log: String) throws {
        let output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard output >= 0 else { throw BenchError("cannot write \(log)") }
        defer { close(output) }
        try self.init(path, arguments, output: output)
    }

    private init(_ path: String, _ arguments: [String], output: Int32) throws {
        identifier = try Self.spawn(path, arguments, output: output)
        Self.running.withLock { [identifier] in _ = $0.insert(identifier) }
    }

    var isRunning: Bool {
        if !hasEnded, waitpid(identifier, nil, WNOHANG) != 0 { ended() }
        return !hasEnded
    }

    /// Asks it to end and waits for that; one that does not within five seconds is killed.
    func stop() {
        if isRunning { kill(identifier, SIGTERM) }
        for _ in 0..<500 where isRunning { usleep(10_000) }
        if isRunning { kill(identifier, SIGKILL) }
        waitUntilEnd()
    }

    private func waitUntilEnd() {
        while !hasEnded {
            if waitpid(identifier, nil, 0) >= 0 || errno != EINTR { ended() }
        }
    }

    private func ended() {
        hasEnded = true
        Self.running.withLock { [identifier] in _ = $0.remove(identifier) }
    }

    static func output(of path: String, _ arguments: [String]) throws -> String {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw BenchError("no pipe, errno \(errno)") }
        defer { close(ends[0]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child: Child
        do {
            defer { close(ends[1]) }
            child = try Child(path, arguments, output: ends[1])
        }
        let text = FileHandle(fileDescriptor: ends[0], closeOnDealloc: false).readDataToEndOfFile()
        child.waitUntilEnd()
        return String(decoding: text, as: UTF8.self)
    }

    /// The path of an installed program, which may be outside the search path.
    static func find(_ name: String) -> String? {
        let searched = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (["/usr/local/sbin", "/usr/sbin", "/usr/local/bin", "/usr/bin", "/bin"] + searched)
            .map { $0 + "/" + name }.first(where: FileManager.default.isExecutableFile(atPath:))
    }

    /// With the usual signals: those that this program ignores would be ignored by the child too.
    private static func spawn(_ path: String, _ arguments: [String], output: Int32) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for descriptor in [Int32(1), 2] { posix_spawn_file_actions_adddup2(&actions, output, descriptor) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (usual, none) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&usual)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&usual, signal) }
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var identifier: Int32 = 0
        let result = posix_spawn(&identifier, path, &actions, &attributes, &words, environ)
        guard result == 0 else { throw BenchError("cannot start \(path): \(String(cString: strerror(result)))") }
        return identifier
    }
}

/// The programs of this project, beside the one that runs.
enum Programs {
    static let bench = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    static let refrain = URL(fileURLWithPath: bench).deletingLastPathComponent().appendingPathComponent("refrain").path
}
