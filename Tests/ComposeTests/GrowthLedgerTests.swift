import AppleMusic
import Testing

@testable import Compose

@Suite struct GrowthLedgerTests {
    private let now: Int64 = 1_000

    private func page(_ offset: Int) throws -> ListPage {
        let request = try StoredScene.request("artists/1/albums")
        return ListPage(
            list: try #require(request.listNumber), offset: offset, shape: request.shape,
            storefront: request.storefront)
    }

    @Test func pagesOfNoUseEndIt() throws {
        var ledger = GrowthLedger()
        for number in 0..<4 {
            ledger.begin(try page(number * 100), at: now)
            #expect(ledger.mayGrow(at: now), "the first four are tried")
        }
        ledger.begin(try page(400), at: now)
        #expect(!ledger.mayGrow(at: now) && !ledger.mayGrow(at: now + GrowthLedger.rest - 1))
        #expect(ledger.mayGrow(at: now + GrowthLedger.rest), "it is tried again")
    }

    @Test func windowsThatAreCutOutPayForOthersThatAreNot() throws {
        var ledger = GrowthLedger()
        for number in 0..<20 {
            ledger.begin(try page(number * 200), at: now)
            for _ in 0..<2 { ledger.note(windowOf: try page(number * 200)) }
            ledger.begin(try page(number * 200 + 100), at: now)
        }
        #expect(ledger.mayGrow(at: now))
    }

    @Test func windowsOfOtherPagesPayNothing() throws {
        var ledger = GrowthLedger()
        for number in 0..<5 {
            ledger.begin(try page(number * 100), at: now)
            for _ in 0..<9 { ledger.note(windowOf: try page(7)) }
        }
        #expect(!ledger.mayGrow(at: now))
    }

    /// A page out of which one client's window was cut and nothing more took its bytes for nothing.
    @Test func clientsThatWalkNoFurtherEndItLater() throws {
        var ledger = GrowthLedger()
        var number = 0
        while ledger.mayGrow(at: now), number < 1_000 {
            ledger.begin(try page(number * 100), at: now)
            ledger.note(windowOf: try page(number * 100))
            number += 1
        }
        #expect((64..<200).contains(number), "\(number)")
    }

    /// First pages that are larger say themselves whether clients go on.
    @Test func walksAreCountedByWhatIsCutOutOfFirstPages() throws {
        var ledger = GrowthLedger()
        func visit(_ number: Int, goesOn: Bool) throws {
            ledger.noteBeginning()
            ledger.begin(try page(number * 100), isBeginning: true, at: now)
            for _ in 0..<(goesOn ? 3 : 1) { ledger.note(windowOf: try page(number * 100)) }
        }
        for number in 0..<16 { try visit(number, goesOn: number % 2 == 0) }
        #expect(ledger.areWalked)
        for number in 16..<200 { try visit(number, goesOn: false) }
        #expect(!ledger.areWalked)
    }

    @Test func fewBeginningsSayNothing() throws {
        var ledger = GrowthLedger()
        for number in 0..<15 {
            ledger.noteBeginning()
            ledger.begin(try page(number), at: now)
        }
        #expect(!ledger.areWalked)
        ledger.noteBeginning()
        #expect(ledger.areWalked)
    }
}
