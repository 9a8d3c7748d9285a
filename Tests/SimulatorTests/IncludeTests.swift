import Testing
import Text

@testable import Simulator

@Suite struct IncludeTests {
    let origin = SimulatedOrigin()

    /// A song of an artist with very many albums.
    private var song: String { origin.id(.songs, origin.box * Catalog.songSpan + 1 + firstTrack) }

    private var firstTrack: Int {
        (0..<320).first { origin.isAvailable(origin.catalog.song(album: origin.box, track: $0)) } ?? 0
    }

    @Test func includedObjectsGainAttributesAndNothingElse() throws {  // APPLE-MUSIC-API 6.1, 6.3
        let data = try #require(try origin.get("/v1/catalog/us/songs?ids=\(song)&include=albums,genres")["data"]?[0])
        #expect(data["relationships"]?.keys == ["albums", "artists", "genres"])
        let album = try #require(data["relationships"]?["albums"]?["data"]?[0])
        #expect(album.keys == ["id", "type", "href", "attributes"])
        #expect(data["relationships"]?["albums"]?.keys == ["href", "data"])
        #expect(data["relationships"]?["artists"]?["data"]?[0]?.keys == ["id", "type", "href"])
    }

    @Test func includedArtistsCarryAlbumsOnly() throws {  // APPLE-MUSIC-API 6.2
        let data = try #require(try origin.get("/v1/catalog/us/songs?ids=\(song)&include=artists,genres")["data"]?[0])
        let artist = try #require(data["relationships"]?["artists"]?["data"]?[0])
        #expect(artist.keys == ["id", "type", "href", "attributes", "relationships"])
        #expect(artist["relationships"]?.keys == ["albums"])
        let albums = try #require(artist["relationships"]?["albums"])
        #expect(albums["data"]?.count == 25)
        #expect(albums["data"]?[0]?.keys == ["id", "type", "href"])
        let next = try #require(albums["next"]?.stringValue)
        #expect(next.hasPrefix("/v1/catalog/us/artists/\(origin.id(.artists, 7))/albums?offset="))
    }

    @Test func albumsNamedTooUpgradesTheNestedList() throws {  // APPLE-MUSIC-API 6.2
        let data = try #require(try origin.get("/v1/catalog/us/songs?ids=\(song)&include=artists,albums")["data"]?[0])
        let nested = try #require(data["relationships"]?["artists"]?["data"]?[0]?["relationships"])
        #expect(nested.keys == ["albums"])
        for album in nested["albums"]?["data"]?.arrayValue ?? [] {
            #expect(album.keys == ["id", "type", "href", "attributes"])
        }
    }

    @Test func nestedAlbumsFollowTheOption() throws {  // APPLE-MUSIC-API 6.2, 16.4
        let path = "/v1/catalog/us/songs/\(song)?include=artists"
        for nests in [true, false] {
            let origin = SimulatedOrigin { $0.nestsAlbums = nests }
            let one = try origin.get(path)["data"]?[0]?["relationships"]?["artists"]?["data"]?[0]
            #expect((one?["relationships"] != nil) == nests)
            let many = try origin.get("/v1/catalog/us/songs?ids=\(song)&include=artists")
            #expect((many["data"]?[0]?["relationships"]?["artists"]?["data"]?[0]?["relationships"] != nil) == nests)
        }
        let origin = SimulatedOrigin { $0.nestedPageSize = 20 }
        #expect(try origin.get(path).all("albums").compactMap { $0["data"]?.count }.contains(20))
    }

    @Test func tracksStayFullWhateverIncludeSays() throws {  // APPLE-MUSIC-API 6.4
        let path = "/v1/catalog/us/albums/\(origin.albumIDs(1)[0])?include=artists"
        #expect(try origin.get(path)["data"]?[0]?["relationships"]?["tracks"]?["data"]?[0]?["attributes"] != nil)
    }

    @Test func includeEqualsBasePlusResource() throws {  // APPLE-MUSIC-API 6.5
        let id = origin.albumIDs(1)[0]
        var base = try #require(try origin.get("/v1/catalog/us/albums/\(id)")["data"]?[0])
        let artists = base["relationships"]?["artists"]?["data"]?.ids ?? []
        let full = try origin.get("/v1/catalog/us/artists?ids=\(artists.joined(separator: ","))")["data"]
        base["relationships"]?["artists"]?["data"] = full
        #expect(try origin.get("/v1/catalog/us/albums/\(id)?include=artists")["data"]?[0] == base)
    }

    @Test func relateAddsIdentifiersOnly() throws {  // APPLE-MUSIC-API 4.3.3
        let path = "/v1/catalog/us/albums/\(origin.albumIDs(1)[0])?relate=record-labels"
        let labels = try #require(try origin.get(path)["data"]?[0]?["relationships"]?["record-labels"])
        #expect(labels["data"]?[0]?.keys == ["id", "type", "href"])
    }

    @Test func scopedIncludeAppliesAnywhere() throws {  // APPLE-MUSIC-API 4.3.2
        let path = "/v1/catalog/us/albums/\(origin.albumIDs(1)[0])?include%5Bsongs%5D=artists"
        let track = try #require(try origin.get(path)["data"]?[0]?["relationships"]?["tracks"]?["data"]?[0])
        #expect(track["relationships"]?["artists"]?["data"]?[0]?["attributes"] != nil)
    }

    @Test func scopedIncludesThatNameEachOtherEnd() throws {
        let path = "/v1/catalog/us/artists/\(origin.id(.artists, 7))?include[artists]=albums&include[albums]=artists"
        #expect(origin.respond(path).body.count < 4_000_000)
    }

    @Test func includeWorksOnSubPaths() throws {  // APPLE-MUSIC-API 6.6
        let path = "/v1/catalog/us/albums/\(origin.albumIDs(1)[0])/tracks?include=artists"
        #expect(try origin.get(path)["data"]?[0]?["relationships"]?["artists"]?["data"]?[0]?["attributes"] != nil)
    }

    @Test func mixedEndpointsIgnoreUnscopedIncludes() throws {  // APPLE-MUSIC-API 6.7
        let plain = try origin.get("/v1/catalog/us/search?term=silver&types=albums")
        let included = try origin.get("/v1/catalog/us/search?term=silver&types=albums&include=artists")
        #expect(plain == included)
        let scoped = try origin.get("/v1/catalog/us/search?term=silver&types=albums&include[albums]=artists")
        #expect(scoped["results"]?["albums"]?["data"]?[0]?["relationships"]?["artists"] != nil)
    }
}
