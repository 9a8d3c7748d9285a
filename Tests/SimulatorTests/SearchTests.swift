import Testing
import Text

@testable import Simulator

@Suite struct SearchTests {
    let origin = SimulatedOrigin()

    @Test func resultsPerTypeWithNarrowedNext() throws {  // APPLE-MUSIC-API 7.5
        let body = try origin.get("/v1/catalog/gb/search?types=artists,albums&term=the+s&include=artists")
        let albums = try #require(body["results"]?["albums"])
        #expect(albums["href"] == "/v1/catalog/gb/search?limit=5&term=the+s&types=albums")
        #expect(albums["next"] == "/v1/catalog/gb/search?offset=5&term=the+s&types=albums")
        #expect(body["meta"]?["results"]?.keys == ["order", "rawOrder"])  // APPLE-MUSIC-API 5.1.3
        // APPLE-MUSIC-API 5.3.3
        for album in albums["data"]?.arrayValue ?? [] { #expect(album["relationships"] == nil) }
        let artists = try #require(body["results"]?["artists"]?["data"])
        #expect(artists[0]?[related: "albums"]?[0]?.keys == ["id", "type", "href"])
    }

    @Test func followingNextGoesOn() throws {
        let first = try origin.get("/v1/catalog/us/search?types=songs&term=silver")
        let second = try origin.get(try #require(first["results"]?["songs"]?["next"]?.stringValue))
        #expect(second["results"]?.keys == ["songs"])
        let one = Set(first["results"]?["songs"]?["data"]?.ids ?? [])
        #expect(one.isDisjoint(with: second["results"]?["songs"]?["data"]?.ids ?? []))
        #expect(try origin.get("/v1/catalog/us/search?term=zzzzqqqq&types=albums")["results"]?.keys == [])
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
            ("catalog/us/search?with=topResults&term=silver&", ["artists", "albums", "songs"]),
            ("catalog/us/search/suggestions?kinds=topResults&term=silver&", ["artists", "albums", "songs"]),
            ("catalog/us/charts?", ["albums", "songs", "playlists"]),
            ("me/library/search?term=the&", ["library-songs", "library-albums"]),
        ] {
            let isPersonal = path.hasPrefix("me")
            func answer(_ types: [String]) throws -> JSON {
                let target = "/v1/\(path)types=" + types.joined(separator: ",")
                return try origin.get(target, user: isPersonal ? "user-anna" : nil)
            }
            let first = try answer(types)
            #expect(try answer(types.reversed()) == first, "\(path)")
            if !isPersonal { #expect(try answer(types + types) == first, "\(path)") }
        }
    }

    @Test func wrongParametersAreRefused() throws {  // APPLE-MUSIC-API 8.3, 8.4, 4.1.22
        try origin.expectError(
            "/v1/catalog/gb/search?types=jjj", 400,
            ["code": "40005", "detail": "Unknown type 'jjj'", "source": ["parameter": "types"]])
        try origin.expectError("/v1/catalog/gb/search?term=a", 400, ["code": "40003"])
        try origin.expectError("/v1/catalog/gb/search?term=a&types=albums&limit=26", 400)  // 4.1
        try origin.expectError(
            "/v1/catalog/us/charts?types=albums&offset=206&limit=50", 400,
            ["detail": "offset must be less than 200", "source": ["parameter": "offset"]])
        let last = try #require(try chart("albums", "&offset=190"))
        #expect(last["next"] == nil)
        try origin.expectError("/v1/catalog/us/charts", 400, ["code": "40003"])
    }

    @Test func topResultsHintsAndSuggestions() throws {  // APPLE-MUSIC-API 3.1.14, 3.1.15, 3.1.16
        let top = try origin.get("/v1/catalog/us/search?term=silver&types=albums,artists&with=topResults")
        #expect((top["results"]?["top"]?["data"]?.count ?? 0) > 0)
        let hints = try origin.get("/v1/catalog/us/search/hints?term=silver")
        #expect(hints["results"]?["terms"]?.count == 10)  // APPLE-MUSIC-API 4.1.10
        let suggestions = try origin.get("/v1/catalog/us/search/suggestions?term=silver&kinds=terms,topResults")
        let kinds = suggestions["results"]?["suggestions"]?.arrayValue?.compactMap { $0["kind"]?.stringValue } ?? []
        #expect(Set(kinds) == ["terms", "topResults"])
        try origin.expectError("/v1/catalog/us/search/suggestions?term=a&kinds=terms&limit=11", 400)
    }

    // MARK: Charts

    /// The chart of a type.
    private func chart(_ type: String, _ query: String, _ storefront: String = "us") throws -> JSON? {
        try origin.get("/v1/catalog/\(storefront)/charts?types=\(type)\(query)")["results"]?[type]?[0]
    }

    @Test func everyTypeHasItsChart() throws {  // APPLE-MUSIC-API 3.1.13, 7.6
        let body = try origin.get("/v1/catalog/us/charts?types=songs,albums,music-videos,playlists")
        #expect(body["results"]?.keys.count == 4)
        let songs = try #require(body["results"]?["songs"]?[0])
        #expect(songs["chart"] == "most-played" && songs["name"] == "Top Songs")
        #expect(songs["next"] == "/v1/catalog/us/charts?chart=most-played&offset=20&types=songs")
        #expect(songs["data"]?[0]?["relationships"] == nil)  // APPLE-MUSIC-API 5.3.4
        let order = try #require(body["meta"]?["results"]?["order"]?.arrayValue)  // APPLE-MUSIC-API 5.1.3
        #expect(order.count == 4 && order.contains("most-played:songs"))
        #expect(body["meta"]?["results"]?["rawOrder"] == nil)
    }

    @Test func chartsDifferByGenreAndStorefront() throws {  // APPLE-MUSIC-API 7.4, 7.6, 4.3.7
        let single = try chart("songs", "&genre=14&limit=1")
        let path = "/v1/catalog/us/charts?chart=most-played&genre=14&limit=1"
        #expect(single?["next"] == .string(path + "&offset=1&types=songs"))
        #expect(single?["href"] == .string(path + "&types=songs"))
        #expect(try chart("songs", "")?["data"]?.ids != chart("songs", "", "jp")?["data"]?.ids)
        let pop = try #require(try chart("songs", "&genre=14")?["data"]?.arrayValue)
        #expect(pop.count > 5 && pop.allSatisfy { $0["attributes"]?["genreNames"]?[0] == "Pop" })
        let body = try origin.get("/v1/catalog/us/charts?types=songs&with=cityCharts,dailyGlobalTopCharts")
        #expect(body["results"]?.keys == ["songs", "cityCharts", "dailyGlobalTopCharts"])
    }

    // MARK: Storefronts, languages and genres

    @Test func storefrontsAreListsPagesAndBatches() throws {  // APPLE-MUSIC-API 7.3, 8.18
        #expect(try origin.get("/v1/storefronts")["data"]?.count == Market.all.count)
        #expect(try origin.get("/v1/storefronts?limit=2")["next"] == "/v1/storefronts?offset=2")
        #expect(try origin.get("/v1/storefronts?ids=us,ca,cn,au,hk")["data"]?.ids == ["us", "ca", "cn", "au", "hk"])
        let japan = try origin.first("/v1/storefronts/jp")
        #expect(japan["href"] == "/v1/storefronts/jp")
        let attributes = ["supportedLanguageTags", "defaultLanguageTag", "name", "explicitContentPolicy"]
        #expect(japan["attributes"]?.keys == attributes)
        #expect(origin.respond("/v1/storefronts/zz").status == 404)
        try origin.expectError("/v1/catalog/zz/albums/1", 400)  // APPLE-MUSIC-API 8.7
    }

    @Test func tagsAreMatchedIgnoredOrRefused() throws {
        // APPLE-MUSIC-API 3.1.18
        #expect(try origin.get("/v1/language/us/tag?acceptLanguage=en-US") == ["results": ["tag": "en-US"]])
        #expect(try origin.get("/v1/language/jp/tag?acceptLanguage=sv")["results"]?["tag"] == "ja")
        // APPLE-MUSIC-API 4.3.9, 8.3
        #expect(try origin.get("/v1/catalog/us/genres?l=sv-SE") == origin.get("/v1/catalog/us/genres"))
        for tag in ["zh-tw", "x", "english-language-tag", "en_US", "12"] {
            try origin.expectError(
                "/v1/catalog/us/genres?l=\(tag)", 400,
                ["detail": .string("Invalid language tag '\(tag)'"), "source": ["parameter": "l"]])
        }
    }

    @Test func supportedTagsChangeNamesAndMarkEveryHref() throws {  // APPLE-MUSIC-API 4.3.9, 5.2.2
        let catalog = origin.catalog
        let number = try #require(
            (0..<900).first { catalog.name(ofArtist: $0, .japanese) != catalog.name(ofArtist: $0, .english) })
        let path = "/v1/catalog/jp/artists/\(origin.id(.artists, number))"
        let japanese = try origin.get(path + "?l=ja&include=genres")
        let english = try origin.get(path + "?l=en-US&include=genres")
        #expect(japanese["data"]?[0]?["attributes"]?["name"] != english["data"]?[0]?["attributes"]?["name"])
        for href in english.all("href") { #expect(href.stringValue?.hasSuffix("?l=en-US") == true) }
        for href in try origin.get(path).all("href") { #expect(href.stringValue?.contains("?") == false) }
    }

    @Test func genresListAndPage() throws {  // APPLE-MUSIC-API 3.1.12
        #expect(try origin.get("/v1/catalog/de/genres")["data"]?.count == Genre.all.count)
        let page = try origin.get("/v1/catalog/de/genres?limit=5&offset=5")
        #expect(page["data"]?.count == 5 && page["next"] == "/v1/catalog/de/genres?offset=10")
        #expect(try origin.get("/v1/catalog/us/genres?ids=14,21")["data"]?.ids == ["14", "21"])
        #expect(try origin.first("/v1/catalog/de/genres/5")["attributes"]?["name"] == "Klassik")
    }
}
