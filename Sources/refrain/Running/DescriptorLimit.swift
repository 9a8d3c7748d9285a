import Glibc

/// How many descriptors the process may have: one a client, one an upstream connection, one for
/// each of a few hundred large bodies, a handful for files.
enum DescriptorLimit {
    /// The limit once it is raised.
    static var most: Int { limit.map { Int(clamping: $0.rlim_max) } ?? .max }

    static var now: Int { limit.map { Int(clamping: $0.rlim_cur) } ?? .max }

    private static var limit: rlimit? {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit : nil
    }

    /// Raises the soft limit to the hard one, as servers do: the soft default of 1024 is for
    /// programs that use select(2).
    static func raise() {
        guard var limit, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
