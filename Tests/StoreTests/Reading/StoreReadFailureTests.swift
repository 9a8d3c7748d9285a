import Foundation
import Purging
import Testing

@testable import Store

/// A read that the disk fails once is a miss, and costs neither the cache nor a right answer.
@Suite(.timeLimit(.minutes(10))) struct StoreReadFailureTests {
    let scratch = Scratch()
    private static let entries = numbered(60)

    /// Whether all that was stored is found, a second after `moment`.
    private func isWhole(_ store: RecordStore, _ reader: RecordReader, after moment: Int64) -> Bool {
        store.flush()
        return Self.entries.allSatisfy { content(reader.find($0.key, at: moment + 1)) == content($0) }
    }

    /// SQLite calls the file malformed then.
    @Test func aLookUpThatTheDiskFailsDoesNotCostTheFile() {
        scratch.fill(Self.entries)
        let store = scratch.open()
        var failures = 0
        for spared in 0..<60 {
            let moment = noon + Int64(spared) * 2
            // One that has no pages of the file yet, and asks the database.
            let reader = store.makeReader()
            store.shared.directory.forget()
            failures += FailingReads.run(in: scratch.directory, after: spared) {
                for each in Self.entries {
                    guard let found = reader.find(each.key, at: moment) else { continue }
                    #expect(content(found) == content(each))
                }
            }
            #expect(isWhole(store, reader, after: moment), "read \(spared)")
        }
        // Some failed for the writer, which caps times and learns keys meanwhile.
        #expect(failures > 0 && (1...failures).contains(store.status.failedReads), "\(failures): \(store.status)")
        #expect(scratch.setAside.isEmpty && store.status.damaged == 0 && store.health == .available, "\(scratch.said)")
    }

    @Test func aWriteInWhichAReadFailsDoesNotCostTheFile() {
        scratch.fill(Self.entries)
        var failures = 0
        for spared in 0..<40 {
            let (store, reader) = scratch.openWithReader()
            failures += FailingReads.run(in: scratch.directory, after: spared) {
                for each in Self.entries.prefix(20) { store.store(each) }
                store.remove("/none")
                store.flush()
            }
            store.flush()
            #expect(isWhole(store, reader, after: noon), "read \(spared)")
            #expect(store.health == .available && store.status.damaged == 0, "read \(spared): \(scratch.said)")
            store.close()
        }
        #expect(failures > 0)
        #expect(scratch.setAside.isEmpty, "\(scratch.said)")
    }

    @Test func aStartInWhichAReadFailsDoesNotCostTheFile() {
        scratch.fill(Self.entries)
        var failures = 0
        for spared in 0..<12 {
            var opened: RecordStore?
            failures += FailingReads.run(in: scratch.directory, after: spared) { opened = scratch.open() }
            guard let store = opened else { return }
            #expect(isWhole(store, store.makeReader(), after: noon), "read \(spared): \(scratch.said)")
            store.close()
        }
        #expect(failures > 0 && scratch.setAside.isEmpty, "\(failures): \(scratch.said)")
    }

    @Test func aWalkThatTheDiskFailsEndsAndDoesNotCostTheFile() async {
        scratch.fill(Self.entries)
        let store = scratch.open()
        FailingReads.run(in: scratch.directory, 100) {
            var visit = RecordWalk(store.shared, store.runner)
            visit.run { _ in true }
        }
        #expect(store.status.failedReads > 0, "a visit reports it too")
        for spared in [2, 4, 6] {
            FailingReads.run(in: scratch.directory, after: spared, 100) {
                var visit = RecordWalk(store.shared, store.runner)
                visit.run { _ in true }
                #expect(store.list(EntrySelection(), limit: 100).count < Self.entries.count)
                while let piece = store.check.checkPiece(), !piece.isLast {}
            }
        }
        #expect(store.status.failedReads >= 6 && store.status.damaged == 0)
        #expect(isWhole(store, store.makeReader(), after: noon) && scratch.setAside.isEmpty)
    }

    @Test func aFileIsSetAsideAtTheSecondFailure() throws {
        scratch.fill(Self.entries)
        let file = DatabaseFile(path: scratch.file, maxBytes: 64 << 20, isTemporary: false, log: { _ in })
        for failures in [1, 2] {
            var attempts = 0
            try file.judgedTwice { () throws(FileUnavailable) -> Result<Void, DatabaseFile.Damage> in
                attempts += 1
                return attempts <= failures ? .failure(DatabaseFile.Damage(reason: "so it seemed")) : .success(())
            }
            #expect(attempts == failures + 1 && scratch.setAside.count == failures - 1, "\(scratch.names)")
        }
    }

    @Test func aFileThatCannotBeReadNowIsNotJudged() throws {
        scratch.fill(Self.entries)
        let store = scratch.open()
        FailingReads.run(in: scratch.directory, 10_000) {
            for _ in 0..<3 {
                store.report("so it seemed")
                store.runner.queue.sync {}
            }
            store.flush()
        }
        store.flush()
        #expect(scratch.setAside.isEmpty && isWhole(store, store.makeReader(), after: noon))
    }
}
