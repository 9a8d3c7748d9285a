import TestSupport
import Testing
import Text

@testable import Simulator

@Suite struct CatalogParameterTests {
    let origin = SimulatedOrigin()

    /// The resources that a filter finds, and which of them each of its values has found.
    private func found(
        _ type: String, _ filter: String, _ value: String, user: String? = nil
    ) throws -> (data: JSON?, byValue: JSON?) {
        let body = try origin.get("/v1/catalog/us/\(type)?filter[\(filter)]=\(value)", user: user)
        return (body["data"], body["meta"]?["filters"]?[filter])
    }

    @Test func oneCodeNamesManySongs() throws {  // APPLE-MUSIC-API 12.7, 5.1.5, 4.1.7
        let first = Int(origin.catalog.albumStart[origin.prolific])
        let isrc = origin.catalog.isrc(ofSong: origin.catalog.song(album: first, track: 0).number)
        let body = try origin.get("/v1/catalog/us/songs?filter%5Bisrc%5D=\(isrc)")
        let songs = try #require(body["data"]?.arrayValue)
        #expect(songs.count > 5)
        #expect(songs.allSatisfy { $0["attributes"]?["isrc"] == .string(isrc) && $0["relationships"] != nil })
        let listed = try #require(body["meta"]?["filters"]?["isrc"]?[isrc])
        #expect(listed.ids == body["data"]?.ids && listed[0]?.keys == ["id", "type", "href"])
        let none = try origin.get("/v1/catalog/us/songs?filter[isrc]=QQQAA0000001")
        #expect(none == ["data": [], "meta": ["filters": ["isrc": ["QQQAA0000001": []]]]])
        let codes = (0..<26).map { "QQQAA00000\(10 + $0)" }.joined(separator: ",")
        try origin.expectError("/v1/catalog/us/songs?filter[isrc]=\(codes)", 400, ["code": "40005"])
    }

    @Test func keysAreNormalisedAndEquivalentsFound() throws {  // APPLE-MUSIC-API 5.1.6, 3.1.6
        #expect(Catalog.normalised(upc: "00602445868162") == "0602445868162")
        let album = origin.albums(1)[0]
        let upc = origin.catalog.upc(ofAlbum: album)
        let (data, byValue) = try found("albums", "upc", "\(upc)")
        #expect(data?.ids == [origin.id(.albums, album)] && byValue?.keys == [String(upc.dropFirst())])
        let id = origin.id(.albums, album)
        let equivalents = try found("albums", "equivalents", "\(id),77").byValue
        #expect(equivalents?[id]?.ids == [id] && equivalents?["77"]?.count == 0)
    }

    @Test func chartsAndStationsHaveFilters() throws {  // APPLE-MUSIC-API 3.1.7, 3.1.8, 2.2.2, 3.1.9
        #expect(try found("playlists", "storefront-chart", "us").byValue?["us"] != nil)
        let (radio, byValue) = try found("stations", "featured", "apple-music-live-radio")
        #expect(radio?.count == 3 && byValue?["apple-music-live-radio"]?.count == 3)
        try origin.expectError("/v1/catalog/us/stations?filter[identity]=personal", 403)
        let (anna, own) = try found("stations", "identity", "personal", user: "user-anna")
        #expect(anna?.ids.first?.hasPrefix("ra.u-") == true && own?["personal"]?.ids == anna?.ids)
        #expect(try found("stations", "identity", "personal", user: "user-ben").data?.ids != anna?.ids)
    }

    /// A song of an artist with very many albums.
    private var song: String { origin.id(.songs, origin.box * Catalog.songSpan + 1 + firstTrack) }

    private var firstTrack: Int {
        (0..<320).first { origin.isAvailable(origin.catalog.song(album: origin.box, track: $0)) } ?? 0
    }

    private var album: String { "/v1/catalog/us/albums/\(origin.albumIDs(1)[0])" }

