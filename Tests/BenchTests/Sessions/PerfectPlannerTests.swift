import Simulator
import Testing

@testable import Bench

@Suite struct PerfectPlannerTests {
    private let api = ObservedAPI.small()

    /// Which of the requests a planner sends that sees them one after the other.
    private func sent(_ targets: [String], _ pages: PerfectPlanner.Pages = .generous) -> [String] {
        var planner = PerfectPlanner(pages)
        return targets.filter { planner.sends(api["/v1/catalog/us/" + $0].facts, at: 0) }
    }

    /// An album that is in the storefront.
    private var album: ObservedAnswer.Item { api["/v1/catalog/us/charts?types=albums&limit=1"].items[0] }

    private func tracks(of album: ObservedAnswer.Item) -> [String] {
        api["/v1/catalog/us/albums/\(album.id)"].related["tracks"]?.items.map(\.id) ?? []
    }

    @Test func aBatchTeachesEachOfItsResourcesAndWhichIDsAreMissing() {
        let songs = tracks(of: album)
        let batch = "songs?ids=\(songs.joined(separator: ",")),1"
        let parts = songs.map { "songs/\($0)" } + ["songs/1", "songs?ids=1,\(songs[0])"]
        #expect(api["/v1/catalog/us/songs/1"].status == 404)
        #expect(sent([batch] + parts) == [batch])
        #expect(sent([parts[0], batch]) == [parts[0], batch])
    }

    @Test func tracksOfAnAlbumDoNotTeachWhatSongsCarryThemselves() {
        let single = "songs/\(tracks(of: album)[0])"
        #expect(sent(["albums/\(album.id)", single]) == ["albums/\(album.id)", single])
    }

    @Test func includesTeachLessDecoratedAnswersAndNotTheReverse() {
        let (plain, including) = ("albums/\(album.id)", "albums/\(album.id)?include=artists")
        #expect(sent([including, plain]) == [including])
        #expect(sent([plain, including]) == [plain, including])
    }

    @Test func anAlbumAndItsArtistsAreTheAlbumWithArtists() {
        let artists = api["/v1/catalog/us/albums/\(album.id)"].related["artists"]?.items.map(\.id) ?? []
        let parts = ["albums/\(album.id)", "artists?ids=\(artists.joined(separator: ","))"]
        #expect(sent(parts + ["albums/\(album.id)?include=artists"]) == parts)
    }

    @Test func extendedAttributesTeachThePlainOnesAndNotTheReverse() {
        let (plain, extended) = ("albums/\(album.id)", "albums/\(album.id)?extend=editorialVideo")
        #expect(sent([extended, plain]) == [extended])
        #expect(sent([plain, extended]) == [plain, extended])
    }

    @Test func nothingIsKnownInAnotherStorefrontOrLanguage() {
        var planner = PerfectPlanner()
        for target in ["us/albums/\(album.id)", "gb/albums/\(album.id)", "us/albums/\(album.id)?l=es-MX"] {
            let facts = api["/v1/catalog/" + target].facts
            let isSent = [planner.sends(facts, at: 0), planner.sends(facts, at: 0)]
            #expect(isSent == [true, false])
        }
    }

    @Test func windowsAreMadeOfWindows() {
        let base = "playlists/\(longPlaylist)/tracks"
        let (first, second) = ("\(base)?limit=50", "\(base)?limit=50&offset=50")
        let made = ["\(base)?limit=10", "\(base)?limit=100", "\(base)?limit=30&offset=35"]
        #expect(sent([first, second] + made) == [first, second])
        #expect(sent([first, "\(base)?limit=51"]) == [first, "\(base)?limit=51"])
    }

    /// A page that lacks an item does not say at which offset, so strictly it can only be used
    /// whole.
    @Test func strictlyOnlyFullPagesAreCut() throws {
        let base = "playlists/\(longPlaylist)/tracks"
        let offsets = Array(stride(from: 0, to: 200, by: 10))
        func page(_ offset: Int, _ limit: Int = 10) -> String { "\(base)?limit=\(limit)&offset=\(offset)" }
        let short = try #require(offsets.first { api["/v1/catalog/us/" + page($0)].items.count == 9 })
        let full = try #require(offsets.first { api["/v1/catalog/us/" + page($0)].items.count == 10 })
        for pages in [PerfectPlanner.Pages.generous, .strict] {
            #expect(sent([page(full), page(full, 5)], pages) == [page(full)])
            #expect(sent([page(short), page(short)], pages) == [page(short)])
        }
        #expect(sent([page(short), page(short, 5)], .generous) == [page(short)])
        #expect(sent([page(short), page(short, 5)], .strict) == [page(short), page(short, 5)])
    }

    @Test func anOffsetPastAKnownEndIsKnownToBeNotFound() {
        let (whole, past) = ("albums/\(album.id)/tracks", "albums/\(album.id)/tracks?offset=290")
        #expect(api["/v1/catalog/us/" + past].status == 404)
        #expect(sent([whole, past]) == [whole])
    }

    @Test func searchesAndChartsTeachFewerTypesAndSmallerLimits() {
        let wide = "search?term=a&types=albums,artists,songs&limit=10"
        #expect(sent([wide, "search?term=a&types=songs", "search?limit=3&types=artists,albums&term=a"]) == [wide])
        let charts = "charts?types=albums,songs&limit=50"
        #expect(sent([charts, "charts?types=songs", "charts?types=songs&offset=20&limit=30"]) == [charts])
    }

    @Test func whatHasExpiredIsSentAgain() {
        var planner = PerfectPlanner(lifetime: 1000)
        let facts = api["/v1/catalog/us/albums/\(album.id)"].facts
        let isSent = [0, 999, 1000, 1999, 2000].map { planner.sends(facts, at: $0) }
        #expect(isSent == [true, false, true, false, true])
    }

    private var longPlaylist: String {
        let playlists = api["/v1/catalog/us/charts?types=playlists&limit=200"].items
        return playlists.first { (api["/v1/catalog/us/playlists/\($0.id)/tracks?offset=200"].status) == 200 }?.id ?? ""
    }
}
