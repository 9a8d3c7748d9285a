import AppleMusic
import Testing

@testable import Compose

@Suite struct GrowthLedgerTests {
    private func page(_ offset: Int, limit: Int = 100) throws -> ListPage {
        let request = try StoredScene.request("artists/1/albums")
        return ListPage(
            list: try #require(request.listNumber), offset: offset, limit: limit, shape: request.shape,
            storefront: request.storefront)
    }

    @Test func pagesOfNoUseEndIt() throws {
        var ledger = GrowthLedger()
        for number in 0..<4 {
            #expect(ledger.mayGrow, "the first four are tried")
            ledger.begin(try page(number * 100))
        }
        #expect(!ledger.mayGrow)
    }

    /// A busy start had more pages under way than there was credit, and all growth ended for ten
    /// minutes though every one of them paid.
    @Test func pagesThatAreUnderWayAtOnceEndNothing() throws {
        var ledger = GrowthLedger()
        for number in 0..<4 { ledger.begin(try page(number * 100)) }
        #expect(!ledger.mayGrow, "as many as may be in vain")
        ledger.note(windowOf: try page(0))
        #expect(ledger.mayGrow, "as soon as one of them was of use")
    }

    @Test func sixteenMissesAllowOneMore() throws {
        var ledger = GrowthLedger()
        for number in 0..<4 { ledger.begin(try page(number * 100)) }
        for number in 4..<10 {
            for _ in 0..<15 { ledger.noteMiss() }
            #expect(!ledger.mayGrow)
            ledger.noteMiss()
            #expect(ledger.mayGrow)
            ledger.begin(try page(number * 100))
        }
    }

    @Test func missesEarnNoMoreThanAStart() throws {
        var ledger = GrowthLedger()
        for _ in 0..<10_000 { ledger.noteMiss() }
        for number in 0..<4 { ledger.begin(try page(number * 100)) }
        #expect(!ledger.mayGrow)
    }

    @Test func windowsThatAreCutOutPayForOthersThatAreNot() throws {
        var ledger = GrowthLedger()
        for number in 0..<20 {
            ledger.begin(try page(number * 200))
            for _ in 0..<2 { ledger.note(windowOf: try page(number * 200)) }
            ledger.begin(try page(number * 200 + 100))
        }
        #expect(ledger.mayGrow)
    }

    @Test func windowsOfOtherPagesPayNothing() throws {
        var ledger = GrowthLedger()
        for number in 0..<4 {
            ledger.begin(try page(number * 100))
            for _ in 0..<9 { ledger.note(windowOf: try page(7)) }
        }
        #expect(!ledger.mayGrow)
    }

    /// Windows of the client's own first page counted for a larger page at the same offset.
    @Test func aSmallerPageAtTheSameOffsetPaysNothing() throws {
        var ledger = GrowthLedger()
        for number in 0..<4 {
            ledger.begin(try page(number * 100))
            for _ in 0..<9 { ledger.note(windowOf: try page(number * 100, limit: 20)) }
        }
        #expect(!ledger.mayGrow)
    }

    /// A page out of which one client's window was cut and nothing more took its bytes for nothing.
    @Test func clientsThatWalkNoFurtherEndItLater() throws {
        var ledger = GrowthLedger()
        var number = 0
        while ledger.mayGrow, number < 1_000 {
            ledger.begin(try page(number * 100))
            ledger.note(windowOf: try page(number * 100))
            number += 1
        }
        #expect((64..<200).contains(number), "\(number)")
    }
}
