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
        #expect(wanted([(15, "artists")]).superset(of: []) == nil)
        #expect(text(wanted([(16, "artists")]).superset(of: [])) == "artists")
    }

    @Test func namesThatAreWantedSeldomAreNotAdded() {
        let wanted = wanted([(90, ""), (10, "genres"), (9, "artists")])
        #expect(wanted.superset(of: []) == nil)
        let often = self.wanted([(90, ""), (11, "genres"), (9, "artists")])
        #expect(text(often.superset(of: [])) == "genres")
    }

    @Test func theOrderIsThatOfTheBytes() {
        let wanted = wanted([(10, "genres"), (10, "artists")])
        #expect(text(wanted.superset(of: [])) == "artists,genres")
        #expect(text(wanted.superset(of: names("library"))) == "artists,genres,library")
    }

    @Test func whatTheClientWantsItselfIsNoMore() {
        #expect(wanted([(20, "artists")]).superset(of: names("artists")) == nil)
    }

    @Test func whatIsWantedNoMoreIsForgotten() {
        var wanted = wanted([(100, "artists")])
        #expect(wanted.superset(of: []) != nil)
        for _ in 0..<1_000 { wanted.note([]) }
        #expect(wanted.superset(of: []) == nil)
    }

    /// Clients make names up.
    @Test func namesBeyondThoseThatATypeHasAreNotRemembered() {
        var wanted = WantedIncludes()
        for number in 0..<100 { wanted.note(names("made-up-\(number)")) }
        for _ in 0..<100 { wanted.note(names("artists")) }
        #expect(wanted.superset(of: []) == nil)
        for _ in 0..<1_000 { wanted.note(names("artists")) }
        #expect(text(wanted.superset(of: [])) == "artists")
    }
}
