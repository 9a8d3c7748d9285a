import TestSupport
import Testing

@testable import EventLoop

@Suite struct AddressTroublesTests {
    private let now = Instant(nanoseconds: 1_000_000_000_000)
    private let list = (1...3).map { SocketAddress("192.0.2.\($0):443")! }

    @Test func failedAddressesAreTriedLastForTenMinutes() {
        var troubles = AddressTroubles()
        #expect(troubles.ordered(list, now: now) == list)
        troubles.noteFailure(of: list[0], now: now)
        #expect(troubles.ordered(list, now: now) == [list[1], list[2], list[0]])
        #expect(troubles.ordered(list, now: now + .seconds(599)) == [list[1], list[2], list[0]])
        #expect(troubles.ordered(list, now: now + .seconds(600)) == list)
    }

    @Test func reachedAddressesAreTriedInTheirPlacesAgain() {
        var troubles = AddressTroubles()
        for address in list { troubles.noteFailure(of: address, now: now) }
        #expect(troubles.ordered(list, now: now) == list)
        troubles.noteReached(list[2])
        #expect(troubles.ordered(list, now: now) == [list[2], list[0], list[1]])
    }

    @Test func noMoreThanAThousandAreRemembered() {
        var troubles = AddressTroubles()
        let many = (1...AddressTroubles.most + 1).map { SocketAddress(host: "192.0.2.1", port: UInt16($0))! }
        for address in many { troubles.noteFailure(of: address, now: now) }
        #expect(troubles.ordered(many, now: now).first == many.last)
        let later = now + .seconds(601)
        troubles.noteFailure(of: many[0], now: later)
        #expect(troubles.ordered(many, now: later).last == many[0])
    }
}
