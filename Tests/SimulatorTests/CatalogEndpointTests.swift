import Testing
import Text

@testable import Simulator

@Suite struct CatalogEndpointTests {
    let origin = SimulatedOrigin()

    @Test func singleResourceIsAnArrayOfOne() throws {  // APPLE-MUSIC-API 3.1.1, 5.1.1
        let id = origin.albumIDs(1)[0]
        let body = try origin.get("/v1/catalog/us/albums/\(id)")
        #expect(body["data"]?.ids == [id])
        #expect(body.keys == ["data"])
        let album = try #require(body["data"]?[0])
        #expect(album.keys == ["id", "type", "href", "attributes", "relationships"])  // APPLE-MUSIC-API 5.2.1
        #expect(album["href"]?.stringValue == "/v1/catalog/us/albums/\(id)")
    }

    @Test func batchKeepsOrderDropsDuplicatesAndMissing() throws {  // APPLE-MUSIC-API 8.18, 4.3.16
        let ids = origin.albumIDs(3)
        let deprecated = try #require((0..<origin.catalog.albumCount).first { origin.catalog.isDeprecated(album: $0) })
        let gone = origin.id(.albums, deprecated)
        let asked = [ids[2], ids[0], gone, ids[2], "77", ids[1]].joined(separator: ",")
        let body = try origin.get("/v1/catalog/us/albums?ids=\(asked)")
        #expect(body["data"]?.ids == [ids[2], ids[0], ids[1]])
        let repeated = try origin.get("/v1/catalog/us/albums?ids=\(ids[0])&ids=\(ids[1])")
        #expect(repeated["data"]?.ids == [ids[0], ids[1]])
        #expect(origin.respond("/v1/catalog/us/albums/\(gone)").status == 404)
    }

    @Test func noneFoundIsAnEmptyList() throws {  // APPLE-MUSIC-API 3.1.2
        #expect(try origin.get("/v1/catalog/us/albums?ids=77") == JSON.parse(Array("{\"data\":[]}".utf8)))
    }

    @Test(arguments: [("songs", 300), ("albums", 100), ("artists", 25), ("playlists", 25), ("music-videos", 100)])
    func batchHasAMostPerType(_ type: String, _ most: Int) throws {  // APPLE-MUSIC-API 4.1
        let ids = (0...most).map { String(1000 + $0) }
        #expect(origin.respond("/v1/catalog/us/\(type)?ids=" + ids.dropLast().joined(separator: ",")).status == 200)
        try origin.expectError("/v1/catalog/us/\(type)?ids=" + ids.joined(separator: ","), 400, ["code": "40005"])
    }

    @Test func severalTypesAtOnce() throws {  // APPLE-MUSIC-API 3.1.3
        let album = origin.albumIDs(1)[0]
        let artist = origin.id(.artists, origin.prolific)
        let body = try origin.get("/v1/catalog/us?ids%5Balbums%5D=\(album)&ids[artists]=\(artist)")
        #expect(body["data"]?.ids == [album, artist])
        #expect(body["data"]?[1]?["relationships"]?["albums"] != nil)
    }

