import AppleMusic
import Testing

@testable import Compose

/// Under which numbers nodes tell each other what their answers hold.
@Suite struct HintsTests {
    /// The numbers that a node with these answers asks other nodes for.
    private func asked(_ target: String, holding answers: [Stored] = []) throws -> Set<UInt64> {
        let scene = StoredScene()
        for answer in answers { try scene.store(answer) }
        let request = try #require(CatalogRequest(try StoredScene.target(target)))
        return Set(scene.library.hints(for: request, nil, at: StoredScene.noon + 1))
    }

    private func told(_ answer: Stored) throws -> Set<UInt64> {
        let scene = StoredScene()
        return Set(scene.library.hints(of: try scene.response(answer)))
    }

    private static let expanded = Stored("albums/1?include=artists", document(album("1", [artist("7")])))

    @Test(
        "what an answer holds is found by who asks for it",
        arguments: ["albums/1", "artists/7", "albums?ids=1,2", "albums/1/artists"])
    func isFound(target: String) throws { #expect(try !asked(target).isDisjoint(with: told(Self.expanded))) }

    @Test(
        "what is not in an answer is not found by it",
        arguments: ["albums/2", "songs/1", "artists/1", "albums/2/artists", "/v1/catalog/gb/albums/1"])
    func isNotFound(target: String) throws {
        #expect(try asked(target).isDisjoint(with: told(Self.expanded)))
    }

    /// An answer that is the album would be hidden by every list that has it.
    @Test func aNestedResourceHasAnotherNumber() throws {
        let list = Stored("artists/7/albums", document([album("1"), album("2")]))
        let (item, inside) = (try told(Stored("albums/1", document(album("1")))), try told(list))
        let asked = try asked("albums/1")
        #expect(item.intersection(inside).isEmpty)
        #expect(asked.count == 2 && asked.intersection(item).count == 1 && asked.intersection(inside).count == 1)
    }

    @Test func heldResourcesAreNotAskedFor() throws {
        let item = Stored("albums/1", document(album("1")))
        #expect(try asked("albums/1").count == 2)
        #expect(try asked("albums/1", holding: [item]).count == 1)
        let list = Stored("artists/7/albums", document([album("1"), album("2")]))
        #expect(try asked("albums/1", holding: [item, list]).isEmpty)
        // A stale answer does not count as held.
        var stale = item
        stale.freshFor = 1
        #expect(try asked("albums/1", holding: [stale]).count == 2)
    }

    @Test func aSearchAsksForNothingAndTellsWhatItFound() throws {
        let found = Stored("search?term=x&types=albums", "{\"results\":{\"albums\":{\"data\":[\(album("1"))]}}}")
        #expect(try asked("search?term=x&types=albums").isEmpty)
        #expect(try !asked("albums/1").isDisjoint(with: told(found)))
    }

    @Test func errorsTellNothing() throws {
        var absent = Self.expanded
        absent.status = 404
        #expect(try told(absent).isEmpty)
    }

    @Test func thereIsAnEndToWhatIsTold() throws {
        let albums = (1...100).map { album("\($0)", [artist("\(1_000 + $0)")]) }
        let ids = (1...100).map(String.init).joined(separator: ",")
        let told = try told(Stored("albums?ids=\(ids)&include=artists", document(albums)))
        #expect(told.count == 100)
        // The requested resources come first.
        #expect(try asked("albums/100").isDisjoint(with: told) == false)
    }
}
