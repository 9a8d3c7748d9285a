import Testing
import Text

@testable import Simulator

@Suite struct PagingTests {
    let origin = SimulatedOrigin()

    private var artistAlbums: String { "/v1/catalog/us/artists/\(origin.id(.artists, origin.prolific))/albums" }

    @Test func nextDropsLimitAndIncludeAndKeepsLanguage() throws {  // APPLE-MUSIC-API 7.4, 7.7
        let body = try origin.get(artistAlbums + "?limit=10&include=artists&extend=x&l=es-MX")
        #expect(body["next"]?.stringValue == artistAlbums + "?l=es-MX&offset=10")
        #expect(try origin.get(artistAlbums)["next"]?.stringValue == artistAlbums + "?offset=25")
    }

    @Test func sortIsAcceptedAndKept() throws {  // APPLE-MUSIC-API 3.1.20
        let body = try origin.get(artistAlbums + "?sort=-releaseDate&limit=30")
        let years = (body["data"]?.arrayValue ?? []).compactMap {
            ($0["attributes"]?["releaseDate"]?.stringValue?.prefix(4)).map(String.init)
        }
        #expect(years == years.sorted(by: >))
        #expect(body["next"]?.stringValue == artistAlbums + "?offset=30&sort=-releaseDate")
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
        let artist = try #require(try origin.get("/v1/catalog/us/artists/\(origin.id(.artists, 7))")["data"]?[0])
        let albums = try #require(artist["relationships"]?["albums"])
        #expect(albums["data"]?.count == 25)
        let offset = try #require(albums["next"]?.stringValue?.split(separator: "=").last.flatMap { Int($0) })
        #expect(offset > 25)
    }

    @Test func longAlbumsPageThroughTracks() throws {  // APPLE-MUSIC-API 7.15
        let path = "/v1/catalog/us/albums/\(origin.id(.albums, origin.box))"
        let tracks = try #require(try origin.get(path)["data"]?[0]?["relationships"]?["tracks"])
        #expect(tracks["next"]?.stringValue == path + "/tracks?offset=300")
        #expect((tracks["data"]?.count ?? 0) < 300)
        let rest = try origin.get(path + "/tracks?offset=300")
        #expect((rest["data"]?.count ?? 0) > 10)
        #expect(rest["next"] == nil)
    }

    @Test func playlistsShowAHundredTracks() throws {  // APPLE-MUSIC-API 4.2.5
        let number = try #require(
            stride(from: 2, to: 1200, by: 50).first { origin.isAvailable(Resource(.playlists, $0)) })
        let path = "/v1/catalog/us/playlists/\(origin.id(.playlists, number))"
        let tracks = try #require(try origin.get(path)["data"]?[0]?["relationships"]?["tracks"])
        #expect(tracks["next"]?.stringValue == path + "/tracks?offset=100")
        #expect(try origin.get(path + "/tracks?limit=300")["next"] == nil)
    }

    @Test func pastTheEndIs404ForRelationships() throws {  // APPLE-MUSIC-API 7.13
        try origin.expectError(
            artistAlbums + "?offset=5000", 404, ["code": "40403", "detail": "No related resources found for albums"])
    }

    @Test func limitOverTheMostIsRefused() throws {  // APPLE-MUSIC-API 4.1.21
        try origin.expectError(
            artistAlbums + "?limit=101", 400,
            [
                "detail": "Value must be an integer less than or equal to 100, but was: 101",
                "source": ["parameter": "limit"],
            ])
        #expect(try origin.error(artistAlbums + "?limit=x").status == 400)
        #expect(try origin.error(artistAlbums + "?limit=0").status == 400)
        #expect(try origin.error(artistAlbums + "?offset=-1").status == 400)
    }

    @Test func viewsOfVideosHaveFifteen() throws {  // APPLE-MUSIC-API 4.1.18
        let video = try #require((0..<99).first { origin.isAvailable(Resource(.musicVideos, $0)) })
        let path = "/v1/catalog/us/music-videos/\(origin.id(.musicVideos, video))/view/more-in-genre"
        #expect(try origin.get(path)["next"]?.stringValue == path + "?offset=15")
        let label = "/v1/catalog/us/record-labels/\(origin.id(.recordLabels, 3))/view/top-releases"
        #expect(try origin.get(label)["next"]?.stringValue == label + "?offset=10")
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
