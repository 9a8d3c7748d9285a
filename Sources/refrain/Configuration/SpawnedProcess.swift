import CLinux
import EventLoop
import Glibc

/// A child of this process. Its number is its own until its status has been taken.
struct SpawnedProcess: Sendable {
    /// The answer of waitpid(2).
    enum Status {
        case running
        /// With the status that waitpid(2) gives.
        case ended(CInt)
        /// Ended, and forgotten: this process ignores SIGCHLD.
        case forgotten
    }

    /// The target of a descriptor of the child.
    enum File {
        /// This process's descriptor of that number.
        case inherited
        case nowhere
        case copy(Descriptor)
    }

    /// Signals as the child begins with them.
    struct Signals {
        /// Signals with their default action. Others that this process ignores are ignored by
        /// the child too.
        var usual: sigset_t
        /// Signals that wait until the child lets them through.
        var held: sigset_t
    }

    let number: pid_t

    /// Starts a program by posix_spawn(3): a fork would copy the page tables of a large cache, and
    /// of several threads only one would live on in the child, in the middle of whatever the others
    /// did.
    /// - Parameters:
    ///   - program: a path, or a name that `PATH` leads to.
    ///   - arguments: with the program's own name in front.
    ///   - variables: set beside this process's, in place of others of their names.
    ///   - files: become 0, 1, 2 and so on in the child, in this order. It has no others.
    static func start(
        _ program: String, _ arguments: [String], variables: [String], files: [File], signals: Signals
    ) throws(SystemError) -> SpawnedProcess {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (place, file) in zip(CInt(0)..., files) {
            switch file {
            case .inherited: break
            case .nowhere: posix_spawn_file_actions_addopen(&actions, place, "/dev/null", O_RDWR, 0)
            case .copy(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor.number, place)
            }
        }
        _ = clinux_close_from(&actions, CInt(files.count))
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = signals
        posix_spawnattr_setsigdefault(&attributes, &signals.usual)
        posix_spawnattr_setsigmask(&attributes, &signals.held)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        let words = arguments.map { strdup($0) } + [nil]
        let settings = environment(with: variables).map { strdup($0) } + [nil]
        defer { for text in words + settings { free(text) } }
        var process: pid_t = 0
        let code = posix_spawnp(&process, program, &actions, &attributes, words, settings)
        guard code == 0 else { throw SystemError(call: "posix_spawn", errno: code) }
        return SpawnedProcess(number: process)
    }

    /// This process's variables, less those of the same names, and `others`.
    private static func environment(with others: [String]) -> [String] {
        var all: [String] = []
        var next = clinux_environment()
        let names = others.map { $0.prefix { $0 != "=" } }
        while let place = next, let variable = place.pointee {
            let text = String(cString: variable)
            if !names.contains(text.prefix { $0 != "=" }) { all.append(text) }
            next = place + 1
        }
        return all + others
    }

    /// Waits until it has ended, and takes no status.
    func awaitEnd(until deadline: Instant) {
        let handle = clinux_open_process(number)
        if handle >= 0 {
            defer { close(handle) }
            return Self.awaitEnd(by: handle, until: deadline)
        }
        // A kernel before 5.3, or a filter of system calls.
        var found = siginfo_t()
        while found.si_signo == 0, Instant.now() < deadline {
            guard waitid(P_PID, id_t(number), &found, WEXITED | WNOHANG | WNOWAIT) == 0 || errno == EINTR else {
                return
            }
            if found.si_signo == 0 { usleep(5000) }
        }
    }

    /// Waits until a descriptor of pidfd_open(2) is readable: its process has ended.
    private static func awaitEnd(by handle: CInt, until deadline: Instant) {
        var poller = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
        while true {
            let left = max(0, ((deadline - .now()).wholeNanoseconds + 999_999) / 1_000_000)
            guard poll(&poller, 1, CInt(clamping: left)) < 0, errno == EINTR else { return }
        }
    }

    /// Takes the status of one that has ended.
    func takeStatus() -> Status { wait(WNOHANG) }

    /// Ends it at once, if it has not ended by itself, and takes its status.
    @discardableResult
    func kill() -> Status {
        Glibc.kill(number, SIGKILL)
        return wait(0)
    }

    private func wait(_ options: CInt) -> Status {
        var status: CInt = 0
        while true {
            let found = waitpid(number, &status, options)
            if found == number { return .ended(status) }
            if found == 0 { return .running }
            guard errno == EINTR else { return .forgotten }
        }
    }
}

extension sigset_t {
    init(_ signals: [CInt]) {
        self.init()
        sigemptyset(&self)
        for signal in signals { sigaddset(&self, signal) }
    }

    static var all: sigset_t {
        var set = sigset_t()
        sigfillset(&set)
        return set
    }
}
