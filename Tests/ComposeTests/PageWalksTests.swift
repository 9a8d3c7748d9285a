import Testing

@testable import Compose

@Suite struct PageWalksTests {
    @Test func whoAsksForWhereAnAnswerEndedIsWalking() {
        var walks = PageWalks()
        walks.handOut(7, offset: 25)
        #expect(walks.isStep(7, offset: 25))
        #expect(!walks.isStep(7, offset: 50) && !walks.isStep(8, offset: 25) && !walks.isStep(7, offset: 0))
    }

    @Test func theOldestStepIsForgottenFirst() {
        var walks = PageWalks()
        for number in 0..<UInt64(PageWalks.maxSteps) { walks.handOut(number, offset: 10) }
        walks.handOut(1, offset: 10)
        #expect(walks.isStep(0, offset: 10), "handing out again takes no room")
        walks.handOut(10_000, offset: 10)
        #expect(!walks.isStep(0, offset: 10) && walks.isStep(1, offset: 10) && walks.isStep(10_000, offset: 10))
    }

    @Test func anAnswerIsTakenApartOnce() {
        var walks = PageWalks()
        let (old, new) = (ObjectIdentifier(Int.self), ObjectIdentifier(UInt.self))
        var count = 0
        func page(_ hash: UInt64, _ answer: ObjectIdentifier) -> PageWalks.Page? {
            walks.page(hash, answer) {
                count += 1
                return hash == 1 ? nil : PageWalks.Page(list: hash, offset: 5, next: count)
            }
        }
        for _ in 0..<2 { #expect(page(1, old) == nil && page(2, old)?.next == 2) }
        #expect(page(2, new)?.next == 3, "another answer under the same key")
        for hash in 0..<UInt64(PageWalks.maxPages) + 2 { #expect(page(hash, new)?.list == (hash == 1 ? nil : hash)) }
        #expect(page(2, new)?.next ?? 0 > 3, "forgotten when there were too many")
    }
}
