import AppleMusic
import Testing

@testable import Cache
@testable import Compose
@testable import Freshness

/// The lessons that the library learns from answers, and forgets.
@Suite struct LearntLessonsTests {
    private static let larger = shown("albums/1?include=artists")
    private static let answered = Outcome.reduced(album("1"))
    private static let otherForm = document(resource("albums", "8"))

    @Test func aContradictedFormRestsAndIsLearntAnew() throws {
        let scene = try StoredScene([Taught.album, Self.larger])
        #expect(try scene.ask("albums/1", after: 4) == Self.answered)
        #expect(try scene.store(Stored("albums/8", Self.otherForm, after: 5, freshFor: 100)) == .otherForm)
        #expect(try scene.ask("albums/1", after: 5) == .refusal)
        #expect(scene.library.forms.resting(at: StoredScene.noon + 104) == 1)
        let larger = try StoredScene.request(Self.larger.target).form
        #expect(scene.library.forms.record(larger, at: StoredScene.noon + 104) != nil, "other forms count on")
        #expect(try scene.store(shown("albums/6", after: 104)) == .nothingNew)
        #expect(try scene.ask("albums/1", after: 104) == .refusal)
        #expect(scene.library.forms.resting(at: StoredScene.noon + 105) == 0)
        #expect(try scene.ask("albums/1", after: 200) == .refusal, "it has to be learnt anew")
        try scene.store(shown("albums/6", after: 200))
        #expect(try scene.ask("albums/1", after: 201) == Self.answered)
    }