    @Test func includedObjectsGainAttributesAndArtistsTheirAlbums() throws {  // APPLE-MUSIC-API 6.1 to 6.3
        let plain = try origin.first("/v1/catalog/us/songs?ids=\(song)&include=albums,genres")
        #expect(plain["relationships"]?.keys == ["albums", "artists", "genres"])
        #expect(plain[related: "albums"]?[0]?.keys == ["id", "type", "href", "attributes"])
        #expect(plain["relationships"]?["albums"]?.keys == ["href", "data"])
        #expect(plain[related: "artists"]?[0]?.keys == ["id", "type", "href"])
        let data = try origin.first("/v1/catalog/us/songs?ids=\(song)&include=artists,genres")
        let artist = try #require(data[related: "artists"]?[0])
        #expect(artist.keys == ["id", "type", "href", "attributes", "relationships"])
        #expect(artist["relationships"]?.keys == ["albums"])
        #expect(artist[related: "albums"]?.count == 25)
        #expect(artist[related: "albums"]?[0]?.keys == ["id", "type", "href"])
        let next = try #require(artist["relationships"]?["albums"]?["next"]?.stringValue)
        #expect(next.hasPrefix("/v1/catalog/us/artists/\(origin.id(.artists, 7))/albums?offset="))
        // Albums that are named too have their attributes there.
        let both = try origin.first("/v1/catalog/us/songs?ids=\(song)&include=artists,albums")
        let nested = try #require(both[related: "artists"]?[0])
        #expect(nested["relationships"]?.keys == ["albums"])
        for album in nested[related: "albums"]?.arrayValue ?? [] {
            #expect(album.keys == ["id", "type", "href", "attributes"])
        }
    }

    @Test func includeEqualsBasePlusResource() throws {  // APPLE-MUSIC-API 6.5
        var base = try origin.first(album)
        let artists = base[related: "artists"]?.ids ?? []
        let full = try origin.get("/v1/catalog/us/artists?ids=\(artists.joined(separator: ","))")["data"]
        base[member: "relationships"]?[member: "artists"]?[member: "data"] = full
        #expect(try origin.first(album + "?include=artists") == base)
    }

    @Test func scopesAndRelateAreHeeded() throws {  // APPLE-MUSIC-API 4.3.3, 4.3.2, 6.6, 6.7
        let labels = try origin.first(album + "?relate=record-labels")[related: "record-labels"]
        #expect(labels?[0]?.keys == ["id", "type", "href"])
        let track = try origin.first(album + "?include%5Bsongs%5D=artists")[related: "tracks"]?[0]
        #expect(track?[related: "artists"]?[0]?["attributes"] != nil)
        let song = try origin.first(album + "/tracks?include=artists")
        #expect(song[related: "artists"]?[0]?["attributes"] != nil)
        let path = "/v1/catalog/us/artists/\(origin.id(.artists, 7))?include[artists]=albums&include[albums]=artists"
        #expect(origin.respond(path).body.count < 4_000_000)
        let search = "/v1/catalog/us/search?term=silver&types=albums"
        #expect(try origin.get(search) == origin.get(search + "&include=artists"))
        let scoped = try origin.get(search + "&include[albums]=artists")
        #expect(scoped["results"]?["albums"]?["data"]?[0]?["relationships"]?["artists"] != nil)
    }

    private var artistAlbums: String { "/v1/catalog/us/artists/\(origin.id(.artists, origin.prolific))/albums" }

    private func next(_ target: String) throws -> String? { try origin.get(target)["next"]?.stringValue }

    @Test func nextKeepsLanguageAndSortAlone() throws {  // APPLE-MUSIC-API 7.4, 7.7, 3.1.20
        let page = artistAlbums + "?limit=10&include=artists&extend=x&l=es-MX"
        #expect(try next(page) == artistAlbums + "?l=es-MX&offset=10")
        #expect(try next(artistAlbums) == artistAlbums + "?offset=25")
        let body = try origin.get(artistAlbums + "?sort=-releaseDate&limit=30")
        let years = (body["data"]?.arrayValue ?? []).compactMap {
            ($0["attributes"]?["releaseDate"]?.stringValue?.prefix(4)).map(String.init)
        }
        #expect(years == years.sorted(by: >))
        #expect(body["next"] == .string(artistAlbums + "?offset=30&sort=-releaseDate"))
    }

