import EventLoop
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Store
@testable import refrain

/// A proxy without threads or memory hung in silence, and heeded no signal.
@Suite(.timeLimit(.minutes(10))) struct ResourceLimitsTests {
    private func configuration(_ lines: String) throws -> Configuration { try read(lines).configuration }

    private var ample: ResourceLimits {
        ResourceLimits(descriptors: .max, addressBytes: nil, memoryBytes: nil) { _, _ in nil }
    }

    @Test func threadsAndMemoryAreTriedAtTheStart() throws {
        let configuration = try configuration("workers 4\nadmin_listen off\nmemory_size 8MiB")
        var limits = ample
        #expect(configuration.shortage(under: limits) == nil)
        limits.rehearse = { threads, bytes in threads > 11 || bytes != nil ? EAGAIN : nil }
        #expect(configuration.shortage(under: limits) == nil, "four loops and seven others")
        let more = try self.configuration("workers 5\nadmin_listen off")
        #expect(more.shortage(under: limits)?.hasPrefix("cannot start 12 threads:") == true)
        // The admin listener and the tier have a loop each.
        let node = try self.configuration("workers 4\nshared_tier redis://127.0.0.1:6379")
        #expect(node.shortage(under: limits)?.hasPrefix("cannot start 13 threads:") == true)
        let most = try self.configuration("workers 1000\nupstream_connections 1000\nadmin_listen off")
        #expect(most.shortage(under: limits)?.hasPrefix("cannot start 262 threads:") == true, "255 of them for loops")
        limits.addressBytes = 1 << 30
        let words = try #require(configuration.shortage(under: limits))
        #expect(words.hasPrefix("cannot start 11 threads with 104.0 MiB of memory: "), "\(words)")
        #expect(!words.contains("\n"))
        #expect(ThreadRehearsal.run(20, beside: nil) == nil)
        #expect(ThreadRehearsal.run(1, beside: 1 << 20) == nil)
        #expect(ThreadRehearsal.run(1, beside: 1 << 60) == ENOMEM)
    }

    @Test func eachLoopNeedsDescriptors() throws {
        let lines = "workers 4\nadmin_listen off\nlisten 127.0.0.1:1\nlisten 127.0.0.1:2"
        var limits = ample
        limits.descriptors = 36
        #expect(try configuration(lines).shortage(under: limits) == nil)
        limits.descriptors = 35
        #expect(try configuration(lines).shortage(under: limits)?.hasPrefix("4 loops need 36 descriptors") == true)
    }

    @Test func settingsBeyondTheLimitsAreAWarning() throws {
        let configuration = try configuration("")
        let most = configuration.memoryBounds.sum
        var limits = ample
        (limits.memoryBytes, limits.addressBytes) = (most, most)
        #expect(configuration.resourceWarnings(limits).isEmpty)
        limits.memoryBytes = most - 1
        #expect(configuration.resourceWarnings(limits).count { $0.contains("kills the process beyond that") } == 1)
        limits.addressBytes = most - 1
        #expect(configuration.resourceWarnings(limits).count == 2)
        #expect(configuration.resourceWarnings(limits).last?.contains("allocations fail beyond that") == true)
        // The workers were fewer, and nothing said so.
        let found = try self.configuration("workers 1000").resourceWarnings(ample)
        #expect(found == ["workers 1000: only 64 loops run, one for each of upstream_connections"])
        #expect(try self.configuration("workers 1000\nupstream_connections 1000").resourceWarnings(ample).isEmpty)
    }

    @Test func anOversizedCacheIsAWarning() throws {
        let folder = try TemporaryFolder()
        let path = try folder.put([UInt8](repeating: 1, count: 1 << 20), "cache.sqlite")
        let lines = "cache_file \(path)\ncache_size 1MiB"
        #expect(try configuration(lines).resourceWarnings(ample).isEmpty)
        #expect(mkdir(Segments.folder(of: path), 0o700) == 0)
        try folder.put([1], "cache.sqlite.segments/000001")
        let found = try configuration(lines).resourceWarnings(ample)
        #expect(found.count == 1 && found[0].hasPrefix("cache_size 1.0 MiB: \(path) takes 1.0 MiB now"), "\(found)")
    }
}

/// `workers auto` was a loop for each processor of the machine, however few a container may use.
@Suite(.timeLimit(.minutes(10))) struct MachineShareTests {
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

@Suite(.timeLimit(.minutes(10))) struct HeapRoomTests {
    private let page = Int(sysconf(Int32(_SC_PAGESIZE)))

    /// Counts on a new thread, whose memory is its own (glibc gives each thread an arena).
    private func count(_ body: @escaping @Sendable () -> Int) -> Int {
        let counted = Mutex(0)
        let thread = Thread { counted.withLock { $0 = body() } }
        thread.start()
        waitUntil { thread.isFinished }
        return counted.withLock { $0 }
    }

    private func isPresent(_ address: UnsafeMutableRawPointer) -> Bool {
        var present: UInt8 = 0
        mincore(UnsafeMutableRawPointer(bitPattern: Int(bitPattern: address) & ~(page - 1)), page, &present)
        return present & 1 == 1
    }

    /// Counts those of 4,096 answers of 2 KiB after which the kernel has yet to bring a page. The
    /// page of their end is present: the C library writes there how much is left.
    private func missingPages(_ kept: inout [UnsafeMutableRawPointer], tellingOf room: inout HeapRoom?) -> Int {
        var missing = 0
        for _ in 0..<4096 {
            let answer = malloc(2048)!
            if !isPresent(answer + 2048 + page) { missing += 1 }
            memset(answer, 1, 2048)
            kept.append(answer)
            room?.note(2048)
        }
        return missing
    }

    /// Whether the kernel brings pages on request, which it does from 5.14 on.
    private var kernelPopulates: Bool {
        let memory = mmap(nil, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
        defer { munmap(memory, page) }
        return madvise(memory, page, MADV_POPULATE_WRITE) == 0
    }

    @Test func keptMemoryHasItsPages() {
        // Free memory at the end of the heap would go back to the kernel otherwise.
        AllocatorSettings.apply()
        let with = count {
            var kept: [UnsafeMutableRawPointer] = []
            defer { for answer in kept { free(answer) } }
            var (noRoom, room): (HeapRoom?, HeapRoom?) = (nil, HeapRoom())
            // The holes that others have left in this memory are filled first.
            while missingPages(&kept, tellingOf: &noRoom) < 1000, kept.count < 1 << 17 {}
            return missingPages(&kept, tellingOf: &room)
        }
        #expect(with < 250 || !kernelPopulates || Patience.isSanitized, "\(with) pages were missing")
    }

    @Test func roomIsNoMemoryThatIsHeld() {
        let heldPages = count {
            var room = HeapRoom()
            let before = residentPages()
            for _ in 0..<10_000 { room.note(HeapRoom.piece) }
            return residentPages() - before
        }
        // Other tests take memory meanwhile, if not a GiB; this test asks for more.
        #expect(heldPages * page < 900 << 20)
    }
}

private func residentPages() -> Int {
    let sizes = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return Int(sizes.split(separator: " ").dropFirst().first ?? "") ?? 0
}
