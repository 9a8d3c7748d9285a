import AppleMusic
import Testing

@testable import Compose

/// The answers that a resource can be taken from.
@Suite struct ResourceHistoryTests {
    private static func answer(artist: String, genre: String) -> String {
        document(
            resource("albums", "1", [relation("artists", [artistID(artist)]), relation("genres", [genreID(genre)])]))
    }

    private let oldest = Stored("albums/1?include=genres", Self.answer(artist: "7", genre: "34"))
    private let newest = shown("albums/1", after: 2)

    /// The targets of the answers, in the order in which they are met.
    private func met(_ answers: [Stored]) throws -> [String] {
        let scene = try StoredScene(answers)
        let request = try StoredScene.request("albums/1")
        let number = try #require(request.resources.first).number
        var sources = scene.library.sources(nil, for: request, at: StoredScene.noon + 10)
        let found = scene.library.index.sources(of: request.indexNumber(ofResource: number))
        var history = ResourceHistory(of: NamedResource(number: number, id: Array("\"1\"".utf8)[...]), found)
        var targets: [String] = []
        while let candidate = history.next(&sources) {
            targets.append(below(candidate.part.response.key.target))
        }
        return targets
    }

    @Test func anAnswerThatIsContradictedStillContradictsOlderOnes() throws {
        let middle = Stored("albums?ids=1&include=genres", Self.answer(artist: "8", genre: "35"), after: 1)
        #expect(try met([oldest, newest]) == ["albums/1", "albums/1?include=genres"])
        #expect(try met([oldest, middle, newest]) == ["albums/1"])
    }

    @Test func absencesAndStaleAnswersEndTheOlderOnes() throws {
        let absence = Stored("albums?ids=1,2", document([ComposeTests.album("2")]), after: 1)
        #expect(try met([oldest, absence]).isEmpty)
        #expect(try met([oldest, absence, newest]) == ["albums/1"])
        #expect(try met([oldest, shown("albums/1", artists: ["8"], after: 1, freshFor: 2)]).isEmpty)
    }

    /// The resource was said to be withdrawn, although a newer answer had shown it.
    @Test func anAbsenceWasTheNewestAnswerOnceTheCacheHadEvictedANewerOne() throws {
        let absence = Stored("albums?ids=1,2", document([ComposeTests.album("2")]))
        let request = try StoredScene.request("albums/1")
        let number = try #require(request.resources.first).number
        func objection(_ scene: StoredScene) throws -> ResourceHistory.Objection? {
            var sources = scene.library.sources(nil, for: request, at: StoredScene.noon + 10)
            let found = scene.library.index.sources(of: request.indexNumber(ofResource: number))
            var history = ResourceHistory(of: NamedResource(number: number, id: Array("\"1\"".utf8)[...]), found)
            #expect(history.next(&sources) == nil)
            return history.objection
        }
        let scene = try StoredScene([absence])
        #expect(try objection(scene) == .withdrawn)
        try scene.store(newest)
        scene.cache.remove(try scene.response(newest).key)
        #expect(try objection(scene) == nil)
    }

    // MARK: Comparing

    private func contradict(_ one: String, _ other: String) throws -> Bool {
        let scene = StoredScene()
        let candidates = try [one, other].map { body in
            let response = try scene.response(Stored("albums/1", document(body)))
            let map = try #require(response.outline as? ResourceDocument)
            let part = StoredSource(response, map)
            return Candidate(part: part, object: map.objects[0], placement: .item)
        }
        #expect(candidates[0].contradicts(candidates[1]) == candidates[1].contradicts(candidates[0]))
        return candidates[0].contradicts(candidates[1])
    }

    private static func holding(_ relation: String) -> String { resource("albums", "1", [relation]) }

    @Test(arguments: [
        ("the same", album("1"), album("1"), false),
        (
            "another order of ids", album("1", [artistID("7"), artistID("8")]),
            album("1", [artistID("8"), artistID("7")]), true
        ),
        ("a list that has ended", album("1", [artistID("7")]), album("1", [artistID("7"), artistID("8")]), true),
        ("another attribute", album("1"), album("1").replacing("albums 1\"", with: "other\""), true),
        ("an attribute more", album("1"), album("1").replacing("\"name\"", with: "\"more\":1,\"name\""), false),
        (
            "another order of attributes", #"{"id":"1","type":"albums","attributes":{"a":1,"b":2}}"#,
            #"{"id":"1","type":"albums","attributes":{"b":2,"a":1}}"#, false
        ),
        (
            "a beginning of a list that goes on",
            holding(#""artists":{"data":[{"id":"7","type":"artists"}],"next":"/v1/x?offset=1"}"#),
            album("1", [artistID("7"), artistID("8")]), false
        ),
        ("a relationship without data", holding(#""artists":{"href":"/v1/x"}"#), album("1"), false),
        ("another relationship", holding(#""genres":{"data":[]}"#), album("1"), false),
    ])
    func twoAnswersAgreeOrContradict(name: String, one: String, other: String, isContradiction: Bool) throws {
        #expect(try contradict(one, other) == isContradiction, "\(name)")
    }
}
