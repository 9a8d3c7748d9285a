import Testing
import Text

@testable import Simulator

@Suite struct CatalogEndpointTests {
    let origin = SimulatedOrigin()

    private var album: String { "/v1/catalog/us/albums/\(origin.albumIDs(1)[0])" }
    private var artist: String { "/v1/catalog/us/artists/\(origin.id(.artists, origin.prolific))" }

    @Test func resourcesAreAnArray() throws {  // APPLE-MUSIC-API 3.1.1, 5.1.1, 3.1.3
        let body = try origin.get(album)
        #expect(body["data"]?.ids == origin.albumIDs(1) && body.keys == ["data"])
        // APPLE-MUSIC-API 5.2.1
        #expect(body["data"]?[0]?.keys == ["id", "type", "href", "attributes", "relationships"])
        #expect(body["data"]?[0]?["href"] == .string(album))
        let ids = [origin.albumIDs(1)[0], origin.id(.artists, origin.prolific)]
        let both = try origin.get("/v1/catalog/us?ids%5Balbums%5D=\(ids[0])&ids[artists]=\(ids[1])")
        #expect(both["data"]?.ids == ids && both["data"]?[1]?[related: "albums"] != nil)
    }

    @Test func batchKeepsOrderDropsDuplicatesAndMissing() throws {  // APPLE-MUSIC-API 8.18, 4.3.16
        let ids = origin.albumIDs(3)
        let deprecated = try #require((0..<origin.catalog.albumCount).first { origin.catalog.isDeprecated(album: $0) })
        let gone = origin.id(.albums, deprecated)
        let asked = [ids[2], ids[0], gone, ids[2], "77", ids[1]].joined(separator: ",")
        #expect(try origin.get("/v1/catalog/us/albums?ids=\(asked)")["data"]?.ids == [ids[2], ids[0], ids[1]])
        let repeated = try origin.get("/v1/catalog/us/albums?ids=\(ids[0])&ids=\(ids[1])")
        #expect(repeated["data"]?.ids == [ids[0], ids[1]])
        #expect(origin.respond("/v1/catalog/us/albums/\(gone)").status == 404)
        #expect(try origin.get("/v1/catalog/us/albums?ids=77") == ["data": []])  // APPLE-MUSIC-API 3.1.2
    }

    @Test(arguments: [("songs", 300), ("albums", 100), ("artists", 25), ("playlists", 25), ("music-videos", 100)])
    func batchHasAMostPerType(_ type: String, _ most: Int) throws {  // APPLE-MUSIC-API 4.1
        let ids = (0...most).map { String(1000 + $0) }
        #expect(origin.respond("/v1/catalog/us/\(type)?ids=" + ids.dropLast().joined(separator: ",")).status == 200)
        try origin.expectError("/v1/catalog/us/\(type)?ids=" + ids.joined(separator: ","), 400, ["code": "40005"])
    }

    @Test func everyTypeAnswersAlone() throws {
        for type in SimulatedType.allCases where type.rawValue <= SimulatedType.stationGenres.rawValue {
            let number = try #require(
                (0..<500).first { origin.isAvailable(Resource(type, type == .songs ? $0 + 1 : $0)) })
            let id = origin.id(type, type == .songs ? number + 1 : number)
            let resource = try origin.first("/v1/catalog/us/\(type.name)/\(id)")
            #expect(resource["attributes"]?["name"]?.stringValue?.isEmpty == false, "\(type)")
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
        let album = try origin.first(album)
        #expect(album["relationships"]?.keys == ["artists", "tracks"])
        #expect(album[related: "artists"]?[0]?.keys == ["id", "type", "href"])
        let track = try #require(album[related: "tracks"]?[0])
        #expect(track.keys == ["id", "type", "href", "attributes"])  // full, without relationships: 5.3
        // APPLE-MUSIC-API 5.2.7
        #expect(track["attributes"]?["artwork"]?["url"]?.stringValue?.contains("{w}x{h}") == true)
        let song = try origin.first(track["href"]?.stringValue ?? "")
        #expect(song["relationships"]?.keys == ["albums", "artists"])
        let number = try #require((0..<50).first { origin.isAvailable(Resource(.playlists, $0)) })
        let playlist = try origin.first("/v1/catalog/us/playlists/\(origin.id(.playlists, number))")
        #expect(playlist["relationships"]?.keys == ["curator", "tracks"])
        #expect(playlist[related: "tracks"]?[0]?["attributes"] != nil)
        let curator = try origin.first("/v1/catalog/us/curators/\(origin.id(.curators, 3))")
        #expect(curator["relationships"]?.keys == ["playlists"])
        #expect((curator[related: "playlists"]?.count ?? 99) <= 10)
    }

