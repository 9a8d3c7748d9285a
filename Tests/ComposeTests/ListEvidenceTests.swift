import Testing

@testable import AppleMusic
@testable import Compose

@Suite struct ListEvidenceTests {
    private let us = Storefront("us")!, jp = Storefront("jp")!

    /// Takes in a page of this many items that goes on at `next`.
    private func note(
        _ evidence: inout ListEvidence, _ storefront: String, artist: Int = 1, language: String = "",
        limit: Int? = nil, offset: Int = 0, items: Int, next: Int
    ) throws {
        let path = "/v1/catalog/\(storefront)/artists/\(artist)/albums"
        let size = limit.map { "limit=\($0)&" } ?? ""
        let request = try StoredScene.request("\(path)?\(size)offset=\(offset)\(language)")
        let page = document(Array(repeating: resource("albums", "1"), count: items), next: "\(path)?offset=\(next)")
        #expect(try evidence.absorb(request, mapped(page), items) == true)
    }

    /// Notes ten pages of a hundred places each, `gaps` of which are empty.
    private func tenPages(_ evidence: inout ListEvidence, _ storefront: String, gaps: Int = 0) throws {
        for artist in 1...10 {
            try note(&evidence, storefront, artist: artist, limit: 100, items: 100 - gaps, next: 100)
        }
    }

    @Test func aGapInOneStorefrontSaysNothingOfAnother() throws {
        var evidence = ListEvidence()
        try tenPages(&evidence, "us")
        try note(&evidence, "jp", limit: 20, items: 19, next: 20)
        #expect(evidence.favoursPage(of: 100, in: us) && !evidence.favoursPage(of: 100, in: jp))
        #expect(evidence.favoursPage(of: 100, in: Storefront("gb")!), "until one is seen")
        #expect(evidence.favoursPage(of: 20, in: jp), "one in twenty")
        // One gap ended all larger pages of its storefront for as long as its answer lived.
        try note(&evidence, "us", artist: 11, limit: 100, items: 99, next: 100)
        #expect(evidence.favoursPage(of: 100, in: us))
    }

    /// 64 of them ended all larger pages of their form.
    @Test func anEmptyPageBeyondTheEndSaysNothingOfHowLongListsAre() throws {
        var evidence = ListEvidence()
        let page = try mapped(document([]))
        for artist in 1...64 {
            let request = try StoredScene.request("/v1/catalog/us/artists/\(artist)/albums?limit=25&offset=50")
            #expect(evidence.absorb(request, page, 0) == true)
        }
        #expect(evidence.lengths.favourPage(from: 25, windows: 3))
    }

    @Test func gapsAreForgottenAfterManyPlacesWithoutThem() throws {
        var evidence = ListEvidence()
        try tenPages(&evidence, "us", gaps: 5)
        #expect(!evidence.favoursPage(of: 100, in: us))
        for _ in 0..<8 { try tenPages(&evidence, "us") }
        #expect(evidence.favoursPage(of: 100, in: us))
        try tenPages(&evidence, "us", gaps: 5)
        #expect(!evidence.favoursPage(of: 100, in: us), "and noticed when they are back")
    }

    @Test func languagesThatClientsMakeUpAreForgottenWhereThereAreTooMany() throws {
        var evidence = ListEvidence()
        for first in "abcdefghijkl" {
            for second in "abcdefghijklmnopqrstuvwxyz" {
                try note(
                    &evidence, "us", language: "&l=en-\(first)\(second)", limit: 20, offset: 20, items: 20, next: 40)
            }
        }
        #expect((1...128).contains(evidence.links.count))
    }

    @Test func shortPagesAreCutFirstAndLongFillUp() throws {
        var evidence = ListEvidence()
        try note(&evidence, "us", limit: 20, items: 20, next: 20)
        #expect(evidence.cut == .unknown, "a page without gaps looks alike either way")
        try note(&evidence, "jp", limit: 20, items: 19, next: 20)
        #expect(evidence.cut == .first)
        try note(&evidence, "jp", artist: 2, limit: 20, items: 20, next: 22)
        #expect(evidence.cut == .various, "and that they fill up")
        var filling = ListEvidence()
        try note(&filling, "us", limit: 20, items: 20, next: 22)
        #expect(filling.cut == .filling)
        try note(&filling, "us", limit: 20, offset: 22, items: 20, next: 42)
        #expect(filling.cut == .filling)
        try note(&filling, "us", limit: 20, offset: 42, items: 19, next: 63)
        #expect(filling.cut == .various, "neither way makes such a page")
    }

    /// Clients that follow `next` name no limit, so pages with gaps taught nothing.
    @Test func pagesWithoutALimitShowHowTheyAreCut() throws {
        var evidence = ListEvidence()
        try note(&evidence, "us", items: 25, next: 28)
        #expect(evidence.cut == .unknown && evidence.standardLimit == nil)
        try note(&evidence, "us", offset: 28, items: 25, next: 53)
        #expect(evidence.cut == .filling && evidence.standardLimit == 25)
    }

    @Test func aLinkServesForRequestsThatSayLess() throws {
        var evidence = ListEvidence()
        try note(&evidence, "us", limit: 20, items: 20, next: 20)
        let request = try StoredScene.request("artists/7/albums?offset=40")
        let link = evidence.link(for: request)?.write(offset: 65, request)
        #expect(link.map { String(decoding: $0, as: UTF8.self) } == "/v1/catalog/us/artists/7/albums?offset=65")
        #expect(evidence.link(for: try StoredScene.request("artists/7/albums?l=de&offset=40")) == nil)
        var limited = ListEvidence()
        let path = "/v1/catalog/us/artists/1/albums"
        let own = try StoredScene.request("\(path)?limit=2&offset=0")
        let page = document([resource("albums", "1"), resource("albums", "2")], next: "\(path)?limit=2&offset=2")
        #expect(try limited.absorb(own, mapped(page), 2) == true)
        #expect(limited.link(for: try StoredScene.request("artists/7/albums?limit=5&offset=40")) != nil)
        #expect(limited.link(for: try StoredScene.request("artists/7/albums?offset=40")) == nil)
    }
}