    @Test func otherAttributesOfAResourceInAnotherPlaceAreALesson() throws {
        let scene = try StoredScene([Taught.albumWithArtists, Taught.artist, Self.larger])
        #expect(try scene.ask("artists/7") == .reduced(artist("7")))
        func other(after: Int64) -> Stored {
            Stored("artists/8", document(resource("artists", "8", attribute: "title")), after: after)
        }
        try scene.store(other(after: 1))
        #expect(
            try scene.store(shown("albums/5?include=artists", artists: ["8"], after: 2)) == .nothingNew,
            "the catalog may have changed")
        try scene.store(shown("albums/6?include=artists", artists: ["91", "92"], after: 2))
        try scene.store([shown("artists/91", after: 2), shown("artists/92", after: 2)])
        #expect(try scene.store(other(after: 3)) == .otherAttributes, "the same before and after")
        #expect(try scene.ask("artists/7", after: 4) == .refusal)
        // Where nothing was known it contradicts nothing.
        let first = Stored("artists/90", document(resource("artists", "90", attribute: "title")))
        #expect(try StoredScene([Taught.albumWithArtists]).store(first) == .nothingNew)
    }

    /// Composition across placements ended for a type in all storefronts where a song could be
    /// played from one day on.
    @Test func anAttributeThatIsAddedIsNoContradiction() throws {
        let scene = try StoredScene([shown("albums/9?include=artists", artists: ["90", "91"])])
        try scene.store([Taught.artist, shown("artists/91")])
        func added(to target: String, _ id: String, _ text: (String) -> String) -> Stored {
            Stored(target, document(text(resource("artists", id, attribute: "title"))), after: 1)
        }
        #expect(try scene.store(added(to: "artists/90", "90") { $0 }) == .nothingNew)
        let us = try #require(Storefront("us"))
        func agreement() -> PlacementAgreement {
            scene.library.forms.agreement(.artists, in: us, at: StoredScene.noon + 1)
        }
        #expect(!agreement().isRefuted(.item, .included))
        #expect(!agreement().holds(.included, in: .item), "it may be missing")
        try scene.store(
            added(to: "albums/9?include=artists", "90") { resource("albums", "9", [relation("artists", [$0])]) })
        #expect(agreement().holds(.included, in: .item))
    }

    /// They touch some placements and not others.
    @Test func answersWithAnExtensionTeachNothingOfPlacements() throws {
        let scene = try StoredScene([
            shown("albums/9?extend=a&include=artists", artists: ["90"]), shown("artists/90?extend=a"), Taught.artist,
            Self.larger,
        ])
        #expect(try scene.ask("artists/7") == .refusal)
        #expect(
            !scene.library.forms.agreement(.artists, in: Storefront("us")!, at: StoredScene.noon)
                .holds(.included, in: .item))
    }

    @Test func aFormWithMoreTextThanAppsWriteIsNotLearnt() throws {
        let scene = StoredScene()
        for (count, isLearnt) in [(LearntForms.mostChosenBytes, true), (LearntForms.mostChosenBytes + 1, false)] {
            let target = "albums/9?x=" + String(repeating: "a", count: count - 2)
            try scene.store(Stored(target, Taught.album.body))
            let form = try StoredScene.request(target).form
            #expect(form.shape.decoration.count == count)
            #expect((scene.library.forms.record(form, at: StoredScene.noon) != nil) == isLearnt)
        }
    }

    @Test func aFormThatIsNestedMoreDeeplyThanAnyWasSeenIsNotLearnt() throws {
        func nested(_ depth: Int) -> String {
            depth == 1 ? artist("7") : resource("albums", "9", [relation("artists", [nested(depth - 1)])])
        }
        for (depth, isLearnt) in [(ObjectShape.maxDepth, true), (ObjectShape.maxDepth + 1, false)] {
            let scene = try StoredScene([Stored("albums/9", document(nested(depth)))])
            let form = try StoredScene.request("albums/1").form
            #expect((scene.library.forms.record(form, at: StoredScene.noon) != nil) == isLearnt, "\(depth)")
        }
    }

    /// Forms that rested while the clock was ahead rested for as long as it was, and those that
    /// were learnt then ran out no sooner.
    @Test func formsLearntWithAClockAheadAreLearntAgain() throws {
        let (forms, now) = (LearntForms(), StoredScene.noon)
        let ahead = now + 10 * 365 * 86_400
        let map = try mapped(Taught.album.body)
        let (one, other) = (try StoredScene.request("albums/9"), try StoredScene.request("albums/9?x=1"))
        for request in [one, other] {
            #expect(forms.observe(request, map, at: ahead, freshFor: 86_400) == .nothingNew)
        }
        forms.switchOff(other.shape, until: ahead + 86_400, at: ahead)
        #expect(forms.record(one.form, at: ahead) != nil && forms.resting(at: ahead) == 1)
        // The clock is right from here on.
        #expect(forms.record(one.form, at: now) == nil && forms.resting(at: now) == 1)
        #expect(forms.observe(one, map, at: now, freshFor: 86_400) == .nothingNew)
        #expect(forms.record(one.form, at: now) != nil)
        #expect(forms.resting(at: now + 8 * 86_400) == 0)
    }

    @Test func beyondTheMostFormsTheOldestGivesWay() throws {
        let forms = LearntForms()
        let map = try mapped(Taught.album.body)
        for number in 0...LearntForms.maxForms {
            let request = try StoredScene.request("albums/9?x=\(number)")
            let lesson = forms.observe(request, map, at: StoredScene.noon + Int64(number), freshFor: 10_000)
            #expect(lesson == .nothingNew)
        }
        func isKnown(_ number: Int) throws -> Bool {
            forms.record(try StoredScene.request("albums/9?x=\(number)").form, at: StoredScene.noon) != nil
        }
        #expect(try !isKnown(0) && isKnown(1) && isKnown(LearntForms.maxForms))
    }

    // MARK: Settings

    private static func off(_ settings: inout CompositionSettings) {
        (settings.compose, settings.windows, settings.batch) = (.off, false, false)
    }

    @Test func withNothingComposedAtAllNothingIsNoted() throws {
        let library = try StoredScene([Taught.album, Self.larger], Self.off).library
        #expect(library.index.count == 0 && !library.settings.isActive)
        #expect(library.forms.record(try StoredScene.request("albums/1").form, at: StoredScene.noon) == nil)
        for change in [\CompositionSettings.windows, \.batch] {
            var other = library.settings
            other[keyPath: change] = true
            #expect(other.isActive)
        }
        var verifying = library.settings
        verifying.compose = .verify
        #expect(verifying.isActive)
    }

    // MARK: Questions to the library

    @Test func onlyWhatWasNotedMayHoldParts() throws {
        let scene = try StoredScene([Self.larger])
        func mayHold(_ target: String) throws -> Bool {
            scene.library.mayHoldParts(of: try StoredScene.request(target))
        }
        for target in ["albums/1", "albums?ids=2,1", "artists/7", "albums/1?include=genres", "albums/2/tracks"] {
            #expect(try mayHold(target), "\(target)")
        }
        for target in ["albums/2", "albums?ids=2,3", "artists/1", "albums/1?l=de", "/v1/catalog/gb/albums/1"] {
            #expect(try !mayHold(target), "\(target)")
        }
    }

    @Test func onlySharedRequestsOfARuledClassAreCovered() throws {
        let library = StoredScene().library
        let catalog = try StoredScene.target("albums/1").route
        let personal = try StoredScene.target("/v1/me/library/songs").route
        let rule = TTLRule.fixed(10, stale: 0)
        #expect(library.covers(.shared, catalog, rule))
        #expect(!library.covers(nil, catalog, rule))
        #expect(!library.covers(.personal(UserHash(bits: 1)), catalog, rule))
        #expect(!library.covers(.shared, personal, rule))
        #expect(!library.covers(.shared, catalog, .off) && !library.covers(.shared, catalog, .upstream))
        #expect(!StoredScene(Self.off).library.covers(.shared, catalog, rule))
    }
}
