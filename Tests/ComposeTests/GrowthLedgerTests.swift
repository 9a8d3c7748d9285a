import AppleMusic
import Testing

@testable import Compose

@Suite struct GrowthLedgerTests {
    private func ledger() -> GrowthLedger { GrowthLedger(missesForOne: 15, maxEntries: 64) }

    private func including(_ names: String...) -> Selection {
        Selection(include: names.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    }

    /// A busy start had more pages under way than there was credit, and no larger request was made
    /// for ten minutes though each of them paid.
    @Test func requestsThatAreUnderWayAtOnceEndNothing() {
        var ledger = ledger()
        for number: UInt64 in 0..<4 { ledger.begin([number]) }
        #expect(!ledger.mayBegin, "as many as may be in vain")
        ledger.note(windowOf: 0)
        #expect(ledger.mayBegin, "as soon as one of them was of use")
        var earned = self.ledger()
        for _ in 0..<10_000 { earned.noteMiss() }
        for number: UInt64 in 0..<4 { earned.begin([number]) }
        #expect(!earned.mayBegin)
    }

    /// In a cluster most uses are on another node than the request.
    @Test func usesOfOtherNodesAnswersPayForBytesAlone() {
        var ledger = ledger()
        for number: UInt64 in 0..<1_000 {
            #expect(ledger.mayBegin, "\(number)")
            ledger.begin([number], including("artists"))
            ledger.settle()
            if number.isMultiple(of: 15) {
                ledger.adopt([1_000_000 + number])
                let uses = [1, 2].map { _ in ledger.note(including("genres"), of: [1_000_000 + number]) }
                #expect(uses == [true, false], "it spares one")
            }
        }
        // Such uses pay for no request in vain: those may be many, and of other nodes' clients.
        for number: UInt64 in 2_000..<2_100 {
            if ledger.mayBegin { ledger.begin([number]) }
            ledger.adopt([2_000_000 + number])
            _ = ledger.note(including("genres"), of: [2_000_000 + number])
        }
        #expect(!ledger.mayBegin)
    }

    @Test(arguments: [15, 100]) func missesAllowOneMore(missesForOne: Int) {
        var ledger = GrowthLedger(missesForOne: missesForOne, maxEntries: 64)
        for number: UInt64 in 0..<4 { ledger.begin([number]) }
        for number: UInt64 in 4..<10 {
            var misses = 0
            while !ledger.mayBegin, misses < 1_000 {
                ledger.noteMiss()
                misses += 1
            }
            #expect((missesForOne...missesForOne + 7).contains(misses), "\(misses)")
            ledger.begin([number])
            #expect(!ledger.mayBegin)
        }
    }

    // MARK: Pages

    @Test func onlyWindowsOfTheirOwnPayForPages() {
        var ledger = ledger()
        for number: UInt64 in 0..<20 {
            ledger.begin([number * 2])
            for _ in 0..<2 { ledger.note(windowOf: number * 2) }
            ledger.begin([number * 2 + 1])
        }
        #expect(ledger.mayBegin)
        var other = self.ledger()
        for number: UInt64 in 0..<4 {
            other.begin([number])
            for _ in 0..<9 { other.note(windowOf: 7) }
        }
        #expect(!other.mayBegin)
        // A page out of which one client's window was cut and nothing more took its bytes for
        // nothing.
        var walked = self.ledger()
        var number: UInt64 = 0
        while walked.mayBegin, number < 1_000 {
            walked.begin([number])
            walked.note(windowOf: number)
            number += 1
        }
        #expect((40..<64).contains(number), "\(number)")
    }

    /// Windows of the client's own first page counted for a larger page at the same offset.
    @Test func pagesOfAListHaveNumbersOfTheirOwn() throws {
        let request = try StoredScene.request("artists/1/albums")
        let list = try #require(request.listNumber)
        func number(_ offset: Int, _ limit: Int) -> UInt64 {
            ListPage(
                list: list, offset: offset, limit: limit, shape: request.shape, storefront: request.storefront
            ).number
        }
        let numbers = [number(0, 100), number(0, 20), number(100, 100), number(100, 20), number(20, 100)]
        #expect(Set(numbers).count == numbers.count)
        #expect(number(0, 100) == number(0, 100))
    }

    /// Clients make up forms of lists: with 4,096 of them all types began anew.
    @Test func manyFormsOfListsLeaveTheAccountsOfTypes() throws {
        let accounts = GrowthAccounts(LearntSizes(mostKept: 8 << 20))
        let album = try StoredScene.request("albums/1")
        var related = Superset(request: album, resources: album.resources)
        related.relates = true
        while accounts.mayRelate(album.shape, inPlaceOf: album.shape, count: 1) { accounts.begin(.superset(related)) }
        let list = try StoredScene.request("artists/1/albums")
        for number in 0..<5_000 {
            let shape = RequestShape(
                subject: list.shape.subject, type: .artists, include: [], decoration: Array("x=\(number)".utf8))
            let page = ListPage(list: 1, offset: 0, limit: 9, shape: shape, storefront: list.storefront)
            accounts.begin(.page(page))
        }
        #expect(!accounts.mayRelate(album.shape, inPlaceOf: album.shape, count: 1))
    }

    /// Clients choose the requests, and all of them would be remembered.
    @Test func oldRequestsAreForgotten() {
        var ledger = ledger()
        for number: UInt64 in 0..<1_000 { ledger.begin([number]) }
        let counted = (0..<1_000).filter { ledger.note(including("artists"), of: [$0]) }
        #expect(counted.count == 64)
    }

    // MARK: Relationships and views

    /// How many are asked for until none is, when another client wants this of each.
    private func tries(_ own: Selection, then other: Selection) -> Int {
        var (ledger, number) = (ledger(), 0)
        while ledger.mayBegin, number < 200 {
            ledger.begin([UInt64(number)], own)
            ledger.settle()
            _ = ledger.note(other, of: [UInt64(number)])
            number += 1
        }
        return number
    }

    @Test func aFurtherViewIsOfUse() {
        func views(_ names: String...) -> Selection { Selection(views: names.map { Array($0.utf8) }) }
        let own = views("singles")
        #expect(tries(own, then: views("singles", "top-songs")) == 200)
        #expect(tries(own, then: own) < 100)
        #expect(tries(own, then: Selection(include: [Array("albums".utf8)], views: own.views)) == 200)
    }

    /// The first answers have run out, and were of use before.
    @Test func aRepeatedRequestCanPayAgain() {
        var ledger = ledger()
        for day in 0..<200 {
            #expect(ledger.mayBegin, "\(day)")
            ledger.begin([1], Selection())
            ledger.settle()
            #expect(ledger.note(including("artists"), of: [1]) == true)
        }
    }

    /// Counts the larger requests until none is made, if one in `share` is of use to another
    /// client.
    private func tries(oneOfUseIn share: Int) -> Int {
        var (ledger, number) = (ledger(), 0)
        while ledger.mayBegin, number < 2_000 {
            let resource = UInt64(number)
            ledger.begin([resource], Selection())
            ledger.settle()
            _ = ledger.note(Selection(), of: [resource])
            if number % share == 0 { _ = ledger.note(including("artists"), of: [resource]) }
            number += 1
        }
        return number
    }

    @Test func bytesThatAreSeldomOfUseEndItLater() {
        #expect(tries(oneOfUseIn: 8) == 2_000)
        #expect((65..<1_000).contains(tries(oneOfUseIn: 40)))
    }

    @Test func theSameAnswerAgainIsOfNoUse() {
        var (ledger, number) = (ledger(), 0)
        while ledger.mayBegin, number < 1_000 {
            ledger.begin([UInt64(number)], including("genres"))
            ledger.settle()
            // Each of them is in the first client's request, and is stored by then.
            for use in [including("genres"), Selection(), including("genres")] {
                #expect(ledger.note(use, of: [UInt64(number)]) == false)
            }
            number += 1
        }
        #expect((40..<64).contains(number), "\(number)")
    }

    @Test func aBatchIsOfUseOnceHoweverManyItHas() {
        func left(_ numbers: [UInt64]) -> Int {
            var ledger = ledger()
            for _ in 0..<2 { ledger.begin(numbers, Selection()) }
            _ = ledger.note(including("artists"), of: numbers)
            var count = 0
            while ledger.mayBegin {
                ledger.begin([1_000])
                count += 1
            }
            return count
        }
        #expect(left(Array(0..<20)) == left([1]))
    }
}
