import Cache
import Testing

@testable import Compose

/// Answers that are composed of some of the stored ones alone.
@Suite struct SourcesApartTests {
    private static let part = shown("albums/1?include=artists")

    private func compose(_ scene: StoredScene, of parts: [Stored], _ target: String = "albums/1") throws -> Outcome {
        let (now, request) = (StoredScene.noon + 10, try StoredScene.request(target))
        let sources = scene.library.sources(holding: try parts.map(scene.response), for: request, at: now)
        let composer = Composer(
            settings: scene.library.settings, library: scene.library, notFoundFor: 60, rule: scene.rule)
        return Outcome(composer.compose(request, sources, at: now))
    }

    @Test func otherStoredAnswersAreNoSource() throws {
        let scene = try StoredScene([Taught.album, Self.part])
        #expect(try compose(scene, of: [Self.part]) == .reduced(album("1")))
        #expect(try compose(scene, of: []) == .refusal)
        #expect(try scene.ask("albums/1") == .reduced(album("1")))
        // Nor do newer ones replace the parts.
        let revised = shown("albums/1?include=artists", artists: ["8"])
        try scene.store(revised)
        #expect(try compose(scene, of: [Self.part]) == .reduced(album("1")))
        #expect(try compose(scene, of: [revised]) == .reduced(album("1", [artistID("8")])))
    }

    @Test func nothingIsLearntFromThem() throws {
        let scene = try StoredScene([Self.part])
        #expect(try compose(scene, of: [Taught.album], "albums/9") == .refusal)
        #expect(try scene.refusal("albums/1") != nil, "how an album looks alone was not seen")
    }
}
