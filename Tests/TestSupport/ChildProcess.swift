import CLinux
import Foundation
import Synchronization
import Testing

/// A program that a test starts, in a session of its own.
///
/// The child has standard input, output and error and the descriptors it is given, and no others of
/// this program. When it ends, or when this object goes, the rest of its process group is killed.
public final class ChildProcess: Sendable {
    public struct Failure: Error, CustomStringConvertible { public let description: String }

    private final class End: Sendable {
        /// The exit status, once the child has been waited for.
        let status = Mutex<CInt?>(nil)
        let group = DispatchGroup()
    }

    public let id: pid_t
    /// Whether processes of its group may run after it.
    private let mayHaveSuccessors: Mutex<Bool>
    private let end = End()

    /// - Parameters:
    ///   - words: the path of the program, then its arguments.
    ///   - output: the file to which standard output is appended.
    ///   - errors: the same for standard error; nil is the file of `output`.
    ///   - descriptors: become 3, 4 and so on in the child.
    ///   - hasSuccessors: its group outlives it, as that of a program that is upgraded, until
    ///     `kill` or the end of this object.
    public init(
        _ words: [String], environment: [String: String] = ProcessInfo.processInfo.environment,
        output: String = "/dev/null", errors: String? = nil, passing descriptors: [CInt] = [],
        hasSuccessors: Bool = false
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let appending = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, appending, 0o600)
        if let errors {
            posix_spawn_file_actions_addopen(&actions, 2, errors, appending, 0o600)
        } else {
            posix_spawn_file_actions_adddup2(&actions, 1, 2)
        }
        // Copies above the target numbers, so that dup2 overwrites none of them.
        let sources = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, 100) }
        defer { for source in sources { close(source) } }
        for (number, source) in sources.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, source, 3 + CInt(number))
        }
        _ = clinux_close_from(&actions, 3 + CInt(sources.count))
        mayHaveSuccessors = Mutex(hasSuccessors)
        id = try Self.spawn(words, environment.merging(TestRun.variables) { own, _ in own }, &actions)
        TestRun.started(id)
        end.group.enter()
        // At once when it ends: exit tests wait for any child of this program, and find none of
        // their own while another has ended and was not waited for.
        Thread.detachNewThread { [id, end] in Self.wait(for: id, end, killsGroup: !hasSuccessors) }
    }

    deinit { kill() }

    public var isRunning: Bool { end.status.withLock { $0 == nil } }

    /// Sends a signal while the process runs.
    public func send(_ signal: CInt) {
        end.status.withLock { status in
            if status == nil { Foundation.kill(id, signal) }
        }
    }

    /// Waits for its end, ten minutes at most; then records an issue and kills it.
    /// - Returns: the exit status, or 128 and the number of the signal that ended it, or -1 where
    ///   something else waited for it.
    @discardableResult public func waitForEnd(sourceLocation: SourceLocation = #_sourceLocation) -> CInt {
        let seconds = Patience.seconds(TestSize.isRelease ? 86_400 : 600)
        if end.group.wait(timeout: .now() + .seconds(seconds)) == .timedOut {
            Issue.record("process \(id) has not ended in \(seconds) s", sourceLocation: sourceLocation)
            kill()
        }
        return end.status.withLock { $0 } ?? -1
    }

    /// Kills it and its group with SIGKILL, and waits for their end.
    public func kill() {
        end.status.withLock { status in
            if status == nil { Foundation.kill(-id, SIGKILL) }
        }
        end.group.wait()
        mayHaveSuccessors.withLock { mayHave in
            guard mayHave else { return }
            Foundation.kill(-id, SIGKILL)
            Self.waitForGroup(id)
            TestRun.ended(id)
            mayHave = false
        }
    }

    private static func spawn(
        _ words: [String], _ environment: [String: String], _ actions: inout posix_spawn_file_actions_t
    ) throws -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The child starts with default actions and no blocked signals.
        var (all, none) = (sigset_t(), sigset_t())
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        // POSIX_SPAWN_SETSID, which Swift's Glibc module does not have.
        let newSession = 0x80
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) | Int16(newSession))
        let arguments = words.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var id = pid_t()
        let code = posix_spawn(&id, words[0], &actions, &attributes, arguments, variables)
        guard code == 0 else { throw Failure(description: "\(words[0]): \(String(cString: strerror(code)))") }
        return id
    }

    private static func wait(for id: pid_t, _ end: End, killsGroup: Bool) {
        var details = siginfo_t()
        while waitid(P_PID, id_t(id), &details, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        end.status.withLock { end in
            // The kernel does not reuse the number before waitpid.
            if killsGroup { Foundation.kill(-id, SIGKILL) }
            var (status, waited) = (CInt(0), pid_t(0))
            repeat { waited = waitpid(id, &status, 0) } while waited < 0 && errno == EINTR
            end = waited != id ? -1 : status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
        }
        if killsGroup {
            waitForGroup(id)
            TestRun.ended(id)
        }
        end.group.leave()
    }

    /// Waits until nothing of a group that was killed runs. Where the machine's first process waits
    /// for no orphans, those that have ended stay in the group.
    private static func waitForGroup(_ id: pid_t) {
        waitAtMost(10) {
            Foundation.kill(-id, 0) != 0 || !RunningProcess.all.contains { $0.group == id && !$0.hasEnded }
        }
    }
}
