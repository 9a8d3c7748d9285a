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

    let number: pid_t

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
