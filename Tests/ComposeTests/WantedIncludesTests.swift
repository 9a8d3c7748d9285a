import Testing

@testable import Compose

@Suite struct WantedIncludesTests {
    private func names(_ text: String) -> [[UInt8]] { text.split(separator: ",").map { Array($0.utf8) } }

    private func text(_ names: [[UInt8]]?) -> String? {
        names.map { $0.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",") }
    }

    private func wanted(_ requests: [(count: Int, include: String)]) -> WantedIncludes {
        var wanted = WantedIncludes()
        for (count, include) in requests {
            for _ in 0..<count { wanted.note(names(include)) }
        }
        return wanted
    }

    @Test func nothingIsSaidOfFew() {
        #expect(wanted([(15, "artists")]).supersets(of: []).isEmpty)
        #expect(text(wanted([(16, "artists")]).supersets(of: []).first) == "artists")
    }

    @Test func namesThatAreWantedSeldomAreNotAdded() {
        let wanted = wanted([(90, ""), (10, "genres"), (9, "artists")])
        #expect(wanted.supersets(of: []).isEmpty)
        let often = self.wanted([(90, ""), (11, "genres"), (9, "artists")])
        #expect(text(often.supersets(of: []).first) == "genres")
    }

    @Test func theOrderIsThatOfTheBytes() {
        let wanted = wanted([(10, "genres"), (10, "artists")])
        #expect(text(wanted.supersets(of: []).first) == "artists,genres")
        #expect(text(wanted.supersets(of: names("library")).first) == "artists,genres,library")
    }

    @Test func whatTheClientWantsItselfIsNoMore() {
        #expect(wanted([(20, "artists")]).supersets(of: names("artists")).isEmpty)
    }

    @Test func whatIsWantedNoMoreIsForgotten() {
        var wanted = wanted([(100, "artists")])
        #expect(wanted.supersets(of: []).isEmpty == false)
        for _ in 0..<1_000 { wanted.note([]) }
        #expect(wanted.supersets(of: []).isEmpty)
    }

    /// Clients make names up.
    @Test func namesBeyondThoseThatATypeHasAreNotRemembered() {
        var wanted = WantedIncludes()
        for number in 0..<100 { wanted.note(names("made-up-\(number)")) }
        for _ in 0..<100 { wanted.note(names("artists")) }
        #expect(wanted.supersets(of: []).isEmpty)
        for _ in 0..<1_000 { wanted.note(names("artists")) }
        #expect(text(wanted.supersets(of: []).first) == "artists")
    }
}
