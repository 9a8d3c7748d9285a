import Testing
import Text

@testable import Simulator

@Suite struct SearchTests {
    let origin = SimulatedOrigin()

    @Test func resultsPerTypeWithNarrowedNext() throws {  // APPLE-MUSIC-API 7.5
        let body = try origin.get("/v1/catalog/gb/search?types=artists,albums&term=the+s&include=artists")
        let albums = try #require(body["results"]?["albums"])
        #expect(albums["href"]?.stringValue == "/v1/catalog/gb/search?limit=5&term=the+s&types=albums")
        #expect(albums["next"]?.stringValue == "/v1/catalog/gb/search?offset=5&term=the+s&types=albums")
        #expect(body["meta"]?["results"]?.keys == ["order", "rawOrder"])  // APPLE-MUSIC-API 5.1.3
        // APPLE-MUSIC-API 5.3.3
        for album in albums["data"]?.arrayValue ?? [] { #expect(album["relationships"] == nil) }
        let artists = try #require(body["results"]?["artists"]?["data"])
        #expect(artists[0]?["relationships"]?["albums"]?["data"]?[0]?.keys == ["id", "type", "href"])
    }

    @Test func followingNextGoesOn() throws {
        let first = try origin.get("/v1/catalog/us/search?types=songs&term=silver")
        let next = try #require(first["results"]?["songs"]?["next"]?.stringValue)
        let second = try origin.get(next)
        #expect(second["results"]?.keys == ["songs"])
        let one = Set(first["results"]?["songs"]?["data"]?.ids ?? [])
        #expect(one.isDisjoint(with: second["results"]?["songs"]?["data"]?.ids ?? []))
    }

    @Test func spacesAndEqualsInTheTerm() throws {  // APPLE-MUSIC-API 4.3.14
        let plus = try origin.get("/v1/catalog/us/search?term=the+s&types=albums,artists")
        #expect(try plus == origin.get("/v1/catalog/us/search?term=the%20s&types=albums,artists"))
        var bytes: [UInt8] = []
        bytes.appendQueryValue("drake=25 é")
        #expect(String(decoding: bytes, as: UTF8.self) == "drake%3D25+%C3%A9")
    }

    /// A cache may sort `types`; a stored answer has to fit every order of them.
    @Test func anotherOrderOfTypesHadAnotherAnswer() throws {  // APPLE-MUSIC-API 5.1.9, 14.2
        for (path, types) in [
            ("search?with=topResults&term=silver&", ["artists", "albums", "songs"]),
            ("search/suggestions?kinds=topResults&term=silver&", ["artists", "albums", "songs"]),
            ("charts?", ["albums", "songs", "playlists"]),
        ] {
            let target = "/v1/catalog/us/\(path)types="
            let answer = try origin.get(target + types.joined(separator: ","))
            #expect(try origin.get(target + types.reversed().joined(separator: ",")) == answer, "\(path)")
            #expect(try origin.get(target + (types + types).joined(separator: ",")) == answer, "\(path)")
        }
        let library = "/v1/me/library/search?term=the&types="
        #expect(
            try origin.get(library + "library-songs,library-albums", user: "user-anna")
                == origin.get(library + "library-albums,library-songs", user: "user-anna"))
    }

    @Test func nothingFoundIsEmpty() throws {
        let body = try origin.get("/v1/catalog/us/search?term=zzzzqqqq&types=albums")
        #expect(body["results"]?.keys == [])
    }

    @Test func requiredAndKnownParameters() throws {  // APPLE-MUSIC-API 8.3, 8.4
        try origin.expectError(
            "/v1/catalog/gb/search?types=jjj", 400,
            ["code": "40005", "detail": "Unknown type 'jjj'", "source": ["parameter": "types"]])
        #expect(try origin.error("/v1/catalog/gb/search?term=a").error["code"]?.stringValue == "40003")
        #expect(try origin.error("/v1/catalog/gb/search?term=a&types=albums&limit=26").status == 400)  // 4.1
    }

    @Test func topResultsHintsAndSuggestions() throws {  // APPLE-MUSIC-API 3.1.14, 3.1.15, 3.1.16
        let top = try origin.get("/v1/catalog/us/search?term=silver&types=albums,artists&with=topResults")
        #expect((top["results"]?["top"]?["data"]?.count ?? 0) > 0)
        let hints = try origin.get("/v1/catalog/us/search/hints?term=silver")
        #expect(hints["results"]?["terms"]?.count == 10)  // APPLE-MUSIC-API 4.1.10
        let suggestions = try origin.get("/v1/catalog/us/search/suggestions?term=silver&kinds=terms,topResults")
        let kinds = suggestions["results"]?["suggestions"]?.arrayValue?.compactMap { $0["kind"]?.stringValue } ?? []
        #expect(Set(kinds) == ["terms", "topResults"])
        #expect(try origin.error("/v1/catalog/us/search/suggestions?term=a&kinds=terms&limit=11").status == 400)
    }
}
