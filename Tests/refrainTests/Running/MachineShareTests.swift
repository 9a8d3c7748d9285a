import Testing

@testable import refrain

/// `workers auto` was a loop for each processor of the machine, however few a container may use.
@Suite struct MachineShareTests {
    private func share(_ files: [String: String]) -> MachineShare { MachineShare { files[$0] } }

    private let fourProcessors = "Name:\trefrain\nCpus_allowed:\tf\nCpus_allowed_list:\t0-2,5\nThreads:\t1\n"

    @Test func processorsThatItMayNotRunOnDoNotCount() {
        #expect(share(["/proc/self/status": fourProcessors]).processors == 4)
        #expect(share(["/proc/self/status": "Cpus_allowed_list:\t7\n"]).processors == 1)
        let possible = ["/proc/self/status": "Cpus_allowed_list:\t0-127\n", "/sys/devices/system/cpu/online": "0-3\n"]
        #expect(share(possible).processors == 4)
        #expect(share([:]).processors >= 1 && MachineShare.processors >= 1)
    }

    @Test(arguments: [
        ("150000 100000", 2), ("max 100000", 4), ("100000 100000", 1), ("10000 100000", 1), ("900000 100000", 4),
        ("junk", 4),
    ])
    func aVersionTwoQuotaIsABound(quota: String, processors: Int) {
        for place in ["", "/a.slice", "/a.slice/b.service"] {
            let files = [
                "/proc/self/status": fourProcessors, "/proc/self/cgroup": "0::/a.slice/b.service\n",
                "/sys/fs/cgroup\(place)/cpu.max": quota + "\n",
            ]
            #expect(share(files).processors == processors, "\(place)")
        }
    }

    @Test func aVersionOneQuotaIsABound() {
        var files = [
            "/proc/self/status": fourProcessors, "/proc/self/cgroup": "5:cpu,cpuacct:/a\n4:memory:/b\n0::/\n",
            "/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us": "250000\n", "/sys/fs/cgroup/cpu/a/cpu.cfs_period_us": "100000\n",
        ]
        #expect(share(files).processors == 3)
        files["/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us"] = "-1\n"
        #expect(share(files).processors == 4)
    }

    @Test func theLeastLimitOnMemoryCounts() {
        let unified = ["/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/memory.max": "536870912\n"]
        #expect(share(unified).memoryBytes == 512 << 20)
        let both = unified.merging(["/sys/fs/cgroup/a/b/memory.max": "max\n"]) { $1 }
        #expect(share(both).memoryBytes == 512 << 20)
        #expect(share(both.merging(["/sys/fs/cgroup/a/b/memory.max": "4096\n"]) { $1 }).memoryBytes == 4_096)
        var separate = ["/proc/self/cgroup": "4:memory:/b\n0::/\n"]
        separate["/sys/fs/cgroup/memory/b/memory.limit_in_bytes"] = "9223372036854771712\n"
        #expect(share(separate).memoryBytes == nil && share([:]).memoryBytes == nil)
        separate["/sys/fs/cgroup/memory/memory.limit_in_bytes"] = "1048576\n"
        #expect(share(separate).memoryBytes == 1 << 20)
    }
}
