import Freshness
import Testing

@testable import Compose

/// The lifetime of composed answers.
@Suite struct ComposedLifetimeTests {
    private let composed = "albums/1?include=artists"

    private func scene(_ stored: [Stored], _ rule: TTLRule = .fixed(10_000, stale: 0)) throws -> StoredScene {
        var scene = StoredScene()
        scene.rule = rule
        try scene.store(stored)
        return scene
    }

    /// Two parts, of 500 and 100 seconds when it is asked for at 500.
    private func twoParts(_ rule: TTLRule, artistFreshFor: Int = 700, staleFor: (Int, Int) = (200, 900)) throws
        -> StoredScene
    {
        var (album, artist) = (shown("albums/1", freshFor: 1_000), shown("artists/7", after: 400))
        (album.staleFor, artist.freshFor, artist.staleFor) = (staleFor.0, artistFreshFor, staleFor.1)
        return try scene([Taught.albumWithArtists, Taught.artist, album, artist], rule)
    }

    @Test func itIsAsOldAsItsOldestPartAndAsFreshAsItsStalest() throws {
        let scene = try twoParts(.fixed(10_000, stale: 5_000))
        for age in [500, 900] {
            let lifetime = try scene.answer(composed, after: Int64(age)).lifetime
            #expect(lifetime == Lifetime(freshFor: 1_000, staleFor: 200, initialAge: age))
        }
        let younger = try twoParts(.fixed(10_000, stale: 5_000), artistFreshFor: 150, staleFor: (0, 50))
        let lifetime = try younger.answer(composed, after: 500).lifetime
        #expect(lifetime == Lifetime(freshFor: 550, staleFor: 50, initialAge: 500))
    }

    @Test func itIsNoLongerFreshThanTheRuleOfItsClassAllows() throws {
        let answer = try twoParts(.fixed(600, stale: 30)).answer(composed, after: 500)
        #expect(answer.lifetime == Lifetime(freshFor: 600, staleFor: 30, initialAge: 500))
        #expect(try twoParts(.fixed(501, stale: 30)).ask(composed, after: 500) != .refusal)
        for rule in [TTLRule.fixed(500, stale: 30), .off, .upstream] {
            #expect(try twoParts(rule).ask(composed, after: 500) == .refusal)
        }
    }

    @Test func itIsNoLongerFreshThanItsFormIsKnown() throws {
        var larger = shown(composed, after: 100, freshFor: 1_000)
        larger.staleFor = 400
        let scene = try scene([shown("albums/9", artists: ["90"], freshFor: 300), larger])
        let answer = try scene.answer("albums/1", after: 200)
        #expect(answer.lifetime == Lifetime(freshFor: 200, staleFor: 1_200, initialAge: 100))
        #expect(try scene.ask("albums/1", after: 299) != .refusal)
        #expect(try scene.ask("albums/1", after: 300) == .refusal)
        // Another answer prolongs that.
        try scene.store(shown("albums/8", artists: ["90"], after: 250, freshFor: 300))
        #expect(try scene.answer("albums/1", after: 300).lifetime.freshFor == 450)
    }

    @Test func anAbsenceCountsForAsLongAsNotFound() throws {
        let scene = try scene([
            Taught.album, Taught.albums, shown("albums?ids=404"), shown("albums/2", after: 15),
        ])
        let answer = try scene.answer("albums?ids=404,2", after: 20)
        #expect(answer.lifetime.freshFor - answer.lifetime.initialAge == 40)
        #expect(answer.lifetime.initialAge == 20, "the batch without it is a part")
        #expect(try scene.answer("albums?ids=404,2", after: 59).lifetime.freshFor == 60)
    }

    @Test func aWindowIsAsFreshAsItsPage() throws {
        let scene = try scene(Taught.pages + [page(1, "limit=20", 0..<20, next: 20, freshFor: 500)])
        let answer = try scene.answer("artists/1/albums?limit=5", after: 100)
        #expect(answer.lifetime == Lifetime(freshFor: 500, staleFor: 1_000, initialAge: 100))
        #expect(try scene.ask("artists/1/albums?limit=5", after: 500) == .refusal)
    }
}
