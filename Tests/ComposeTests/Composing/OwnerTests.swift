import Testing

@testable import Compose

/// Misses of a list that ask for its owner.
@Suite struct OwnerTests {
    private static func album(_ id: Int, tracks: Int) -> Stored {
        let list = relation("tracks", items("songs", 0..<tracks))
        return Stored("albums/\(id)", document(resource("albums", "\(id)", trackCount: tracks, [list])))
    }

    /// Tracks look alike in an album and in a list of their own.
    private static let learnt = [
        album(9, tracks: 3), Stored("albums/9/tracks?limit=100", document(items("songs", 0..<3))),
    ]
    private static let list = "albums/1/tracks?limit=100"

    static let rows: [Row] = [
        Row("in place of the first page", learnt, list, .fetch("albums/1")),
        Row("in place of a larger one", learnt, "albums/1/tracks?limit=300", .fetch("albums/1")),
        Row("not of a later page", learnt, "albums/1/tracks?limit=100&offset=100", refused: "window not-held"),
        Row("not of a small one", learnt, "albums/1/tracks?limit=25", refused: "window not-held"),
        Row("not with parameters", learnt, list + "&extend=artistUrl", refused: "window not-held"),
        Row(
            "not where the owner shows ids alone",
            Taught.pages + [Taught.artist], "artists/1/albums?limit=100", refused: "window not-held"),
        Row(
            "not where no track was seen both inside an album and in a list",
            [learnt[0], Stored("albums/8/tracks?limit=100", document(items("songs", 50..<53)))], list,
            refused: "window not-held"),
        Row("not where no owner was seen", [learnt[1]], list, refused: "window not-held"),
        Row(
            "not where it is there, without the list",
            learnt + [Stored("albums/1", document(resource("albums", "1")), isNoted: false)], list,
            refused: "window not-held"),
    ]

    @Test(arguments: rows) func theOwnerIsAskedFor(_ row: Row) throws { try row.check() }

    @Test func theFirstPageIsCutOutOfTheOwner() throws {
        let scene = try StoredScene(Self.learnt + [Self.album(1, tracks: 12)])
        for limit in [100, 300] {
            #expect(try scene.ask("albums/1/tracks?limit=\(limit)") == .window(items("songs", 0..<12)))
        }
    }

    /// The owner was asked for and never wanted.
    @Test func withoutUseItRests() throws {
        let scene = try StoredScene(Self.learnt)
        let ids = 100..<300
        let asked = try ids.first { try !scene.growAndSettle("albums/\($0)/tracks?limit=100") } ?? ids.upperBound
        #expect((20...100).contains(asked - ids.lowerBound), "each costs its bytes: \(asked)")
        // Clients that want it afterwards pay for it.
        let used = try StoredScene(Self.learnt)
        for id in ids {
            #expect(try used.growAndSettle("albums/\(id)/tracks?limit=100"), "album \(id)")
            if id % 10 == 0 { used.library.growth.note(useOf: Array("/v1/catalog/us/albums/\(id)".utf8)) }
        }
    }

    @Test func whatCannotBeCutOutOfOwnersCostsFourRequests() throws {
        #expect(try StoredScene(Self.learnt).growUntilItRests(Self.list) == 4)
    }
}
