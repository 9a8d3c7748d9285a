import Testing

@testable import Compose

@Suite struct KnownAbsencesTests {
    private let absences = KnownAbsences()
    private let us = Array("us".utf8)
    private let gb = Array("gb".utf8)

    @Test func anAbsenceIsOneOfItsStorefrontForItsTime() {
        #expect(!absences.holds(7, in: us, asOf: 0, at: 0) && absences.end([7], in: us).isEmpty)
        absences.note([7, 8], in: us, since: 0, until: 100)
        #expect(absences.holds(7, in: us, asOf: 0, at: 99) && !absences.holds(7, in: us, asOf: 0, at: 100))
        #expect(!absences.holds(7, in: gb, asOf: 0, at: 0) && !absences.holds(9, in: us, asOf: 0, at: 0))
    }

    @Test func whatIsNamedIsAbsentNoMore() {
        absences.note([7, 8], in: us, since: 0, until: 100)
        #expect(absences.end([7], in: gb).isEmpty)
        #expect(absences.end([6, 7], in: us) == [7])
        #expect(!absences.holds(7, in: us, asOf: 0, at: 0) && absences.holds(8, in: us, asOf: 0, at: 0))
        #expect(absences.end([7], in: us).isEmpty, "it ends once")
        #expect(absences.endAll(at: 99) && !absences.endAll(at: 99), "there was one")
        #expect(!absences.holds(8, in: us, asOf: 0, at: 0))
    }

    /// One that was over ended all composed answers.
    @Test func absencesThatAreOverAreNone() {
        absences.note([7], in: us, since: 0, until: 100)
        #expect(!absences.endAll(at: 100))
    }

    /// A batch in another language lacked a resource that had been back, and older batches counted
    /// again.
    @Test func aLaterAbsenceRevivesNoneThatHadEnded() {
        absences.note([7, 8], in: us, since: 10, until: 100)
        #expect(absences.end([7], in: us) == [7])
        absences.note([7, 8], in: us, since: 30, until: 100)
        #expect(!absences.holds(7, in: us, asOf: 10, at: 40) && absences.holds(7, in: us, asOf: 30, at: 40))
        #expect(absences.holds(8, in: us, asOf: 10, at: 40), "absent all along")
    }

    /// Clients make ids up.
    @Test func beyondTheRoomTheLatestCount() {
        for number in 0..<UInt64(3 * KnownAbsences.slotCount) { absences.note([number], in: us, since: 0, until: 100) }
        let held = (0..<UInt64(3 * KnownAbsences.slotCount)).count { absences.holds($0, in: us, asOf: 0, at: 0) }
        #expect((KnownAbsences.slotCount / 2...KnownAbsences.slotCount).contains(held))
        #expect(absences.holds(UInt64(3 * KnownAbsences.slotCount - 1), in: us, asOf: 0, at: 0))
    }

    /// A batch that was asked for more than the client wants lost a resource that had come under
    /// its other name.
    @Test func anIdThatCameUnderAnotherNameWasTakenForAbsent() throws {
        let scene = StoredScene()
        let request = try StoredScene.request("songs?ids=5,9")
        func showsAbsences(_ ids: [String]) throws -> Bool {
            let body = document(ids.map { resource("songs", $0) })
            let part = try #require(StoredSource(scanning: try scene.response(Stored("songs?ids=5,9", body))))
            return part.showsAbsences(in: request, to: request)
        }
        #expect(try showsAbsences(["5"]) && showsAbsences([]) && !showsAbsences(["5", "1"]))
    }
}
