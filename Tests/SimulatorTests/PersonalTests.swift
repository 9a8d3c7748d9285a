import Testing
import Text

@testable import Simulator

@Suite struct PersonalTests {
    let origin = SimulatedOrigin()
    let anna = "user-anna"

    @Test func storefrontOfTheUser() throws {  // APPLE-MUSIC-API 3.2.1
        let id = try #require(try origin.get("/v1/me/storefront", user: anna)["data"]?.ids.first)
        #expect(Market.home.contains(id))
        let all = try (0..<40).map { try origin.get("/v1/me/storefront", user: "user-\($0)")["data"]?.ids.first }
        #expect(Set(all).count == Market.home.count)
    }

    @Test func libraryListsHaveTotals() throws {  // APPLE-MUSIC-API 5.1.7, 7.3
        for type in ["albums", "artists", "songs", "playlists"] {
            let body = try origin.get("/v1/me/library/\(type)", user: anna)
            #expect((body["meta"]?["total"]?.intValue ?? 0) > 25, "\(type)")
            #expect(body["next"]?.stringValue == "/v1/me/library/\(type)?offset=25")
            #expect(body["data"]?[0]?["type"]?.stringValue == "library-\(type)")
            #expect(body["data"]?[0]?["relationships"] == nil)  // APPLE-MUSIC-API 4.2.8: absent in lists
        }
        #expect(try origin.error("/v1/me/library/songs?limit=101", user: anna).status == 400)  // APPLE-MUSIC-API 4.1.15
    }

    @Test func librariesAreDifferent() throws {
        let one = try origin.get("/v1/me/library/albums", user: anna)["data"]?.ids ?? []
        let two = try origin.get("/v1/me/library/albums", user: "user-ben")["data"]?.ids ?? []
        #expect(Set(one).isDisjoint(with: two))
        #expect(origin.respond("/v1/me/library/albums/\(one[0])", user: "user-ben").status == 404)
    }

    @Test func librarySongsHaveNoISRC() throws {  // APPLE-MUSIC-API 5.2.6
        let song = try #require(try origin.get("/v1/me/library/songs", user: anna)["data"]?[0])
        #expect(song["id"]?.stringValue?.hasPrefix("i.") == true)
        #expect(song["attributes"]?["isrc"] == nil)
        #expect(song["attributes"]?["playParams"]?.keys == ["id", "kind", "isLibrary", "reporting", "catalogId"])
    }

    @Test func singleAlbumCarriesItsTracks() throws {  // APPLE-MUSIC-API 4.2.8
        let id = try #require(try origin.get("/v1/me/library/albums", user: anna)["data"]?.ids.first)
        let album = try #require(try origin.get("/v1/me/library/albums/\(id)", user: anna)["data"]?[0])
        let tracks = try #require(album["relationships"]?["tracks"])
        #expect(tracks["meta"]?["total"]?.intValue == album["attributes"]?["trackCount"]?.intValue)
        #expect(tracks["data"]?[0]?["attributes"] != nil)
        let batch = try origin.get("/v1/me/library/albums?ids=\(id)", user: anna)
        #expect(batch["data"]?[0]?["relationships"] == nil)
    }

    @Test func relationshipsLeadToTheCatalogAndSomeAreLost() throws {  // APPLE-MUSIC-API 6.8
        let user = origin.api.library(of: anna)
        let albums = user.all(.libraryAlbums, origin.catalog)
        let lost = try #require(albums.first { user.related($0, .catalog, origin.catalog).isEmpty })
        let kept = try #require(albums.first { !user.related($0, .catalog, origin.catalog).isEmpty })
        let lostID = user.id(of: lost, origin.catalog)
        try origin.expectError(
            "/v1/me/library/albums/\(lostID)/catalog", user: anna, 404,
            ["detail": "No related resources found for catalog"])
        let included = try origin.get("/v1/me/library/albums?ids=\(lostID)&include=catalog", user: anna)
        #expect(included["data"]?[0]?["relationships"]?["catalog"]?["data"]?.count == 0)
        let keptID = user.id(of: kept, origin.catalog)
        let listed = try origin.get("/v1/me/library/albums?ids=\(keptID)&include=catalog,artists", user: anna)
        #expect(listed["data"]?[0]?["relationships"]?.keys == ["artists", "catalog"])
    }

