import Testing
import Text

@testable import Simulator

@Suite struct LibraryWriteTests {
    let origin = SimulatedOrigin()
    let user = "user-writer"

    private func album(notIn library: UserLibrary) -> Int {
        origin.albums(1) { album in
            library.entry(ofAlbum: album) == nil && origin.isAvailable(Resource(.albums, album), library.market)
                && origin.catalog.isAvailable(origin.catalog.song(album: album, track: 0), in: library.market)
        }[0]
    }

    @Test func ratingsAreSetReadAndRemoved() throws {  // APPLE-MUSIC-API 3.2.12, 3.2.13, 3.2.14
        let path = "/v1/me/ratings/albums/\(origin.id(.albums, origin.catalog.albumCount - 1))"
        #expect(origin.respond(path, user: user).status == 404)
        let body = #"{"type":"rating","attributes":{"value":-1}}"#
        let set = origin.respond(path, method: "PUT", user: user, body: body)
        #expect(set.status == 200)
        let rating = try #require(try JSON.parse(set.body)["data"]?[0])
        #expect(rating["type"]?.stringValue == "ratings")
        #expect(rating["href"]?.stringValue == path)
        #expect(rating["attributes"]?["value"]?.intValue == -1)
        #expect(try origin.get(path, user: user)["data"]?[0] == rating)
        #expect(origin.respond(path, user: "user-other").status == 404)
        let removed = origin.respond(path, method: "DELETE", user: user)
        #expect(removed.status == 204 && removed.body.isEmpty)
        #expect(origin.respond(path, user: user).status == 404)
        #expect(origin.respond(path, method: "PUT", user: user, body: "{").status == 400)
        #expect(origin.respond(path, method: "PUT", user: user, body: #"{"attributes":{"value":3}}"#).status == 400)
    }

    @Test func addingAnAlbumShowsInTheLibrary() throws {  // APPLE-MUSIC-API 3.2.15
        let library = origin.api.library(of: user)
        let album = album(notIn: library)
        let before = try origin.get("/v1/me/library/albums", user: user)["meta"]?["total"]?.intValue ?? 0
        let target = "/v1/me/library?ids%5Balbums%5D=\(origin.id(.albums, album)),77"
        let response = origin.respond(target, method: "POST", user: user)
        #expect(response.status == 202 && response.body.isEmpty)
        let after = try origin.get("/v1/me/library/albums", user: user)
        #expect(after["meta"]?["total"]?.intValue == before + 1)
        let path = "/v1/catalog/\(library.market.code)/albums/\(origin.id(.albums, album))"
        let related = try origin.get(path + "?include=library", user: user)["data"]?[0]?["relationships"]?["library"]
        #expect(related?["data"]?.ids == after["data"].map { [$0.ids[0]] })
        #expect(try origin.error(path + "/library", user: "user-empty").status == 404)
    }

    @Test func playlistsAreCreatedAndGrow() throws {  // APPLE-MUSIC-API 3.2.16, 3.2.20
        let song = origin.id(.songs, origin.catalog.song(album: 0, track: 0).number)
        let body = """
            {"attributes":{"name":"Für \\"Elise\\"","description":"d"},
             "relationships":{"tracks":{"data":[{"id":"\(song)","type":"songs"}]}}}
            """
        let created = origin.respond("/v1/me/library/playlists", method: "POST", user: user, body: body)
        #expect(created.status == 201)
        let playlist = try #require(try JSON.parse(created.body)["data"]?[0])
        #expect(playlist["attributes"]?["name"]?.stringValue == "Für \"Elise\"")
        let href = try #require(playlist["href"]?.stringValue)
        #expect(try origin.get(href + "/tracks", user: user)["meta"]?["total"]?.intValue == 1)
        let more = #"{"data":[{"id":"\#(song)","type":"songs"}]}"#
        let added = origin.respond(href + "/tracks", method: "POST", user: user, body: more)
        #expect(added.status == 201 && added.body.isEmpty)
        #expect(try origin.get(href + "/tracks", user: user)["meta"]?["total"]?.intValue == 2)
        #expect(origin.respond(href, user: "user-other").status == 404)
    }

    @Test func foldersAreCreated() throws {  // APPLE-MUSIC-API 3.2.16
        let body = #"{"attributes":{"name":"Chill"}}"#
        let created = origin.respond("/v1/me/library/playlist-folders", method: "POST", user: user, body: body)
        #expect(created.status == 201)
        let document = try JSON.parse(created.body)
        #expect(document["meta"]?["total"]?.intValue == 1)
        let href = try #require(document["data"]?[0]?["href"]?.stringValue)
        #expect(try origin.get(href, user: user)["data"]?[0]?["attributes"]?["name"]?.stringValue == "Chill")
        let parent = try origin.get(href + "/parent", user: user)
        #expect(parent["data"]?.ids == ["p.playlistsroot"])
    }

    @Test func deletingFromTheLibraryIs401() {  // APPLE-MUSIC-API 3.2.22
        let response = origin.respond("/v1/me/library/playlists/p.x", method: "DELETE", user: user)
        #expect(response.status == 401 && response.body.isEmpty)
    }
}
