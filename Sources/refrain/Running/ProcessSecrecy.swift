import CLinux
import Glibc

/// Keeps the content of memory, tokens and users' answers, out of files and from other processes.
enum ProcessSecrecy {
    /// No core dump is written, and no other process of the same user can read the memory or the
    /// environment. Root can.
    static func apply() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        clinux_forbid_dumps()
    }
}
