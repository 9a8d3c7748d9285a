import Cache
import Foundation

/// Both tiers with a thousand and with a million entries: opening, a look-up at random, and how fast they fill.
enum StoreBenchmark {
    private static let counts = [1_000, 1_000_000]
    private static let bodyBytes = 800
    private static let lookups = 20_000
    /// Stored between two waits for the writer, so that its queue drops nothing.
    private static let storesPerFlush = 15_000

    private struct Figures {
        var openSeconds = 0.0
        /// Microseconds.
        var p50 = 0.0
        var p99 = 0.0
    }

    static func run() throws {
        let workspace = try Workspace()
        defer { workspace.remove() }
        report("store: bodies of \(bodyBytes) bytes, \(lookups) look-ups at random")
        let onDisk = try counts.map { try disk($0, workspace) }
        let inMemory = counts.map(memory)
        for (tier, figures) in [("disk", onDisk), ("memory", inMemory)] {
            report(
                String(
                    format: "  %@: look-up in a million / in a thousand: p50 %.2f, p99 %.2f", tier,
                    figures[1].p50 / figures[0].p50, figures[1].p99 / figures[0].p99))
        }
        report(String(format: "  opening a million: %.1f ms, target 1000", onDisk[1].openSeconds * 1_000))
    }

    private static func disk(_ count: Int, _ workspace: Workspace) throws -> Figures {
        let path = workspace.path + "/\(count).sqlite"
        try fill(path, count)
        var figures = Figures()
        figures.openSeconds =
            (0..<5).map { _ in
                var store: SQLiteStore?
                let seconds = time { store = open(path) }
                store?.close()
                return seconds
            }.median
        let store = open(path)
        defer { store.close() }
        guard store.entries == count else { throw BenchError("\(store.entries) rows instead of \(count)") }
        let reader = store.makeReader()
        measureLookups(count, &figures) { reader.lookup($0, at: CachedAnswers.now) != nil }
        report(
            String(
                format: "  disk, %d rows: open %.1f ms, look-up p50 %.1f us, p99 %.1f us", count,
                figures.openSeconds * 1_000, figures.p50, figures.p99))
        return figures
    }

    private static func fill(_ path: String, _ count: Int) throws {
        let store = open(path)
        defer { store.close() }
        let writtenBefore = ProcessUse.writtenBytes
        let seconds = time {
            for number in 0..<count {
                store.store(
                    CachedAnswers.answer(number, bytes: bodyBytes, at: CachedAnswers.now + Int64(number / 1_000)))
                if number % storesPerFlush == storesPerFlush - 1 { store.flush() }
            }
            store.flush()
        }
        let written = ProcessUse.writtenBytes - writtenBefore
        report(
            String(
                format: "  disk, %d rows: %.0f rows/s, %.1f bytes written for each stored, file %d MiB", count,
                Double(count) / seconds, Double(written) / Double(max(store.byteCount, 1)),
                ProcessUse.diskBytes(of: path).total >> 20))
    }

    private static func memory(_ count: Int) -> Figures {
        let tier = MemoryTier(maxBytes: 8 << 30)
        let seconds = time {
            for number in 0..<count { tier.store(CachedAnswers.answer(number, bytes: bodyBytes)) }
        }
        var figures = Figures()
        measureLookups(count, &figures) { tier.lookup($0) != nil }
        report(
            String(
                format: "  memory, %d entries: %.0f entries/s, look-up p50 %.2f us, p99 %.2f us", count,
                Double(count) / seconds, figures.p50, figures.p99))
        return figures
    }

    /// The keys are made beforehand and looked up twice: the first round warms what a running proxy has warm.
    private static func measureLookups(_ count: Int, _ figures: inout Figures, _ lookup: (CacheKey) -> Bool) {
        var numbers = SeededNumbers(seed: 1)
        let keys = (0..<lookups).map { _ in CachedAnswers.key(Int.random(in: 0..<count, using: &numbers)) }
        var found = keys.count { lookup($0) }
        let microseconds = keys.map { key in
            time { if lookup(key) { found += 1 } } * 1e6
        }.sorted()
        precondition(found == 2 * lookups, "everything stored is found")
        figures.p50 = microseconds[lookups / 2]
        figures.p99 = microseconds[lookups * 99 / 100]
    }

    private static func open(_ path: String) -> SQLiteStore {
        SQLiteStore.open(path: path, maxBytes: 16 << 30, classNames: ["albums", "songs"]) { report("  " + $0) }
    }

    private static func time(_ body: () -> Void) -> Double {
        let duration = ContinuousClock().measure(body)
        return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}
