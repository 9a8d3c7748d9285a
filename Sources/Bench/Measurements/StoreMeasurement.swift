import Cache
import Foundation
import Store
import Text

/// Both tiers with a thousand and with a million entries: a look-up at random, opening, and how
/// large the file is.
enum StoreMeasurement {
    private static let counts = [1_000, 1_000_000]
    private static let lookups = 20_000
    /// Most bytes that wait for the writer: its queue must drop nothing.
    private static let bytesPerFlush = 16 << 20
    /// Bodies in memory, where their size does not matter and a million of them has to fit.
    private static let memoryBodyBytes = 800
    private static let name = "store"

    private struct Figures {
        /// Milliseconds until the file is open, and until it has given its first answer.
        var open = 0.0
        var firstAnswer = 0.0
        /// Microseconds, of each round of look-ups.
        var p50: [Double] = []
        /// The file's size divided by that of the stored answers.
        var fileRatio = 0.0
    }

    static func run(_ lab: Lab) throws -> [ResultRow] {
        let paths = counts.map { lab.workspace.path + "/\($0).sqlite" }
        defer { for path in paths { remove(path) } }
        var disk = try zip(counts, paths).map { try fill($1, $0) }
        try lookUpInFiles(paths, rounds: lab.plan.rounds, &disk)
        let memory = lookUpInMemory(rounds: lab.plan.rounds)
        let size = ResultRow(
            measurement: name, name: "its size for each stored byte", unit: "bytes", ours: disk[1].fileRatio,
            target: .atMost(1.15))
        return [
            row("look-up in the file, a million entries", disk, .atMost(1.5)),
            row("look-up in memory, a million entries", memory, .atMost(2)),
            opening("opening a file of a million entries", disk[1].open),
            opening("opening it and answering the first hit", disk[1].firstAnswer), size,
        ]
    }

    private static func opening(_ title: String, _ milliseconds: Double) -> ResultRow {
        ResultRow(measurement: name, name: title, unit: "ms", ours: milliseconds, target: .atMost(500))
    }

    private static func row(_ title: String, _ figures: [Figures], _ target: Target) -> ResultRow {
        let ratio = zip(figures[1].p50, figures[0].p50).map { $0 / $1 }.median
        return ResultRow(
            measurement: name, name: title, unit: "us", ours: figures[1].p50.median,
            others: [Other(name: "a thousand", figure: figures[0].p50.median, ratio: ratio, target: target)])
    }

    private static func fill(_ path: String, _ count: Int) throws -> Figures {
        let store = open(path)
        var (stored, waiting) = (0, 0)
        for number in 0..<count {
            let answer = CachedAnswers.answer(
                number, bytes: CachedAnswers.realisticBytes(number), at: CachedAnswers.now + Int64(number / 1_000))
            store.store(answer)
            stored += CachedAnswers.storedBytes(answer)
            waiting += answer.body.count
            if waiting >= bytesPerFlush {
                store.records.flush()
                waiting = 0
            }
        }
        store.records.flush()
        let entries = store.records.entries
        store.records.close()
        guard entries == count else { throw BenchError("\(entries) entries instead of \(count)") }
        var figures = Figures()
        figures.fileRatio = Double(ProcessUse.diskBytes(of: path)) / Double(stored)
        (figures.open, figures.firstAnswer) = try openingTimes(path, count)
        return figures
    }

    /// Milliseconds until the file is open, and until one answer, another each time, has come.
    private static func openingTimes(_ path: String, _ count: Int) throws -> (open: Double, firstAnswer: Double) {
        var (opened, answered): ([Double], [Double]) = ([], [])
        for attempt in 0..<5 {
            let key = CachedAnswers.key(count / 7 * attempt)
            let start = ContinuousClock.now
            let store = open(path)
            opened.append((ContinuousClock.now - start) / .milliseconds(1))
            let found = store.makeReader().lookup(key, at: CachedAnswers.now)
            answered.append((ContinuousClock.now - start) / .milliseconds(1))
            store.records.close()
            guard found != nil else { throw BenchError("what is stored is not found after opening") }
        }
        return (opened.median, answered.median)
    }

    /// Both files are open at once and looked up in turns.
    private static func lookUpInFiles(_ paths: [String], rounds: Int, _ figures: inout [Figures]) throws {
        let stores = paths.map(open)
        defer { for store in stores { store.records.close() } }
        let readers = stores.map { $0.makeReader() }
        for round in 0..<rounds {
            for index in paths.indices {
                let reader = readers[index]
                measure(counts[index], round, &figures[index]) { reader.lookup($0, at: CachedAnswers.now) != nil }
            }
        }
    }

    private static func lookUpInMemory(rounds: Int) -> [Figures] {
        let tiers = counts.map { count in
            let tier = MemoryTier(maxBytes: 8 << 30)
            for number in 0..<count { tier.store(CachedAnswers.answer(number, bytes: memoryBodyBytes)) }
            return tier
        }
        var figures = counts.map { _ in Figures() }
        for round in 0..<rounds {
            for index in tiers.indices {
                measure(counts[index], round, &figures[index]) { tiers[index].lookup($0) != nil }
            }
        }
        return figures
    }

    /// The keys are made beforehand and looked up twice: the first pass warms caches, as in a
    /// running proxy.
    private static func measure(_ count: Int, _ round: Int, _ figures: inout Figures, _ lookup: (CacheKey) -> Bool) {
        var numbers = SplitMix64(seed: UInt64(round))
        let keys = (0..<lookups).map { _ in CachedAnswers.key(Int.random(in: 0..<count, using: &numbers)) }
        var found = keys.count { lookup($0) }
        let clock = ContinuousClock()
        let microseconds = keys.map { key in
            clock.measure { if lookup(key) { found += 1 } } / .microseconds(1)
        }.sorted()
        precondition(found == 2 * lookups, "everything stored is found")
        figures.p50.append(microseconds[lookups / 2])
    }

    private static func open(_ path: String) -> FileTier {
        FileTier.open(path: path, maxBytes: 16 << 30, classNames: ["albums", "songs"]) { report("  " + $0) }
    }

    private static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", ".segments"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}