    @Test func itemsOfListsCarryNoRelationshipsButArtistsDo() throws {  // APPLE-MUSIC-API 5.3.2
        let tracks = try #require(try origin.get(album + "/tracks")["data"]?.arrayValue)
        #expect(tracks.allSatisfy { $0["relationships"] == nil })
        for path in [album + "/artists", artist + "/view/similar-artists"] {
            #expect(try origin.first(path)["relationships"]?.keys == ["albums"], "\(path)")
        }
    }

    @Test func viewsComeOnlyWhenAsked() throws {  // APPLE-MUSIC-API 4.3.5
        #expect(try origin.first(artist)["views"] == nil)
        let views = try #require(try origin.first(artist + "?views=full-albums,top-songs,nonsense")["views"])
        #expect(Set(views.keys) == ["full-albums", "top-songs"])
        #expect(views["full-albums"]?["next"] == .string(artist + "/view/full-albums?offset=25"))
        // APPLE-MUSIC-API 5.1.8
        #expect(try origin.get(album + "/view/appears-on") == ["data": []])
        let empty = try origin.get(album + "/view/appears-on?with=attributes")
        #expect(empty["attributes"]?["title"] == "Appears On")
    }

    @Test func restrictSwapsToCleanEquivalents() throws {  // APPLE-MUSIC-API 4.3.10
        let explicit = try #require(
            origin.albums(1) { album in
                origin.catalog.cleanEdition(ofAlbum: album).map { origin.isAvailable(Resource(.albums, $0)) } ?? false
            }.first)
        let path = "/v1/catalog/us/albums/\(origin.id(.albums, explicit))"
        #expect(try origin.first(path)["attributes"]?["contentRating"] == "explicit")
        let clean = try origin.get(path + "?restrict=explicit")
        #expect(clean["data"]?.ids == [origin.id(.albums, explicit + 1)])
        #expect(clean.all("contentRating").isEmpty)
    }

    @Test func extendAndFieldsShapeAttributes() throws {  // APPLE-MUSIC-API 4.3.4, 4.3.6
        let extended = try origin.first(album + "?extend=artistUrl,audioVariants")
        #expect(extended["attributes"]?["artistUrl"] != nil)
        #expect(extended[related: "tracks"]?.all("artistUrl").isEmpty == true)  // unscoped: primary only
        let scoped = try origin.first(album + "?extend%5Bsongs%5D=artistUrl")
        #expect(scoped["attributes"]?["artistUrl"] == nil)
        #expect(scoped[related: "tracks"]?.all("artistUrl").isEmpty == false)
        let sparse = try origin.first(album + "?fields=name,trackCount")
        #expect(Set(sparse["attributes"]?.keys ?? []) == ["name", "trackCount"])
    }

    @Test func parametersAreTakenOrIgnored() throws {  // APPLE-MUSIC-API 4.3.8, 4.3.13, 1.5
        #expect(try origin.first(artist + "?limit[albums]=3")[related: "albums"]?.count == 3)
        #expect(try origin.first(artist + "?limit[artists:albums]=4")[related: "albums"]?.count == 4)
        #expect(try origin.get(album + "?include=nonsense&foo=bar&platform=web") == origin.get(album))
        #expect(origin.respond("/v1/test").status == 200)
    }
}
