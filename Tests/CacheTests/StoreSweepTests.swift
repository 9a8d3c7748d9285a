import Foundation
import Purging
import TestSupport
import Testing

@testable import Cache
@testable import Store

/// Random stores, purges, troubles, restarts and kills, against a model that purges at once.
@Suite(.timeLimit(.minutes(10))) struct StoreSweepTests {
    private let scratch = Scratch()

    private enum State: Equatable {
        case fresh(String)
        case stale(String)
    }

    /// The state of each target in words, as a look-up finds it.
    private func found(_ reader: FileReader, _ target: String) -> State? {
        reader.lookup(key(target), at: noon).map { found in
            let body = String(decoding: found.body, as: UTF8.self)
            return found.lifetime.freshFor == 0 ? .stale(body) : .fresh(body)
        }
    }

    private func selection(_ random: inout SeededGenerator) -> EntrySelection {
        let number = Int.random(in: 0..<40, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return EntrySelection()
        case 1: return EntrySelection([.prefix("/\(number % 10)")])
        case 2: return EntrySelection([.resource(UInt64(number % 5))])
        default: return EntrySelection([.target("/\(number)")])
        }
    }

    @Test(arguments: 1...(TestSize.of(6, full: 60) as UInt64))
    func anAnswerIsFoundAsThePurgesLeaveIt(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var model: [String: (state: State, response: StoredResponse)] = [:]
        var path = scratch.file
        var store = scratch.open(file: path, now: { noon })
        var cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 16), file: store)
        var reader = store.makeReader()
        for step in 0..<400 {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<40:
                let number = Int.random(in: 0..<40, using: &random)
                let answer = response(
                    "/\(number)", "\(step)", born: cache.purges.newest, resources: [UInt64(number % 5)])
                store.store(answer)
                model["/\(number)"] = (.fresh("\(step)"), answer)
            case 40..<55:
                let (selection, mode) = (selection(&random), Bool.random(using: &random) ? PurgeMode.hard : .soft)
                cache.purge(selection, mode, at: noon) { _ in }
                for (target, entry) in model where selection.chooses(entry.response) {
                    guard mode == .soft, case .fresh(let body) = entry.state else {
                        if mode == .hard { model[target] = nil }
                        continue
                    }
                    model[target] = (.stale(body), entry.response)
                }
            case 55..<60: store.flush()
            case 60:
                let other = try Database(path: path, mode: .readWrite, busyTimeout: .seconds(60))
                try other.execute("BEGIN IMMEDIATE")
                store.flush()
                try other.execute("ROLLBACK")
            case 61:
                // Another life begins with the files as they are now: this one is killed.
                store.flush()
                _ = await withCheckedContinuation { continuation in
                    store.records.sync { continuation.resume(returning: $0) }
                }
                let copy = scratch.directory + "/\(step).sqlite"
                let files = ["", "-wal", ".segments"]
                try store.runner.queue.sync { [path] in
                    for file in files where FileManager.default.fileExists(atPath: path + file) {
                        try FileManager.default.copyItem(atPath: path + file, toPath: copy + file)
                    }
                }
                store.close()
                path = copy
                store = scratch.open(file: path, now: { noon })
                cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 16), file: store)
                reader = store.makeReader()
                try #require(store.health == .available, "seed \(seed), step \(step): \(scratch.said)")
            default:
                let target = "/\(Int.random(in: 0..<40, using: &random))"
                try #require(found(reader, target) == model[target]?.state, "seed \(seed), step \(step), \(target)")
            }
        }
        store.flush()
        waitUntil { !cache.purges.isSweeping }
        for number in 0..<40 {
            #expect(found(reader, "/\(number)") == model["/\(number)"]?.state, "seed \(seed), \(number)")
        }
        store.close()
        // Without the judgement of look-ups: the sweep has done all of it.
        let rows = try texts(path, "SELECT target || (fresh_for = 0) FROM entry ORDER BY target")
        let expected = model.map { target, entry in
            if case .stale = entry.state { target + "1" } else { target + "0" }
        }
        #expect(rows.sorted() == expected.sorted(), "seed \(seed)")
        #expect(store.status.damaged == 0)
    }
}
