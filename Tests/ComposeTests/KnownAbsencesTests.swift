import Testing

@testable import Compose

@Suite struct KnownAbsencesTests {
    private let absences = KnownAbsences()
    private let us = Array("us".utf8)
    private let gb = Array("gb".utf8)

    @Test func anAbsenceIsOneOfItsStorefrontForItsTime() {
        #expect(!absences.holds(7, in: us, at: 0) && absences.end([7], in: us).isEmpty)
        absences.note([7, 8], in: us, until: 100)
        #expect(absences.holds(7, in: us, at: 99) && !absences.holds(7, in: us, at: 100))
        #expect(!absences.holds(7, in: gb, at: 0) && !absences.holds(9, in: us, at: 0))
    }

    @Test func whatIsNamedIsAbsentNoMore() {
        absences.note([7, 8], in: us, until: 100)
        #expect(absences.end([7], in: gb).isEmpty)
        #expect(absences.end([6, 7], in: us) == [7])
        #expect(!absences.holds(7, in: us, at: 0) && absences.holds(8, in: us, at: 0))
        #expect(absences.end([7], in: us).isEmpty, "it ends once")
        absences.endAll()
        #expect(!absences.holds(8, in: us, at: 0))
    }

    /// Clients make ids up.
    @Test func beyondTheRoomTheLatestCount() {
        for number in 0..<UInt64(3 * KnownAbsences.slotCount) { absences.note([number], in: us, until: 100) }
        let held = (0..<UInt64(3 * KnownAbsences.slotCount)).count { absences.holds($0, in: us, at: 0) }
        #expect((KnownAbsences.slotCount / 2...KnownAbsences.slotCount).contains(held))
        #expect(absences.holds(UInt64(3 * KnownAbsences.slotCount - 1), in: us, at: 0))
    }
}
