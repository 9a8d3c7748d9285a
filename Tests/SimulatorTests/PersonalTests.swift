import Testing
import Text

@testable import Simulator

@Suite struct PersonalTests {
    let origin = SimulatedOrigin()
    let anna = "user-anna"

    private func get(_ path: String) throws -> JSON { try origin.get("/v1/me/" + path, user: anna) }

    @Test func usersHaveTheirStorefrontsAndLibraries() throws {  // APPLE-MUSIC-API 3.2.1
        let home = try #require(try get("storefront")["data"]?.ids.first)
        #expect(Market.home.contains(home))
        let all = try (0..<40).map { try origin.get("/v1/me/storefront", user: "user-\($0)")["data"]?.ids.first }
        #expect(Set(all).count == Market.home.count)
        let one = try get("library/albums")["data"]?.ids ?? []
        let two = try origin.get("/v1/me/library/albums", user: "user-ben")["data"]?.ids ?? []
        #expect(Set(one).isDisjoint(with: two))
        #expect(origin.respond("/v1/me/library/albums/\(one[0])", user: "user-ben").status == 404)
    }

    @Test func libraryListsHaveTotals() throws {  // APPLE-MUSIC-API 5.1.7, 7.3
        for type in ["albums", "artists", "songs", "playlists"] {
            let body = try get("library/\(type)")
            #expect((body["meta"]?["total"]?.intValue ?? 0) > 25, "\(type)")
            #expect(body["next"] == .string("/v1/me/library/\(type)?offset=25"))
            #expect(body["data"]?[0]?["type"] == .string("library-\(type)"))
            #expect(body["data"]?[0]?["relationships"] == nil)  // APPLE-MUSIC-API 4.2.8: absent in lists
        }
        try origin.expectError("/v1/me/library/songs?limit=101", user: anna, 400)  // APPLE-MUSIC-API 4.1.15
        // APPLE-MUSIC-API 7.14
        try origin.expectError("/v1/me/library/songs", user: "user-empty", 404, ["code": "40403"])
    }

    @Test func singleResourcesCarryWhatListsDoNot() throws {  // APPLE-MUSIC-API 5.2.6, 4.2.8
        let song = try #require(try get("library/songs")["data"]?[0])
        #expect(song["id"]?.stringValue?.hasPrefix("i.") == true && song["attributes"]?["isrc"] == nil)
        #expect(song["attributes"]?["playParams"]?.keys == ["id", "kind", "isLibrary", "reporting", "catalogId"])
        let id = try #require(try get("library/albums")["data"]?.ids.first)
        let album = try origin.first("/v1/me/library/albums/\(id)", user: anna)
        let tracks = try #require(album["relationships"]?["tracks"])
        #expect(tracks["meta"]?["total"]?.intValue == album["attributes"]?["trackCount"]?.intValue)
        #expect(tracks["data"]?[0]?["attributes"] != nil)
        #expect(try origin.first("/v1/me/library/albums?ids=\(id)", user: anna)["relationships"] == nil)
    }

    @Test func relationshipsLeadToTheCatalogAndSomeAreLost() throws {  // APPLE-MUSIC-API 6.8
        let user = origin.api.world.library(of: anna)
        let albums = user.all(.libraryAlbums, origin.catalog)
        let lost = try #require(albums.first { user.related($0, .catalog, origin.catalog).isEmpty })
        let kept = try #require(albums.first { !user.related($0, .catalog, origin.catalog).isEmpty })
        let (lostID, keptID) = (user.id(of: lost, origin.catalog), user.id(of: kept, origin.catalog))
        try origin.expectError(
            "/v1/me/library/albums/\(lostID)/catalog", user: anna, 404,
            ["detail": "No related resources found for catalog"])
        let included = try origin.first("/v1/me/library/albums?ids=\(lostID)&include=catalog", user: anna)
        #expect(included[related: "catalog"]?.count == 0)
        let listed = try origin.first("/v1/me/library/albums?ids=\(keptID)&include=catalog,artists", user: anna)
        #expect(listed["relationships"]?.keys == ["artists", "catalog"])
    }

