import Freshness
import Testing

@testable import Compose

/// The lifetime of composed answers.
@Suite struct ComposedLifetimeTests {
    private static let larger = document(album("1", [artist("7")]))

    private func scene(_ rule: TTLRule = .fixed(10_000, stale: 0)) -> StoredScene {
        var scene = StoredScene()
        scene.rule = rule
        return scene
    }

    /// Two parts, of 500 and 100 seconds when it is asked for at 500.
    private func twoParts(_ rule: TTLRule) throws -> StoredScene {
        let scene = scene(rule)
        try scene.store([Taught.albumWithArtists, Taught.artist])
        try scene.store(Stored("albums/1", document(album("1")), after: 0, freshFor: 1_000, staleFor: 200))
        try scene.store(Stored("artists/7", document(artist("7")), after: 400, freshFor: 700, staleFor: 900))
        return scene
    }

    @Test func itIsAsOldAsItsOldestPartAndAsFreshAsItsStalest() throws {
        let answer = try twoParts(.fixed(10_000, stale: 5_000)).answer("albums/1?include=artists", after: 500)
        #expect(answer.lifetime == Lifetime(freshFor: 1_000, staleFor: 200, initialAge: 500))
        let later = try twoParts(.fixed(10_000, stale: 5_000)).answer("albums/1?include=artists", after: 900)
        #expect(later.lifetime == Lifetime(freshFor: 1_000, staleFor: 200, initialAge: 900))
    }

    @Test func aYoungerPartMayGoStaleFirst() throws {
        let scene = scene(.fixed(10_000, stale: 5_000))
        try scene.store([Taught.albumWithArtists, Taught.artist])
        try scene.store(Stored("albums/1", document(album("1")), after: 0, freshFor: 1_000, staleFor: 0))
        try scene.store(Stored("artists/7", document(artist("7")), after: 400, freshFor: 150, staleFor: 50))
        let answer = try scene.answer("albums/1?include=artists", after: 500)
        #expect(answer.lifetime == Lifetime(freshFor: 550, staleFor: 50, initialAge: 500))
    }

    @Test func itIsNoLongerFreshThanTheRuleOfItsClassAllows() throws {
        let answer = try twoParts(.fixed(600, stale: 30)).answer("albums/1?include=artists", after: 500)
        #expect(answer.lifetime == Lifetime(freshFor: 600, staleFor: 30, initialAge: 500))
        #expect(try twoParts(.fixed(501, stale: 30)).ask("albums/1?include=artists", after: 500) != .refusal)
        #expect(try twoParts(.fixed(500, stale: 30)).ask("albums/1?include=artists", after: 500) == .refusal)
    }

    @Test(arguments: [TTLRule.off, .upstream]) func nothingIsComposedOfAClassWithoutALifetime(rule: TTLRule) throws {
        #expect(try twoParts(rule).ask("albums/1?include=artists", after: 500) == .refusal)
    }

    @Test func itIsNoLongerFreshThanItsFormIsKnown() throws {
        let scene = scene()
        try scene.store(Stored("albums/9", document(album("9", [artistID("90")])), freshFor: 300))
        try scene.store(Stored("albums/1?include=artists", Self.larger, after: 100, freshFor: 1_000, staleFor: 400))
        let answer = try scene.answer("albums/1", after: 200)
        #expect(answer.lifetime == Lifetime(freshFor: 200, staleFor: 1_200, initialAge: 100))
        #expect(try scene.ask("albums/1", after: 299) != .refusal)
        #expect(try scene.ask("albums/1", after: 300) == .refusal)
    }

    @Test func anotherAnswerProlongsTheKnowledgeOfAForm() throws {
        let scene = scene()
        let other = document(album("9", [artistID("90")]))
        try scene.store(Stored("albums/9", other, freshFor: 300))
        try scene.store(Stored("albums/1?include=artists", Self.larger, freshFor: 1_000))
        try scene.store(Stored("albums/8", document(album("8", [artistID("90")])), after: 250, freshFor: 300))
        #expect(try scene.answer("albums/1", after: 300).lifetime.freshFor == 550)
        #expect(try scene.ask("albums/1", after: 549) != .refusal)
        #expect(try scene.ask("albums/1", after: 550) == .refusal)
    }

    @Test func anAbsenceCountsForAsLongAsNotFound() throws {
        let scene = scene()
        try scene.store([Taught.album, Taught.albums])
        try scene.store(Stored("albums?ids=404,1", document(album("1")), after: 0))
        try scene.store(Stored("albums/2", document(album("2")), after: 15))
        let answer = try scene.answer("albums?ids=404,2", after: 20)
        #expect(answer.lifetime.freshFor - answer.lifetime.initialAge == 40)
        #expect(answer.lifetime.initialAge == 20, "the batch without it is a part")
        #expect(try scene.answer("albums?ids=404,2", after: 59).lifetime.freshFor == 60)
    }

    @Test func aWindowIsAsFreshAsItsPage() throws {
        let scene = scene()
        try scene.store(CutWindowTests.learnt)
        try scene.store(CutWindowTests.page(1, "limit=20", 0..<20, next: 20, freshFor: 500))
        let answer = try scene.answer("artists/1/albums?limit=5", after: 100)
        #expect(answer.lifetime == Lifetime(freshFor: 500, staleFor: 1_000, initialAge: 100))
        #expect(try scene.ask("artists/1/albums?limit=5", after: 500) == .refusal)
    }
}