    @Test func everyTypeAnswersAlone() throws {
        for type in SimulatedType.allCases where type.rawValue <= SimulatedType.stationGenres.rawValue {
            let number = try #require(
                (0..<500).first { origin.isAvailable(Resource(type, type == .songs ? $0 + 1 : $0)) })
            let id = origin.id(type, type == .songs ? number + 1 : number)
            let body = try origin.get("/v1/catalog/us/\(type.name)/\(id)")
            #expect(body["data"]?[0]?["attributes"]?["name"]?.stringValue?.isEmpty == false, "\(type)")
        }
    }

    @Test func storefrontsDiffer() throws {
        let codes = ["us", "gb", "de", "fr", "jp"]
        let ids = (0..<100).map { origin.id(.albums, $0) }.joined(separator: ",")
        let lists = try codes.map { try origin.get("/v1/catalog/\($0)/albums?ids=\(ids)")["data"]?.ids ?? [] }
        #expect(Set(lists).count == codes.count)
        let artist = origin.id(.artists, origin.prolific)
        let orders = try codes.map { try origin.get("/v1/catalog/\($0)/artists/\(artist)/albums")["data"]?.ids.first }
        #expect(Set(orders).count > 2)
    }

    @Test func defaultRelationships() throws {  // APPLE-MUSIC-API 4.2
        let album = try #require(try origin.get("/v1/catalog/us/albums/\(origin.albumIDs(1)[0])")["data"]?[0])
        #expect(album["relationships"]?.keys == ["artists", "tracks"])
        #expect(album["relationships"]?["artists"]?["data"]?[0]?.keys == ["id", "type", "href"])
        let track = try #require(album["relationships"]?["tracks"]?["data"]?[0])
        #expect(track.keys == ["id", "type", "href", "attributes"])  // full, without relationships: 5.3
        let song = try #require(try origin.get(track["href"]?.stringValue ?? "")["data"]?[0])
        #expect(song["relationships"]?.keys == ["albums", "artists"])
        let playlistNumber = try #require((0..<50).first { origin.isAvailable(Resource(.playlists, $0)) })
        let playlist = try #require(
            try origin.get("/v1/catalog/us/playlists/\(origin.id(.playlists, playlistNumber))")["data"]?[0])
        #expect(playlist["relationships"]?.keys == ["curator", "tracks"])
        #expect(playlist["relationships"]?["tracks"]?["data"]?[0]?["attributes"] != nil)
        let curator = try #require(try origin.get("/v1/catalog/us/curators/\(origin.id(.curators, 3))")["data"]?[0])
        #expect(curator["relationships"]?.keys == ["playlists"])
        #expect((curator["relationships"]?["playlists"]?["data"]?.count ?? 99) <= 10)
        // APPLE-MUSIC-API 5.2.7
        #expect(track["attributes"]?["artwork"]?["url"]?.stringValue?.contains("{w}x{h}") == true)
    }

    @Test func itemsOfListsCarryNoRelationshipsButArtistsDo() throws {  // APPLE-MUSIC-API 5.3.2
        let album = origin.albumIDs(1)[0]
        for song in try #require(try origin.get("/v1/catalog/us/albums/\(album)/tracks")["data"]?.arrayValue) {
            #expect(song["relationships"] == nil)
        }
        let artists = try origin.get("/v1/catalog/us/albums/\(album)/artists")
        #expect(artists["data"]?[0]?["relationships"]?.keys == ["albums"])
        let views = try origin.get("/v1/catalog/us/artists/\(origin.id(.artists, 7))/view/similar-artists")
        #expect(views["data"]?[0]?["relationships"]?.keys == ["albums"])
    }

    @Test func viewsComeOnlyWhenAsked() throws {  // APPLE-MUSIC-API 4.3.5
        let path = "/v1/catalog/us/artists/\(origin.id(.artists, origin.prolific))"
        #expect(try origin.get(path)["data"]?[0]?["views"] == nil)
        let views = try #require(try origin.get(path + "?views=full-albums,top-songs,nonsense")["data"]?[0]?["views"])
        #expect(Set(views.keys) == ["full-albums", "top-songs"])
        #expect(views["full-albums"]?["next"]?.stringValue == path + "/view/full-albums?offset=25")
    }

    @Test func emptyViewIsLegal() throws {  // APPLE-MUSIC-API 5.1.8
        let path = "/v1/catalog/us/albums/\(origin.albumIDs(1)[0])/view/appears-on"
        #expect(try origin.get(path) == JSON.parse(Array("{\"data\":[]}".utf8)))
        #expect(try origin.get(path + "?with=attributes")["attributes"]?["title"]?.stringValue == "Appears On")
    }

    @Test func restrictSwapsToCleanEquivalents() throws {  // APPLE-MUSIC-API 4.3.10
        let explicit = try #require(
            origin.albums(1) { album in
                origin.catalog.cleanEdition(ofAlbum: album).map { origin.isAvailable(Resource(.albums, $0)) } ?? false
            }.first)
        let path = "/v1/catalog/us/albums/\(origin.id(.albums, explicit))"
        #expect(try origin.get(path)["data"]?[0]?["attributes"]?["contentRating"]?.stringValue == "explicit")
        let clean = try origin.get(path + "?restrict=explicit")
        #expect(clean["data"]?.ids == [origin.id(.albums, explicit + 1)])
        #expect(clean.all("contentRating").isEmpty)
    }

    @Test func extendAndFieldsShapeAttributes() throws {  // APPLE-MUSIC-API 4.3.4, 4.3.6
        let path = "/v1/catalog/us/albums/\(origin.albumIDs(1)[0])"
        let extended = try #require(try origin.get(path + "?extend=artistUrl,audioVariants")["data"]?[0])
        #expect(extended["attributes"]?["artistUrl"] != nil)
        #expect(extended["relationships"]?["tracks"]?.all("artistUrl").isEmpty == true)  // unscoped: primary only
        let scoped = try #require(try origin.get(path + "?extend%5Bsongs%5D=artistUrl")["data"]?[0])
        #expect(scoped["attributes"]?["artistUrl"] == nil)
        #expect(scoped["relationships"]?["tracks"]?.all("artistUrl").isEmpty == false)
        let sparse = try #require(try origin.get(path + "?fields=name,trackCount")["data"]?[0])
        #expect(Set(sparse["attributes"]?.keys ?? []) == ["name", "trackCount"])
    }

    @Test func inlineLimits() throws {  // APPLE-MUSIC-API 4.3.8
        let path = "/v1/catalog/us/artists/\(origin.id(.artists, origin.prolific))"
        let albums = try #require(try origin.get(path + "?limit[albums]=3")["data"]?[0]?["relationships"]?["albums"])
        #expect(albums["data"]?.count == 3)
        let scoped = try origin.get(path + "?limit[artists:albums]=4")
        #expect(scoped["data"]?[0]?["relationships"]?["albums"]?["data"]?.count == 4)
    }

    @Test func unknownParametersAndIncludesAreIgnored() throws {  // APPLE-MUSIC-API 4.3.13
        let path = "/v1/catalog/us/albums/\(origin.albumIDs(1)[0])"
        #expect(try origin.get(path + "?include=nonsense&foo=bar&platform=web") == origin.get(path))
    }

    @Test func sameRequestSameValue() throws {
        let varied = SimulatedOrigin { $0.variesMemberOrder = true }
        let path = "/v1/catalog/us/albums/\(origin.albumIDs(1)[0])?include=artists"
        #expect(origin.respond(path).body == origin.respond(path).body)
        let (one, two) = (varied.respond(path).body, varied.respond(path).body)
        #expect(one != two)  // APPLE-MUSIC-API 5.1.2: member order differs from answer to answer
        #expect(try JSON.parse(one)["data"]?[0]?["relationships"]?.keys.sorted() == ["artists", "tracks"])
    }

    @Test func testEndpointAnswers() throws {  // APPLE-MUSIC-API 1.5
        #expect(origin.respond("/v1/test").status == 200)
    }
}
