import Testing

@testable import Purging

/// A file's purges beside those of the process that opens it.
@Suite struct PurgeRestoreTests {
    private func entry(_ number: Int64, _ target: String, _ mode: PurgeMode = .hard) -> PurgeList.Entry {
        PurgeList.Entry(number: number, selection: selection(target), mode: mode)
    }

    private func selection(_ target: String) -> EntrySelection { EntrySelection([.target(Array(target.utf8))]) }

    private func list(_ targets: String..., maxBytes: Int = PurgeList.maxBytes) -> PurgeList {
        var list = PurgeList(maxBytes: maxBytes)
        for target in targets { _ = list.note(selection(target), .hard) }
        return list
    }

    @Test func anEmptyListTakesTheFilesNumbers() {
        var list = PurgeList()
        #expect(list.restore([entry(9, "/b", .soft), entry(4, "/a")], forgotten: 3, swept: 0).isEmpty)
        #expect(list.newest == 9 && list.forgotten == 3 && list.entries(since: 0).map(\.number) == [4, 9])
    }

    /// The next purge got number 1, and did not concern what the file had: it had others.
    @Test func numbersGoOnWhereAFileHasNothingButSweptPurges() {
        var list = PurgeList()
        #expect(list.restore([], forgotten: 0, swept: 6).isEmpty && list.newest == 6 && list.swept == 6)
        #expect(list.note(selection("/a"), .hard).number == 7)
    }

    /// The same file again, or a new one: none of its answers was born under a higher number.
    @Test func laterPurgesKeepTheirNumbers() {
        var list = list("/a", "/b", "/c")
        _ = list.restore([], forgotten: 0, swept: 0)
        let known = list.entries(since: 0)
        #expect(list.restore(Array(known[..<2]), forgotten: 0, swept: 0) == [known[2]])
        #expect(list.restore(known, forgotten: 0, swept: 0).isEmpty)
        #expect(list.restore([], forgotten: 0, swept: 0) == known)
        #expect(list.newest == 3 && list.entries(since: 0) == known)
    }

    /// An answer of the file that was born under the same number had not been purged.
    @Test func purgesBesideTheFilesAreNumberedAnew() {
        var list = list("/a", "/b")
        #expect(
            list.restore([entry(1, "/x"), entry(2, "/y"), entry(3, "/z")], forgotten: 0, swept: 0).map(\.number) == [
                4, 5,
            ])
        #expect(
            list.entries(since: 0)
                == [entry(1, "/x"), entry(2, "/y"), entry(3, "/z"), entry(4, "/a"), entry(5, "/b")])
        list = self.list("/a", "/b")
        #expect(list.restore([], forgotten: 7, swept: 0).map(\.number) == [8, 9] && list.forgotten == 7)
    }

    /// More than there is room for became one of everything under the number of a purge of the
    /// file, which then took its place.
    @Test func aFilesPurgesThatThereIsNoRoomForStillCount() {
        for swept in [0, 30] as [Int64] {
            let known = (1...200 as ClosedRange<Int64>).map { entry($0, "/\($0)", $0 % 3 == 0 ? .soft : .hard) }
            var list = PurgeList(maxBytes: 4_096)
            _ = list.restore(known, forgotten: 0, swept: swept)
            for purge in known where purge.number > swept {
                let answer = ModelAnswer(
                    targets: [Array("/\(purge.number)".utf8)], storefront: [], classTag: 1, named: [])
                let verdict = list.effect(on: answer, since: purge.number - 1).verdict()
                #expect(verdict == .gone || verdict == .stale && purge.mode == .soft, "\(purge.number)")
            }
            #expect(list.forgotten <= swept && list.widenings > 0 && list.newest > 200)
        }
    }

    /// They may have chosen any answer of the file.
    @Test func forgottenPurgesThatTheFileLacksCountForAllOfIt() {
        var list = PurgeList(maxBytes: 4_096)
        _ = list.restore([], forgotten: 0, swept: 0)
        for number in 0..<100 { list.noteSwept(list.note(selection("/\(number)"), .hard).number) }
        let own = list.forgotten
        #expect(own > 0)
        var same = list
        #expect(same.restore(list.entries(since: 0), forgotten: own, swept: 0).isEmpty && same.forgotten == own)
        let everything = PurgeList.Entry(number: 201, selection: EntrySelection(), mode: .hard)
        #expect(list.restore([entry(200, "/x")], forgotten: 0, swept: 0) == [everything])
    }
}