    @Test func playlistsPageAndMayBeEmpty() throws {  // APPLE-MUSIC-API 7.14, 6.9
        let user = origin.api.library(of: anna)
        let empty = user.id(of: Resource(.libraryPlaylists, user.playlists[0].serial), origin.catalog)
        try origin.expectError("/v1/me/library/playlists/\(empty)/tracks", user: anna, 404, ["code": "40403"])
        let long = user.id(of: Resource(.libraryPlaylists, user.playlists[1].serial), origin.catalog)
        let body = try origin.get("/v1/me/library/playlists/\(long)?include=tracks", user: anna)
        let tracks = try #require(body["data"]?[0]?["relationships"]?["tracks"])
        #expect(tracks["meta"]?["total"]?.intValue == 230)
        #expect(tracks["next"]?.stringValue == "/v1/me/library/playlists/\(long)/tracks?offset=100")
        #expect(tracks["data"]?.ids.contains { $0.hasPrefix("a.") } == true)
    }

    @Test func emptyLibraryIs404() throws {  // APPLE-MUSIC-API 7.14
        #expect(try origin.error("/v1/me/library/songs", user: "user-empty").error["code"]?.stringValue == "40403")
    }

    @Test func searchInTheLibrary() throws {  // APPLE-MUSIC-API 3.2.6, 7.3
        let body = try origin.get("/v1/me/library/search?term=the&types=library-songs,library-albums", user: anna)
        let songs = try #require(body["results"]?["library-songs"])
        #expect(songs["href"]?.stringValue == "/v1/me/library/search?term=the&types=library-songs")
        #expect(songs["next"]?.stringValue == "/v1/me/library/search?offset=5&term=the&types=library-songs")
        #expect(body["meta"]?["results"]?["order"] != nil)
    }

    @Test func recentTracks() throws {  // APPLE-MUSIC-API 3.2.9, 4.1.14, 7.3
        let body = try origin.get("/v1/me/recent/played/tracks?limit=30&types=songs", user: anna)
        #expect(body["next"]?.stringValue == "/v1/me/recent/played/tracks?offset=30&types=songs")
        #expect(body["data"]?[0]?["relationships"] == nil)
        #expect(body["data"]?[0]?["href"]?.stringValue?.hasPrefix("/v1/catalog/") == true)
        let plain = try origin.get("/v1/me/recent/played/tracks", user: anna)
        #expect(plain["next"]?.stringValue == "/v1/me/recent/played/tracks?offset=30")
        try origin.expectError(
            "/v1/me/recent/played/tracks?limit=50", user: anna, 400,
            ["detail": "Value must be an integer less than or equal to 30, but was: 50"])
    }

    @Test func otherLists() throws {  // APPLE-MUSIC-API 3.2
        for path in ["recent/played", "recent/radio-stations", "history/heavy-rotation", "library/recently-added"] {
            let body = try origin.get("/v1/me/\(path)", user: anna)
            #expect(body["next"]?.stringValue == "/v1/me/\(path)?offset=10")
        }
        let root = try origin.get("/v1/me/library/playlist-folders?filter[identity]=playlistsroot", user: anna)
        #expect(root["meta"]?["filters"]?["identity"]?["playlistsroot"]?.ids == ["p.playlistsroot"])
        let children = try origin.get("/v1/me/library/playlist-folders/p.playlistsroot/children", user: anna)
        #expect((children["meta"]?["total"]?.intValue ?? 0) > 10)
    }

    @Test func recommendationsAndTheirContents() throws {  // APPLE-MUSIC-API 3.2.11, 4.1.19
        let body = try origin.get("/v1/me/recommendations", user: anna)
        let first = try #require(body["data"]?[0])
        #expect(first["type"]?.stringValue == "personal-recommendation")
        #expect(first["relationships"]?["contents"]?["data"]?[0]?["attributes"] != nil)
        let id = try #require(first["id"]?.stringValue)
        let contents = try origin.get("/v1/me/recommendations/\(id)/contents", user: anna)
        #expect(contents["next"]?.stringValue == "/v1/me/recommendations/\(id)/contents?offset=10")
        #expect(try origin.get("/v1/me/recommendations?ids=\(id),nothing", user: anna)["data"]?.ids == [id])
    }
}
