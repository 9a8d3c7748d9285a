import Cache
import Dispatch
import Foundation
import Synchronization
import Text

/// Both tiers under twenty times what they may hold: what disk and memory are used at most, sampled
/// throughout.
enum PressureBenchmark {
    private static let memorySize = 64 << 20
    private static let cacheSize = 256 << 20
    private static let load = 20 * cacheSize
    private static let writers = 4
    private static let keys = 100_000

    /// The most of each that any sample saw, in bytes.
    private struct Peaks {
        var disk = 0
        var journal = 0
        var resident = 0
    }

    static func run() throws {
        let workspace = try Workspace()
        defer { workspace.remove() }
        let path = workspace.path + "/pressure.sqlite"
        let residentBefore = ProcessUse.residentBytes
        let writtenBefore = ProcessUse.writtenBytes
        let store = SQLiteStore.open(path: path, maxBytes: cacheSize) { report("  " + $0) }
        let cache = ResponseCache(memory: MemoryTier(maxBytes: memorySize), store: store)
        let sampler = Sampler(path)
        let start = ContinuousClock.now
        DispatchQueue.concurrentPerform(iterations: writers) { write(UInt64($0), cache) }
        cache.flush()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let peaks = sampler.stop()
        let status = store.status
        report(
            "pressure: \(load >> 20) MiB through memory_size \(memorySize >> 20) MiB and cache_size \(cacheSize >> 20) MiB"
        )
        report("  disk: at most \(mebibytes(peaks.disk)) MiB, of it journal \(mebibytes(peaks.journal)) MiB")
        report(
            "  memory: at most \(mebibytes(peaks.resident - residentBefore)) MiB more than before, at the end "
                + "\(mebibytes(ProcessUse.residentBytes - residentBefore)) MiB, of it the tier \(mebibytes(cache.memory.byteCount)) MiB"
        )
        report(
            "  rows written \(status.written), dropped \(status.dropped), evicted \(status.evicted), at the end "
                + "\(status.entries) of \(mebibytes(status.byteCount)) MiB; \(String(format: "%.1f", seconds)) s")
        report("  written to files: \(mebibytes(ProcessUse.writtenBytes - writtenBefore)) MiB")
        cache.close()
        guard peaks.disk <= cacheSize else { throw BenchError("cache_size does not hold") }
    }

    /// One writer's share: answers of 200 bytes to 200 KiB, each size class as likely as the next,
    /// and as many look-ups.
    private static func write(_ seed: UInt64, _ cache: ResponseCache) {
        var numbers = SplitMix64(seed: seed)
        let reader = cache.store?.makeReader()
        var sent = 0
        var step: Int64 = 0
        while sent < load / writers {
            let bytes = Int(200 * pow(1_024, Double.random(in: 0..<1, using: &numbers)))
            let number = Int.random(in: 0..<keys, using: &numbers)
            step += 1
            cache.store(CachedAnswers.answer(number, bytes: bytes, at: CachedAnswers.now + step / 1_000))
            _ = cache.lookup(
                CachedAnswers.key(Int.random(in: 0..<keys, using: &numbers)), reader, at: CachedAnswers.now)
            sent += bytes
        }
    }

    private static func mebibytes(_ bytes: Int) -> String {
        String(format: "%.1f", Double(bytes) / Double(1 << 20))
    }

    /// Looks every few milliseconds, on a thread of its own.
    private final class Sampler: Sendable {
        private let peaks = Mutex(Peaks())
        private let isStopped = Atomic<Bool>(false)
        private let done = DispatchSemaphore(value: 0)

        init(_ path: String) {
            Thread.detachNewThread { @Sendable [self] in
                while !isStopped.load(ordering: .relaxed) {
                    sample(path)
                    usleep(2_000)
                }
                done.signal()
            }
        }

        func stop() -> Peaks {
            isStopped.store(true, ordering: .relaxed)
            done.wait()
            return peaks.withLock { $0 }
        }

        private func sample(_ path: String) {
            let (disk, resident) = (ProcessUse.diskBytes(of: path), ProcessUse.residentBytes)
            peaks.withLock { peaks in
                peaks.disk = max(peaks.disk, disk.total)
                peaks.journal = max(peaks.journal, disk.journal)
                peaks.resident = max(peaks.resident, resident)
            }
        }
    }
}
