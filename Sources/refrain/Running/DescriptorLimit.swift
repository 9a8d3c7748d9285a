import Glibc

/// How many descriptors the process may have: one a client, one an upstream connection, one for
/// each of a few hundred large bodies, a handful for files.
enum DescriptorLimit {
    /// Raises the soft limit to the hard one, as servers do: the soft default of 1024 is for
    /// programs that use select(2).
    static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max
        else {
            return
        }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
