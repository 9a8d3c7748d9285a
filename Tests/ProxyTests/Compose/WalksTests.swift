import Testing

@testable import Proxy

@Suite struct WalksTests {
    @Test func whoAsksForWhereAnAnswerEndedIsWalking() {
        var walks = Walks()
        walks.handOut(7, offset: 25)
        #expect(walks.isStep(7, offset: 25))
        #expect(!walks.isStep(7, offset: 50) && !walks.isStep(8, offset: 25) && !walks.isStep(7, offset: 0))
    }

    @Test func theOldestStepIsForgottenFirst() {
        var walks = Walks()
        for number in 0..<UInt64(Walks.maxSteps) { walks.handOut(number, offset: 10) }
        walks.handOut(1, offset: 10)
        #expect(walks.isStep(0, offset: 10), "handing out again takes no room")
        walks.handOut(10_000, offset: 10)
        #expect(!walks.isStep(0, offset: 10) && walks.isStep(1, offset: 10) && walks.isStep(10_000, offset: 10))
    }
}
