import Testing

@testable import AppleMusic
@testable import Compose

@Suite struct ListEvidenceTests {
    private let us = Storefront("us")!, jp = Storefront("jp")!
    private let now: Int64 = 1_000

    /// Takes in a page of so many items that goes on at `next`.
    private func note(
        _ evidence: inout ListEvidence, _ storefront: String, artist: Int = 1, language: String = "", limit: Int,
        offset: Int = 0, items: Int, next: Int, at time: Int64 = 1_000, freshFor: Int64 = 500
    ) throws {
        let path = "/v1/catalog/\(storefront)/artists/\(artist)/albums"
        let request = try StoredScene.request("\(path)?limit=\(limit)&offset=\(offset)\(language)")
        let body = Array(
            document(Array(repeating: resource("albums", "1"), count: items), next: "\(path)?offset=\(next)").utf8)
        let map = try #require(DocumentScan(body).document)
        let fits = evidence.absorb(
            request, MappedDocument(body: body, map: map), items, at: time, until: time + freshFor)
        #expect(fits)
    }

    /// Ten artists with a hundred places each.
    private func withoutGaps(_ evidence: inout ListEvidence, _ storefront: String) throws {
        for artist in 1...10 {
            try note(&evidence, storefront, artist: artist, limit: 100, items: 100, next: 100)
        }
    }

    @Test func aGapInOneStorefrontSaysNothingOfAnother() throws {
        var evidence = ListEvidence()
        try withoutGaps(&evidence, "us")
        try note(&evidence, "jp", limit: 20, items: 19, next: 20)
        #expect(evidence.habits(in: us, at: now).hasNoGaps && !evidence.habits(in: jp, at: now).hasNoGaps)
        #expect(!evidence.showsGaps(in: us, at: now) && evidence.showsGaps(in: jp, at: now))
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

    @Test func aThousandPlacesAreNeededAndEachCountsOnce() throws {
        var evidence = ListEvidence()
        for _ in 0..<20 { try note(&evidence, "us", limit: 100, items: 100, next: 100) }
        #expect(!evidence.habits(in: us, at: now).hasNoGaps, "the same hundred")
        for artist in 2...9 { try note(&evidence, "us", artist: artist, limit: 100, items: 100, next: 100) }
        #expect(!evidence.habits(in: us, at: now).hasNoGaps, "900")
        try note(&evidence, "us", limit: 100, offset: 50, items: 100, next: 150)
        #expect(!evidence.habits(in: us, at: now).hasNoGaps, "950")
        try note(&evidence, "us", limit: 100, offset: 100, items: 100, next: 200)
        #expect(evidence.habits(in: us, at: now).hasNoGaps)
    }

    /// The file is read the latest first: of each list the last page alone was counted, and what
    /// was learnt of gaps did not survive a restart.
    @Test func placesCountInWhateverOrderTheirPagesCome() throws {
        for order in [[0, 20, 40, 60, 80], [80, 60, 40, 20, 0], [40, 0, 80, 20, 60]] {
            var evidence = ListEvidence()
            for artist in 1...12 {
                for offset in order {
                    try note(&evidence, "us", artist: artist, limit: 20, offset: offset, items: 20, next: offset + 20)
                }
            }
            let isWhole = order != [40, 0, 80, 20, 60]
            // Of a hole that was filled later nothing is counted, which is too little and never too
            // much.
            #expect(evidence.habits(in: us, at: now).hasNoGaps == isWhole, "\(order)")
        }
    }

    /// A client could choose so many languages that one list looked like many.
    @Test func aListInSeveralLanguagesIsOneList() throws {
        var evidence = ListEvidence()
        for number in 0..<20 {
            try note(&evidence, "us", language: "&l=de-\(10 + number)", limit: 100, items: 100, next: 100)
        }
        #expect(!evidence.habits(in: us, at: now).hasNoGaps)
    }

    @Test func oneGapTakesItBackForAsLongAsItsAnswerLives() throws {
        var evidence = ListEvidence()
        try withoutGaps(&evidence, "us")
        try note(&evidence, "us", limit: 20, items: 19, next: 20, freshFor: 300)
        #expect(!evidence.habits(in: us, at: now).hasNoGaps && evidence.showsGaps(in: us, at: now + 299))
        #expect(!evidence.showsGaps(in: us, at: now + 300))
        #expect(!evidence.habits(in: us, at: now + 300).hasNoGaps, "it is shown anew first")
    }

    @Test func whatWasShownEndsWithTheAnswersThatShowedIt() throws {
        var evidence = ListEvidence()
        try withoutGaps(&evidence, "us")
        #expect(evidence.habits(in: us, at: now + 499).hasNoGaps && !evidence.habits(in: us, at: now + 500).hasNoGaps)
        try note(&evidence, "us", artist: 11, limit: 100, items: 100, next: 100, at: now + 600)
        #expect(!evidence.habits(in: us, at: now + 600).hasNoGaps, "a hundred places now")
    }

    @Test func shortPagesSayThatPagesAreCutFirst() throws {
        var evidence = ListEvidence()
        try note(&evidence, "us", limit: 20, items: 20, next: 20)
        #expect(!evidence.habits(in: us, at: now).cutsFirst, "a page without gaps looks alike either way")
        try note(&evidence, "jp", limit: 20, items: 19, next: 20)
        #expect(evidence.habits(in: us, at: now).cutsFirst)
        try note(&evidence, "jp", artist: 2, limit: 20, items: 20, next: 22)
        #expect(!evidence.habits(in: us, at: now).cutsFirst, "and that they fill up")
    }

    @Test func pagesThatFillUpAreNotCutFirst() throws {
        var evidence = ListEvidence()
        try note(&evidence, "us", limit: 20, items: 20, next: 22)
        #expect(evidence.habits(in: us, at: now) == ListHabits())
    }

    @Test func theLinkOfARequestThatSaidMoreServesForOneThatSaysLess() throws {
        var evidence = ListEvidence()
        try note(&evidence, "us", limit: 20, items: 20, next: 20)
        let request = try StoredScene.request("artists/7/albums?offset=40")
        let link = evidence.link(for: request)?.write(offset: 65, request)
        #expect(link.map { String(decoding: $0, as: UTF8.self) } == "/v1/catalog/us/artists/7/albums?offset=65")
        #expect(evidence.link(for: try StoredScene.request("artists/7/albums?l=de&offset=40")) == nil)
    }

    @Test func aLinkThatNamesTheLimitServesForNoneWithoutOne() throws {
        var evidence = ListEvidence()
        let path = "/v1/catalog/us/artists/1/albums"
        let request = try StoredScene.request("\(path)?limit=2&offset=0")
        let body = Array(
            document([resource("albums", "1"), resource("albums", "2")], next: "\(path)?limit=2&offset=2").utf8)
        let map = try #require(DocumentScan(body).document)
        let fits = evidence.absorb(request, MappedDocument(body: body, map: map), 2, at: now, until: now + 9)
        #expect(fits)
        #expect(evidence.link(for: try StoredScene.request("artists/7/albums?limit=5&offset=40")) != nil)
        #expect(evidence.link(for: try StoredScene.request("artists/7/albums?offset=40")) == nil)
    }
}
