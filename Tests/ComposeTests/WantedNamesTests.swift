import Testing

@testable import Compose

@Suite struct WantedNamesTests {
    /// The names of relationships, and those of views after a bar.
    private func selection(_ text: String) -> Selection {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        func names(_ text: Substring) -> [[UInt8]] { text.split(separator: ",").map { Array($0.utf8) } }
        return Selection(include: names(parts.first ?? ""), views: names(parts.dropFirst().first ?? ""))
    }

    private func text(_ selection: Selection?) -> String? {
        func text(_ names: [[UInt8]]) -> String {
            names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",")
        }
        return selection.map { text($0.include) + ($0.views.isEmpty ? "" : "|" + text($0.views)) }
    }

    private func wanted(_ requests: [(count: Int, names: String)]) -> WantedNames {
        var wanted = WantedNames()
        for (count, names) in requests {
            for _ in 0..<count { wanted.note(selection(names)) }
        }
        return wanted
    }

    /// The largest selection in place of this one.
    private func largest(_ wanted: WantedNames, _ own: String = "", mayHaveViews: Bool = true) -> String? {
        text(wanted.supersets(of: selection(own), mayHaveViews: mayHaveViews).first)
    }

    @Test func namesThatFewWantAreNotAdded() {
        #expect(largest(wanted([(15, "artists")])) == nil)
        #expect(largest(wanted([(16, "artists")])) == "artists")
        #expect(largest(wanted([(90, ""), (10, "genres"), (9, "artists")])) == nil)
        #expect(largest(wanted([(90, ""), (11, "genres"), (9, "artists")])) == "genres")
        #expect(largest(wanted([(20, "artists")]), "artists") == nil)
    }

    @Test func theMostWantedStayInTheOrderOfBytes() {
        let wanted = wanted([(10, "genres"), (10, "artists|top-songs"), (10, "|full-albums")])
        #expect(largest(wanted) == "artists,genres|full-albums,top-songs")
        #expect(largest(wanted, "library|singles") == "artists,genres,library|full-albums,singles,top-songs")
        let most = self.wanted([(12, "artists"), (14, "|top-songs"), (13, "genres")])
        let all = most.supersets(of: Selection(), mayHaveViews: true).map { text($0) }
        #expect(all == ["artists,genres|top-songs", "genres|top-songs", "|top-songs"])
    }

    /// APPLE-MUSIC-API 4.3.5.
    @Test func severalResourcesHaveNoViews() {
        let wanted = wanted([(20, "albums|top-songs")])
        #expect(largest(wanted, mayHaveViews: false) == "albums")
        #expect(largest(wanted, "albums", mayHaveViews: false) == nil)
        #expect(largest(wanted, "albums") == "albums|top-songs")
        // There are relationships and views of one name.
        let views = self.wanted([(20, "|albums")])
        #expect(largest(views, "albums") == "albums|albums")
        #expect(largest(views, "|albums") == nil)
    }

    @Test func oldWishesAreForgotten() {
        var wanted = wanted([(100, "artists")])
        #expect(largest(wanted) == "artists")
        for _ in 0..<1_000 { wanted.note(Selection()) }
        #expect(largest(wanted) == nil)
        // Clients make names up.
        var many = WantedNames()
        for number in 0..<100 { many.note(selection("made-up-\(number)")) }
        for _ in 0..<100 { many.note(selection("artists")) }
        #expect(largest(many) == nil)
        for _ in 0..<1_000 { many.note(selection("artists")) }
        #expect(largest(many) == "artists")
    }
}
