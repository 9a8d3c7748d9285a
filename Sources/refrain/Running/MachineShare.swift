import Glibc

/// The part of the machine that this process may use: processors and memory.
struct MachineShare: Sendable {
    /// The content of a file; nil where it cannot be read.
    let read: @Sendable (_ path: String) -> String?

    static let ofThisProcess = MachineShare { @Sendable path in
        (try? FileAccess.system.read(path)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Read once: a proxy does not change how many loops it has.
    static let processors = ofThisProcess.processors

    /// Processors that it may run on (sched_getaffinity(2)), and no more than are online or than
    /// its control group may use at once, rounded up. Without a cpuset it may run on all that there
    /// could ever be.
    var processors: Int {
        let status = read("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
        let allowed = status?.split(separator: "\t").last.map(Self.count) ?? Int(sysconf(CInt(_SC_NPROCESSORS_ONLN)))
        let online = read("/sys/devices/system/cpu/online").map { Self.count($0[...]) } ?? .max
        let quotas = folders(of: "cpu").compactMap { folder -> Int? in
            // Microseconds in each period; "max" or -1 for no limit.
            let words =
                read(folder + "/cpu.max")?.split(whereSeparator: \.isWhitespace).map(String.init)
                ?? ["cpu.cfs_quota_us", "cpu.cfs_period_us"].compactMap { read(folder + "/" + $0) }
            let numbers = words.compactMap { Self.number($0) }
            guard numbers.count == 2, numbers[0] > 0, numbers[1] > 0 else { return nil }
            return (numbers[0] - 1) / numbers[1] + 1
        }
        return max(1, min(allowed, online, quotas.min() ?? .max))
    }

    /// The memory that its control group may take, in bytes; nil where there is no limit.
    var memoryBytes: Int? {
        let limits = folders(of: "memory").compactMap { folder in
            (read(folder + "/memory.max") ?? read(folder + "/memory.limit_in_bytes")).flatMap(Self.number)
        }
        // Version 1 has a number of pages for no limit.
        return limits.min().flatMap { $0 < 1 << 60 ? $0 : nil }
    }

    /// The folders of its group and of all groups above that, for a controller of version 1 or 2
    /// (cgroups(7)).
    private func folders(of controller: String) -> [String] {
        let lines = read("/proc/self/cgroup")?.split(separator: "\n") ?? []
        return lines.flatMap { line -> [String] in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return [] }
            let isUnified = parts[1].isEmpty
            guard isUnified || parts[1].split(separator: ",").contains(Substring(controller)) else { return [] }
            var path = "/sys/fs/cgroup" + (isUnified ? "" : "/" + controller)
            var folders = [path]
            for name in parts[2].split(separator: "/") {
                path += "/" + name
                folders.append(path)
            }
            return folders
        }
    }

    /// How many numbers a list such as `0-3,6` names.
    private static func count(_ list: Substring) -> Int {
        list.split(separator: ",").reduce(0) { sum, range in
            let ends = range.split(separator: "-").compactMap { number(String($0)) }
            guard let first = ends.first, let last = ends.last else { return sum }
            return sum + last - first + 1
        }
    }

    private static func number(_ text: String) -> Int? { Int(text.split(whereSeparator: \.isWhitespace).first ?? "") }
}

extension Configuration {
    /// Number of loops. Each has its own connections to the origin, so there cannot be more loops
    /// than connections.
    var loopCount: Int { min(workers ?? MachineShare.processors, upstreamConnections) }
}
