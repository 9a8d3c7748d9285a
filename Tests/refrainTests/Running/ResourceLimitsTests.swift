import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Store
@testable import refrain

/// A proxy without threads or memory hung in silence, and heeded no signal.
@Suite struct ResourceLimitsTests {
    private func configuration(_ lines: String) throws -> Configuration { try read(lines).configuration }

    private var ample: ResourceLimits {
        ResourceLimits(descriptors: .max, addressBytes: nil, memoryBytes: nil) { _, _ in nil }
    }

    @Test func threadsAndMemoryAreTriedAtTheStart() throws {
        let configuration = try configuration("workers 4\nadmin_listen off\nmemory_size 8MiB")
        var limits = ample
        #expect(configuration.lack(under: limits) == nil)
        limits.rehearse = { threads, bytes in threads > 12 || bytes != nil ? EAGAIN : nil }
        #expect(configuration.lack(under: limits) == nil, "four loops and eight others")
        let more = try self.configuration("workers 5\nadmin_listen off")
        #expect(more.lack(under: limits)?.hasPrefix("cannot start 13 threads:") == true)
        let most = try self.configuration("workers 1000\nupstream_connections 1000\nadmin_listen off")
        #expect(most.lack(under: limits)?.hasPrefix("cannot start 263 threads:") == true, "255 of them for loops")
        limits.addressBytes = 1 << 30
        let words = try #require(configuration.lack(under: limits))
        #expect(words.hasPrefix("cannot start 12 threads with 104.0 MiB of memory: "), "\(words)")
        #expect(!words.contains("\n"))
    }

    @Test func eachLoopNeedsDescriptors() throws {
        let lines = "workers 4\nadmin_listen off\nlisten 127.0.0.1:1\nlisten 127.0.0.1:2"
        var limits = ample
        limits.descriptors = 36
        #expect(try configuration(lines).lack(under: limits) == nil)
        limits.descriptors = 35
        #expect(try configuration(lines).lack(under: limits)?.hasPrefix("4 loops need 36 descriptors") == true)
    }

    @Test func threadsAndMemoryAreThereAtOnce() {
        #expect(ThreadRehearsal.run(20, beside: nil) == nil)
        #expect(ThreadRehearsal.run(1, beside: 1 << 20) == nil)
        #expect(ThreadRehearsal.run(1, beside: 1 << 60) == ENOMEM)
    }

    @Test func settingsThatAllowMoreThanTheLimitsAreAWarning() throws {
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
    }

    /// The workers were fewer, and nothing said so.
    @Test func moreWorkersThanConnectionsAreAWarning() throws {
        let found = try configuration("workers 1000").resourceWarnings(ample)
        #expect(found == ["workers 1000: only 64 loops run, one for each of upstream_connections"])
        #expect(try configuration("workers 1000\nupstream_connections 1000").resourceWarnings(ample).isEmpty)
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
