import CLinux
import EventLoop
import Glibc

/// Programs of the system that answer soon, such as systemctl(1).
enum SystemProgram {
    private static let patience: Duration = .seconds(3)
    private static let mostBytes = 1 << 20

    /// The standard output of a program, once it has ended with 0.
    /// - Parameter words: its name, which `PATH` leads to, and its arguments.
    static func output(of words: [String]) throws(FileProblem) -> String {
        let mine: Descriptor
        let process: pid_t
        do throws(SystemError) {
            let (one, its) = try Descriptor.pair()
            (mine, process) = (one, try start(words, output: its))
        } catch {
            throw FileProblem(code: error.errno)
        }
        let bytes = read(mine)
        if bytes == nil { kill(process, SIGKILL) }
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard let bytes else { throw FileProblem("no answer within \(patience.components.seconds) seconds") }
        guard status == 0 else { throw FileProblem("it failed") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// With the usual signals: those that this program ignores would be ignored by the child too.
    private static func start(_ words: [String], output: Descriptor) throws(SystemError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, output.number, STDOUT_FILENO)
        _ = clinux_close_from(&actions, 3)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (usual, none) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&usual)
        posix_spawnattr_setsigdefault(&attributes, &usual)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        let arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, words[0], &actions, &attributes, arguments, clinux_environment())
        guard code == 0 else { throw SystemError(call: "posix_spawn", errno: code) }
        return process
    }

    /// The bytes up to the end; nil where that does not come in time.
    private static func read(_ end: Descriptor) -> [UInt8]? {
        let deadline = Instant.now() + patience
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count < mostBytes {
            let left = (deadline - .now()).wholeNanoseconds / 1_000_000
            var wanted = pollfd(fd: end.number, events: Int16(POLLIN), revents: 0)
            guard left > 0 else { return nil }
            let ready = poll(&wanted, 1, CInt(clamping: left))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return nil }
            let count = Glibc.read(end.number, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += chunk[..<count]
        }
        return nil
    }
}