    @Test func playlistsPageAndMayBeEmpty() throws {  // APPLE-MUSIC-API 7.14, 6.9
        let user = origin.api.world.library(of: anna)
        let playlists = user.playlists.prefix(2).map { playlist in
            "/v1/me/library/playlists/" + user.id(of: Resource(.libraryPlaylists, playlist.serial), origin.catalog)
        }
        try origin.expectError(playlists[0] + "/tracks", user: anna, 404, ["code": "40403"])
        let long = try origin.first(playlists[1] + "?include=tracks", user: anna)
        let tracks = try #require(long["relationships"]?["tracks"])
        #expect(tracks["meta"]?["total"] == 230)
        #expect(tracks["next"] == .string(playlists[1] + "/tracks?offset=100"))
        #expect(tracks["data"]?.ids.contains { $0.hasPrefix("a.") } == true)
    }

    @Test func searchInTheLibrary() throws {  // APPLE-MUSIC-API 3.2.6, 7.3
        let body = try get("library/search?term=the&types=library-songs,library-albums")
        let songs = try #require(body["results"]?["library-songs"])
        #expect(songs["href"] == "/v1/me/library/search?term=the&types=library-songs")
        #expect(songs["next"] == "/v1/me/library/search?offset=5&term=the&types=library-songs")
        #expect(body["meta"]?["results"]?["order"] != nil)
    }

    @Test func recentTracks() throws {  // APPLE-MUSIC-API 3.2.9, 4.1.14, 7.3
        let body = try get("recent/played/tracks?limit=30&types=songs")
        #expect(body["next"] == "/v1/me/recent/played/tracks?offset=30&types=songs")
        #expect(body["data"]?[0]?["relationships"] == nil)
        #expect(body["data"]?[0]?["href"]?.stringValue?.hasPrefix("/v1/catalog/") == true)
        #expect(try get("recent/played/tracks")["next"] == "/v1/me/recent/played/tracks?offset=30")
        try origin.expectError(
            "/v1/me/recent/played/tracks?limit=50", user: anna, 400,
            ["detail": "Value must be an integer less than or equal to 30, but was: 50"])
    }

    @Test func otherLists() throws {  // APPLE-MUSIC-API 3.2
        for path in ["recent/played", "recent/radio-stations", "history/heavy-rotation", "library/recently-added"] {
            #expect(try get(path)["next"] == .string("/v1/me/\(path)?offset=10"))
        }
        let root = try get("library/playlist-folders?filter[identity]=playlistsroot")
        #expect(root["meta"]?["filters"]?["identity"]?["playlistsroot"]?.ids == ["p.playlistsroot"])
        let children = try get("library/playlist-folders/p.playlistsroot/children")
        #expect((children["meta"]?["total"]?.intValue ?? 0) > 10)
    }

    @Test func recommendationsAndTheirContents() throws {  // APPLE-MUSIC-API 3.2.11, 4.1.19
        let first = try #require(try get("recommendations")["data"]?[0])
        #expect(first["type"] == "personal-recommendation")
        #expect(first[related: "contents"]?[0]?["attributes"] != nil)
        let id = try #require(first["id"]?.stringValue)
        let contents = "recommendations/\(id)/contents"
        #expect(try get(contents)["next"] == .string("/v1/me/\(contents)?offset=10"))
        #expect(try get("recommendations?ids=\(id),nothing")["data"]?.ids == [id])
    }

    let user = "user-writer"

    private func send(_ method: String, _ target: String, _ body: String = "") -> SimulatorResponse {
        origin.respond(target, method: method, user: user, body: body)
    }

    private func total(_ target: String) throws -> Int? {
        try origin.get(target, user: user)["meta"]?["total"]?.intValue
    }

