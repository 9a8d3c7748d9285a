import Synchronization
import TestSupport
import Testing
import Text

@testable import Simulator

/// The simulated API changes its content, and the shapes of its answers.
@Suite(.timeLimit(.minutes(10))) struct RevisionTests {
    let origin = SimulatedOrigin()

    private func request(_ target: String, method: String = "GET") -> SimulatorRequest {
        SimulatorRequest(
            method: method, target: Array(target.utf8), fields: [SimulatorField("Authorization", "Bearer a.b.c")])
    }

    /// Targets of all kinds.
    private var targets: [String] {
        let playlist = origin.id(.playlists, (0..<64).first { origin.isAvailable(Resource(.playlists, $0)) } ?? 0)
        let albums = origin.albumIDs(30)
        return [
            "/v1/catalog/us/albums?ids=\(albums.joined(separator: ","))", "/v1/catalog/us/albums/\(albums[0])",
            "/v1/catalog/us/albums/\(albums[1])?include=artists", "/v1/catalog/us/playlists/\(playlist)/tracks",
            "/v1/catalog/us/artists/\(origin.id(.artists, origin.prolific))?views=top-songs",
            "/v1/catalog/us/charts?types=albums,songs", "/v1/catalog/us/search?term=moon&types=albums,artists",
        ]
    }

    @Test func thePastCanBeAskedFor() {
        var said: [(Revision, String, [UInt8])] = []
        for _ in 0..<12 {
            for target in targets { said.append((origin.api.revision, target, origin.respond(target).body)) }
            origin.api.revise()
        }
        #expect(origin.api.revision == Revision(catalog: 12))
        for (revision, target, body) in said {
            #expect(origin.api.respond(to: request(target), asOf: revision).body == body, "\(revision) \(target)")
        }
        #expect(Set(said.filter { $0.1.contains("ids=") }.map(\.2)).count == 12, "a revision changed none of 30 albums")
        #expect(Set(said.filter { $0.1.contains("charts") }.map(\.2)).count == 12, "a chart stood still")
    }

    /// How many of `all` differ from one revision to the next.
    private func share<T: Equatable>(of all: [Int], at revision: Int, _ property: (Catalog, Int) -> T) -> Double {
        let (one, next) = (Catalog(origin.catalog, revision: revision), Catalog(origin.catalog, revision: revision + 1))
        return Double(all.count { property(one, $0) != property(next, $0) }) / Double(all.count)
    }

    @Test(arguments: [0, 7, 39, 1000])
    func aRevisionChangesAShareOfEachKind(revision: Int) {
        let us = SimulatedOrigin.us
        let songs = (0..<2000).map { $0 * Catalog.songSpan + 1 }
        let names = share(of: songs, at: revision) { $0.renamings(of: Resource(.songs, $1)) }
        #expect((0.09...0.16).contains(names), "\(names) instead of one in eight")
        let tracks = share(of: Array(0..<1200), at: revision) { $0.tracks(ofPlaylist: $1) }
        #expect((0.15...0.25).contains(tracks), "\(tracks) instead of one in five")
        let albums = share(of: Array(0..<1000), at: revision) { $0.albums(ofArtist: $1, in: us) }
        #expect((0.08...0.22).contains(albums), "\(albums) instead of one in six, those with a single album apart")
        let everyAlbum = Array(0..<origin.catalog.albumCount)
        let away = share(of: everyAlbum, at: revision) { $0.isAvailable(Resource(.albums, $1), in: us) }
        #expect((0.007...0.04).contains(away), "\(away) instead of one in forty")
    }

    @Test func attributesAreTheSameWhereverAnObjectIs() throws {
        for _ in 0..<9 { origin.api.revise() }
        for album in origin.albums(40)
        where Catalog(origin.catalog, revision: 9).isAvailable(Resource(.albums, album), in: SimulatedOrigin.us) {
            let id = origin.id(.albums, album)
            let document = try origin.first("/v1/catalog/us/albums/\(id)?include=artists")
            let track = try #require(document[related: "tracks"]?[0])
            let artist = try #require(document[related: "artists"]?[0])
            let owner = try origin.first("/v1/catalog/us/artists?ids=\(artist["id"]?.stringValue ?? "")")
            #expect(owner["attributes"] == artist["attributes"])
            let song = try origin.first("/v1/catalog/us/songs/\(track["id"]?.stringValue ?? "")?include=albums")
            #expect(song[related: "albums"]?[0]?["attributes"] == document["attributes"])
            #expect(song["attributes"]?["albumName"] == document["attributes"]?["name"])
            #expect(song["attributes"] == track["attributes"])
        }
    }

    @Test func flippingChangesIncludesLinksAndTheOrderOfMembers() throws {
        let song = origin.id(.songs, origin.albums(1)[0] * Catalog.songSpan + 1)
        let include = "/v1/catalog/us/songs?ids=\(song)&include=artists"
        let artist = "/v1/catalog/us/artists/\(origin.id(.artists, origin.prolific))/albums"
        let page = artist + "?l=es-MX&limit=10&include=artists"
        func nested() throws -> Bool { try origin.first(include)[related: "artists"]?[0]?["relationships"] != nil }
        #expect(try nested())
        #expect(try origin.get(page)["next"]?.stringValue == artist + "?l=es-MX&offset=10")
        #expect(origin.respond(page).body == origin.respond(page).body)
        #expect(origin.api.flip() == Revision(catalog: 0, isFlipped: true))
        #expect(try !nested())
        #expect(try origin.get(page)["next"]?.stringValue == artist + "?offset=10&limit=10&l=es-MX")
        // APPLE-MUSIC-API 5.1.2: the order of members and relationships differs, and nothing else.
        for target in [page, include] {
            let (one, other) = (origin.respond(target), origin.respond(target))
            // The tag is that of all bytes of the content, not of the request.
            #expect(one.body != other.body && one.field("ETag") != other.field("ETag"), "\(target)")
            #expect(JSONDifference.first(expected: one.body, found: other.body) == nil, "\(target)")
        }
        #expect(origin.api.flip() == Revision())
        #expect(try nested())
    }

    @Test func flippingBringsNestedAlbumsWhereThereWereNone() throws {
        let origin = SimulatedOrigin { $0.nestsAlbums = false }
        let album = "/v1/catalog/us/albums/\(origin.id(.albums, origin.box))?include=artists"
        func nested() throws -> JSON? { try origin.first(album)[related: "artists"]?[0]?[related: "albums"] }
        #expect(try nested() == nil)
        origin.api.flip()
        #expect(try nested()?.count == 20)
    }

    @Test func askingForThePastHasNoFaultsAndIsNotCounted() {
        let origin = SimulatedOrigin {
            $0.faults = [Fault(.unavailable)]
            $0.latency = .seconds(1)
            $0.reviseEvery = 2
        }
        for _ in 0..<10 {
            let response = origin.api.respond(to: request("/v1/catalog/us/genres"), asOf: Revision(catalog: 3))
            #expect(response.status == 200 && response.delay == .zero)
        }
        #expect(origin.api.revision == Revision())
        #expect(origin.respond("/v1/catalog/us/genres").status == 503)
        let write = request("/v1/me/library", method: "POST")
        #expect(origin.api.respond(to: write, asOf: Revision()).status == 405)
    }

    @Test func changesComeAfterSoManyRequests() {
        let origin = SimulatedOrigin {
            $0.reviseEvery = 3
            $0.flipAfter = 5
        }
        let revisions = (0..<8).map { _ in
            _ = origin.respond("/v1/test")
            return origin.api.revision
        }
        #expect(revisions.map(\.catalog) == [0, 0, 0, 1, 1, 1, 2, 2])
        #expect(revisions.map(\.isFlipped) == [false, false, false, false, false, true, true, true])
    }

    @Test func revisesWhileItServes() {
        let target = "/v1/catalog/us/albums?ids=\(origin.albumIDs(20).joined(separator: ","))"
        let api = origin.api
        let known = Set((0...40).map { api.respond(to: request(target), asOf: Revision(catalog: $0)).body })
        let origin = origin
        let mixed = Atomic<Int>(0)
        concurrently(80) { index in
            if index % 2 == 0 {
                api.revise()
            } else if !known.contains(origin.respond(target).body) {
                mixed.add(1, ordering: .relaxed)
            }
        }
        #expect(mixed.load(ordering: .relaxed) == 0, "an answer was of no revision")
        #expect(api.revision == Revision(catalog: 40))
    }
}