    @Test func walkingNextFindsEveryAvailableItemOnce() throws {  // APPLE-MUSIC-API 7.11
        var ids: [String] = []
        var target: String? = artistAlbums + "?limit=40"
        var isShort = false
        while let page = target {
            let body = try origin.get(page)
            ids += body["data"]?.ids ?? []
            target = body["next"]?.stringValue
            if target != nil, (body["data"]?.count ?? 0) < 25 { isShort = true }
        }
        let own = origin.catalog.albums(ofArtist: 7, in: SimulatedOrigin.us).filter { origin.isAvailable($0) }
        #expect(ids == own.map { origin.catalog.id(of: $0) })
        #expect(isShort, "no page was short, although unavailable items are dropped after the cut")
    }

    @Test func nestedListsFillThePageAndJump() throws {  // APPLE-MUSIC-API 7.9: 25 items with offset=28
        let artist = try origin.first("/v1/catalog/us/artists/\(origin.id(.artists, 7))")
        #expect(artist[related: "albums"]?.count == 25)
        let next = artist["relationships"]?["albums"]?["next"]?.stringValue
        #expect(try #require(next?.split(separator: "=").last.flatMap { Int($0) }) > 25)
    }

    @Test func longListsPageThroughTracks() throws {  // APPLE-MUSIC-API 7.15, 4.2.5
        let album = "/v1/catalog/us/albums/\(origin.id(.albums, origin.box))"
        let tracks = try #require(try origin.first(album)["relationships"]?["tracks"])
        #expect(tracks["next"] == .string(album + "/tracks?offset=300") && (tracks["data"]?.count ?? 0) < 300)
        let rest = try origin.get(album + "/tracks?offset=300")
        #expect((rest["data"]?.count ?? 0) > 10 && rest["next"] == nil)
        let number = try #require(
            stride(from: 2, to: 1200, by: 50).first { origin.isAvailable(Resource(.playlists, $0)) })
        let playlist = "/v1/catalog/us/playlists/\(origin.id(.playlists, number))"
        let first = try origin.first(playlist)["relationships"]?["tracks"]?["next"]
        #expect(first == .string(playlist + "/tracks?offset=100"))
        #expect(try next(playlist + "/tracks?limit=300") == nil)
    }

    @Test func pagesBeyondTheBoundsAreRefused() throws {  // APPLE-MUSIC-API 7.13, 4.1.21
        try origin.expectError(
            artistAlbums + "?offset=5000", 404, ["code": "40403", "detail": "No related resources found for albums"])
        let detail: JSON = "Value must be an integer less than or equal to 100, but was: 101"
        try origin.expectError(artistAlbums + "?limit=101", 400, ["detail": detail, "source": ["parameter": "limit"]])
        for query in ["?limit=x", "?limit=0", "?offset=-1"] { try origin.expectError(artistAlbums + query, 400) }
    }

    @Test func viewsOfVideosHaveFifteen() throws {  // APPLE-MUSIC-API 4.1.18
        let video = try #require((0..<99).first { origin.isAvailable(Resource(.musicVideos, $0)) })
        let path = "/v1/catalog/us/music-videos/\(origin.id(.musicVideos, video))/view/more-in-genre"
        #expect(try next(path) == path + "?offset=15")
        let label = "/v1/catalog/us/record-labels/\(origin.id(.recordLabels, 3))/view/top-releases"
        #expect(try next(label) == label + "?offset=10")
    }

    /// The switches for lists: how pages are cut, and which storefronts have gaps.
    @Test(arguments: SimulatorConfiguration.ListCut.allCases)
    func listsHaveGapsWhereTheyAreToldTo(_ cut: SimulatorConfiguration.ListCut) throws {
        let origin = SimulatedOrigin {
            $0.listCut = cut
            $0.storefrontsWithGaps = ["jp"]
            $0.traits.unavailablePercent = 10
        }
        for (storefront, hasGaps) in [("us", false), ("jp", true)] {
            let artist = "/v1/catalog/\(storefront)/artists/\(origin.id(.artists, origin.prolific))/albums"
            let body = try origin.get(artist + "?limit=50")
            let (count, next) = (body["data"]?.count ?? 0, body["next"]?.stringValue)
            if cut == .filling { #expect(count == 50) }
            #expect((next == artist + "?offset=\(count)") == !hasGaps, "\(storefront): \(count), \(next ?? "none")")
        }
    }
}