    @Test func ratingsAreSetReadAndRemoved() throws {  // APPLE-MUSIC-API 3.2.12, 3.2.13, 3.2.14
        let path = "/v1/me/ratings/albums/\(origin.id(.albums, origin.catalog.albumCount - 1))"
        #expect(send("GET", path).status == 404)
        let set = send("PUT", path, #"{"type":"rating","attributes":{"value":-1}}"#)
        let rating = try #require(try JSON.parse(set.body)["data"]?[0])
        #expect(set.status == 200 && rating["type"] == "ratings" && rating["href"] == .string(path))
        #expect(rating["attributes"]?["value"]?.intValue == -1)
        #expect(try origin.first(path, user: user) == rating)
        #expect(origin.respond(path, user: "user-other").status == 404)
        let removed = send("DELETE", path)
        #expect(removed.status == 204 && removed.body.isEmpty && send("GET", path).status == 404)
        for wrong in ["{", #"{"attributes":{"value":3}}"#] { #expect(send("PUT", path, wrong).status == 400) }
    }

    @Test func addingAnAlbumShowsInTheLibrary() throws {  // APPLE-MUSIC-API 3.2.15
        let library = origin.api.world.library(of: user)
        let album = origin.albums(1) { album in
            library.entry(ofAlbum: album) == nil && origin.isAvailable(Resource(.albums, album), library.market)
                && origin.catalog.isAvailable(origin.catalog.song(album: album, track: 0), in: library.market)
        }[0]
        let before = try total("/v1/me/library/albums") ?? 0
        let response = send("POST", "/v1/me/library?ids%5Balbums%5D=\(origin.id(.albums, album)),77")
        #expect(response.status == 202 && response.body.isEmpty)
        let after = try origin.get("/v1/me/library/albums", user: user)
        #expect(after["meta"]?["total"]?.intValue == before + 1)
        let path = "/v1/catalog/\(library.market.code)/albums/\(origin.id(.albums, album))"
        let related = try origin.first(path + "?include=library", user: user)[related: "library"]
        #expect(related?.ids == after["data"].map { [$0.ids[0]] })
        try origin.expectError(path + "/library", user: "user-empty", 404)
    }

    @Test func playlistsAreCreatedAndGrow() throws {  // APPLE-MUSIC-API 3.2.16, 3.2.20
        let song = origin.id(.songs, origin.catalog.song(album: 0, track: 0).number)
        let body = """
            {"attributes":{"name":"Für \\"Elise\\"","description":"d"},
             "relationships":{"tracks":{"data":[{"id":"\(song)","type":"songs"}]}}}
            """
        let created = send("POST", "/v1/me/library/playlists", body)
        let playlist = try #require(try JSON.parse(created.body)["data"]?[0])
        #expect(created.status == 201 && playlist["attributes"]?["name"] == "Für \"Elise\"")
        let href = try #require(playlist["href"]?.stringValue)
        #expect(try total(href + "/tracks") == 1)
        let added = send("POST", href + "/tracks", #"{"data":[{"id":"\#(song)","type":"songs"}]}"#)
        #expect(added.status == 201 && added.body.isEmpty)
        #expect(try total(href + "/tracks") == 2)
        #expect(origin.respond(href, user: "user-other").status == 404)
    }

    @Test func foldersAreCreatedAndNothingIsDeleted() throws {  // APPLE-MUSIC-API 3.2.16, 3.2.22
        let created = send("POST", "/v1/me/library/playlist-folders", #"{"attributes":{"name":"Chill"}}"#)
        let document = try JSON.parse(created.body)
        #expect(created.status == 201 && document["meta"]?["total"] == 1)
        let href = try #require(document["data"]?[0]?["href"]?.stringValue)
        #expect(try origin.first(href, user: user)["attributes"]?["name"] == "Chill")
        #expect(try origin.get(href + "/parent", user: user)["data"]?.ids == ["p.playlistsroot"])
        let response = send("DELETE", "/v1/me/library/playlists/p.x")
        #expect(response.status == 401 && response.body.isEmpty)
    }
}
