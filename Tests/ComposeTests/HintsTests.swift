import AppleMusic
import Testing

@testable import Compose

/// Under which numbers nodes tell each other what their answers hold.
@Suite struct HintsTests {
    /// The numbers that a node with these answers asks other nodes for.
    private func asked(_ target: String, holding answers: [Stored] = []) throws -> Set<UInt64> {
        let library = try StoredScene(answers).library
        return Set(library.hints(for: try StoredScene.request(target), nil, at: StoredScene.noon + 1))
    }

    private func told(_ answer: Stored) throws -> Set<UInt64> {
        let scene = StoredScene()
        return Set(scene.library.hints(of: try scene.response(answer)))
    }

    private static let expanded = shown("albums/1?include=artists")
    private static let list = Stored("artists/7/albums", document([album("1"), album("2")]))

    @Test(arguments: [
        ("albums/1", true), ("artists/7", true), ("albums?ids=1,2", true), ("albums/1/artists", true),
        ("albums/2", false), ("songs/1", false), ("artists/1", false), ("albums/2/artists", false),
        ("/v1/catalog/gb/albums/1", false),
    ])
    func whatAnAnswerHoldsIsFound(target: String, isFound: Bool) throws {
        #expect(try asked(target).isDisjoint(with: told(Self.expanded)) == !isFound)
    }

    /// An answer that is the album would be hidden by every list that has it.
    @Test func aNestedResourceHasAnotherNumber() throws {
        let (item, inside) = (try told(shown("albums/1")), try told(Self.list))
        let asked = try asked("albums/1")
        #expect(item.intersection(inside).isEmpty)
        #expect(asked.count == 2 && asked.intersection(item).count == 1 && asked.intersection(inside).count == 1)
    }

    @Test func heldResourcesAreNotAskedFor() throws {
        #expect(try asked("albums/1", holding: [shown("albums/1")]).count == 1)
        #expect(try asked("albums/1", holding: [shown("albums/1"), Self.list]).isEmpty)
        #expect(try asked("albums/1", holding: [shown("albums/1", freshFor: 1)]).count == 2, "a stale one is not held")
    }

    @Test func aSearchAsksForNothingAndTellsWhatItFound() throws {
        let found = Stored("search?term=x&types=albums", "{\"results\":{\"albums\":{\"data\":[\(album("1"))]}}}")
        #expect(try asked("search?term=x&types=albums").isEmpty)
        #expect(try !asked("albums/1").isDisjoint(with: told(found)))
        var absent = Self.expanded
        absent.status = 404
        #expect(try told(absent).isEmpty, "errors tell nothing")
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
