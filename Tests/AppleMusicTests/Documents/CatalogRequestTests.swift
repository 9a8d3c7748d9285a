import TestSupport
import Testing

@testable import AppleMusic

private func parsed(_ target: String) -> CatalogRequest? {
    (try? CanonicalTarget(target)).flatMap(CatalogRequest.init)
}

private func texts(_ values: [[UInt8]]?) -> [String]? { values?.map { String(decoding: $0, as: UTF8.self) } }

private func list(_ name: String, isView: Bool = false) -> CatalogRequest.Subject {
    .list(name: Array(name.utf8), isView: isView)
}

@Suite struct CatalogRequestTests {
    /// Each of thousands of ids was looked up, though the origin takes no more than 300.
    @Test func listsThatNoOriginTakesAreNotTakenApart() throws {
        for (count, isTaken) in [(300, true), (301, false)] {
            let list = (1...count).map { "\($0)" }.joined(separator: ",")
            for text in ["songs?ids=\(list)", "songs/1?include=\(list)"] {
                let request = CatalogRequest(try CanonicalTarget("/v1/catalog/us/\(text)"))
                #expect((request != nil) == isTaken, "\(count)")
            }
        }
    }

    @Test func batchesNameEachResourceWithItsTypeInOrder() throws {
        let target = try CanonicalTarget(
            "/v1/catalog/us?ids%5Bsongs%5D=3,1&include=artists&ids[albums]=2&l=de-DE&extend=artistUrl")
        let batch = try #require(CatalogRequest(target))
        #expect(batch.shape.subject == .batch && batch.shape.type == .catalog && batch.language == Array("de-DE".utf8))
        let names = [(ResourceClass.songs, "3"), (.songs, "1"), (.albums, "2")].map {
            ResourceName(type: $0.0, id: Array($0.1.utf8))
        }
        #expect(batch.resources == names && batch.target(resources: names) == target.bytes)
        let rest = String(decoding: batch.target(resources: [names[2]]), as: UTF8.self)
        #expect(rest == "/v1/catalog/us?extend=artistUrl&ids[albums]=2&include=artists&l=de-DE")
        let playlists = try #require(parsed("/v1/catalog/us/playlists?ids=pl.u-2,,1,pl.u-2,"))
        #expect(playlists.shape.subject == .batch && playlists.shape.type == .playlists)
        #expect(texts(playlists.resources.map(\.id)) == ["pl.u-2", "1", "pl.u-2"])
    }

    @Test func anItemIsTakenApart() throws {
        let item = try #require(
            parsed("/v1/catalog/gb/albums/1616728060?extend=artistUrl&include=genres,artists&l=en-GB"))
        #expect(item.shape.subject == .item && item.shape.type == .albums)
        #expect(texts(item.shape.include) == ["artists", "genres"])
        #expect(item.shape.decoration == Array("extend=artistUrl".utf8))
        #expect(item.language == Array("en-GB".utf8) && item.storefront == Storefront("gb"))
        #expect(texts(item.resources.map(\.id)) == ["1616728060"])
        #expect(item.limit == nil && item.offset == nil)
        let odd = try #require(parsed("/v1/catalog/us/songs/1?offset=x&limit=0&limit="))
        #expect(odd.shape.decoration == Array("limit=0&limit=&offset=x".utf8) && odd.limit == nil)
        let batch = try #require(parsed("/v1/catalog/us/songs?ids=1&limit=5"))
        #expect(batch.shape.decoration == Array("limit=5".utf8) && batch.limit == nil)
    }

    @Test func relationshipsAndViewsAreListsWithAWindow() throws {
        let tracks = try #require(parsed("/v1/catalog/us/albums/1/tracks?limit=20&offset=0&include=artists"))
        #expect(
            tracks.shape.subject == list("tracks") && tracks.shape.type == .albums
                && texts(tracks.resources.map(\.id)) == ["1"])
        #expect(tracks.limit == 20 && tracks.offset == 0 && texts(tracks.shape.include) == ["artists"])
        let view = try #require(parsed("/v1/catalog/us/artists/1/view/top-songs?with=attributes"))
        #expect(view.shape.subject == list("top-songs", isView: true) && view.limit == nil && view.offset == nil)
        #expect(view.shape.decoration == Array("with=attributes".utf8))
        let request = parsed("/v1/catalog/us/songs/1/albums?limit=999999999&offset=999999999")
        #expect(request?.limit == 999_999_999 && request?.offset == 999_999_999)
    }

    @Test func chartsAndSearchKeepEverythingButLanguageAndWindowInTheDecoration() throws {
        let charts = try #require(parsed("/v1/catalog/us/charts?types=songs&ids=1&include=x&limit=2&offset=4&l=fr"))
        #expect(charts.shape.subject == .results && charts.shape.type == .charts)
        #expect(charts.shape.include.isEmpty && charts.resources.isEmpty)
        #expect(charts.shape.decoration == Array("ids=1&include=x&types=songs".utf8))
        #expect(charts.limit == 2 && charts.offset == 4 && charts.language == Array("fr".utf8))
        let search = try #require(parsed("/v1/catalog/us/search?term=a+b&filter[x]=y&types=songs"))
        #expect(search.shape.type == .search)
        #expect(search.shape.decoration == Array("filter[x]=y&term=a+b&types=songs".utf8))
    }

    @Test(arguments: [
        "/v1/catalog/us?ids=1", "/v1/catalog/us?ids[nonsense]=1", "/v1/catalog/us?ids[albums]=",
        "/v1/catalog/us?ids[]=1", "/v1/catalog/us?ids[albums]=1&ids[albums]=2", "/v1/catalog/us?ids[ratings]=1",
        "/v1/catalog/us", "/v1/catalog/us?ids[songs]=1&ids=2", "/v1/catalog/us/unknowns/1", "/v1/catalog/USA/songs/1",
        "/v1/catalog/us/genres", "/v1/catalog/us/station-genres?limit=5", "/v1/catalog/us/songs?include=albums",
        "/v1/catalog/us/songs/1/albums/2", "/v1/catalog/us/songs/1/view", "/v1/catalog/us/songs/1/view/a/b",
        "/v1/catalog/us/search/hints?term=a", "/v1/catalog/us/search/suggestions", "/v1/catalog/us/charts/x",
        "/v1/storefronts/us", "/v1/language/us/tag", "/v1/me/library/songs/1", "/v1/catalog/us/songs/1;a=b",
        "/v1/catalog/us/songs/1%3Ba", "/v1/catalog/us/songs/1/library", "/v1/catalog/us/songs/1?include=library",
        "/v1/catalog/us/songs/1?relate[songs]=library", "/v1/catalog/us/songs/a~b", "/v1/catalog/us/songs/%C3%A9",
        "/v1/catalog/us/songs/a,b", "/v1/catalog/us/songs/1/a%20b", "/v1/catalog/us/songs/1/view/a,b", "/",
    ])
    func otherPathsOddBatchesAndPersonalRequestsAreNone(target: String) throws {
        #expect(CatalogRequest(try CanonicalTarget(target)) == nil)
    }

    @Test(arguments: [
        "songs?ids=", "songs?ids", "songs?ids=,,", "songs?ids=1&ids=2", "songs?ids=1,a+b", "songs?ids=%201",
        "songs?ids=1%2F2", "songs?ids=1~", "songs?ids=1;2", "songs?ids=1=2", "songs?ids=1&filter[isrc]=A",
        "songs?ids=1&filter=x", "songs?ids=1&filters=x", "songs?filter[isrc]=A", "songs?ids=1&include=",
        "songs?ids=1&include=a&include=b", "songs?ids=1&l=", "songs?ids=1&l", "songs?ids=1&l=en&l=fr",
        "songs?ids=1&l=e+n", "songs?ids=1&include=a+b", "songs?ids=1&include=a:b", "songs?ids=1&extend=a;limit=1",
        "songs/1?include=+artists", "songs/1?ids=2", "songs/1?filter[x]=y", "songs/1?x=1;ids=2",
        "songs/1/albums?ids=2", "songs/1/albums?filter[x]=y", "songs/1/albums?limit=0", "songs/1/albums?limit=01",
        "songs/1/albums?limit=+1", "songs/1/albums?limit=-1", "songs/1/albums?limit=1.0", "songs/1/albums?limit=",
        "songs/1/albums?limit", "songs/1/albums?limit=1234567890", "songs/1/albums?limit=1&limit=1",
        "songs/1/albums?offset=00", "songs/1/albums?offset=x", "songs/1/albums?offset=", "songs/1/albums?offset=0,0",
        "songs/1/albums?offset=1&offset=2", "charts?limit=0", "search?term=a&offset=01", "search?term=a&l=",
    ])
    func targetsThatCouldBeReadInTwoWaysAreNone(rest: String) {
        #expect(parsed("/v1/catalog/us/" + rest) == nil)
    }

    @Test func anIdHasTheNumberThatItsMentionInADocumentHas() throws {
        for type in ResourceClass.allCases where type.isResourceType {
            let request = try #require(parsed("/v1/catalog/us/\(type.name)/pl.u-1_A"))
            let number = ResourceMention.number(type: type.name, id: "pl.u-1_A")
            #expect(request.resources[0].number == number)
        }
        // The expected numbers are those of another implementation of SHA-256.
        let french = try #require(parsed("/v1/catalog/us/albums/1/tracks?l=fr&include=artists"))
        #expect(french.resourceContext == 0x8C58_5438_FF62_A7F2)
    }

    @Test func resourcesHaveEqualNumbersExactlyWhereTheirContextsAreEqual() throws {
        let same = [
            "albums/1", "albums/2?include=artists", "albums?ids=3,4", "albums/1/tracks?limit=5&offset=5",
            "songs?ids=1&include=albums", "albums/1?relate[songs]=albums,artists", "albums?ids=1&relate[songs]=albums",
        ]
        let others = [
            "albums/1?l=fr", "albums/1?l=en", "albums/1?extend=fr", "albums/1?extend=a", "albums/1?extend=a&l=fr",
            "albums/1?x", "albums/1?x=", "albums/1?limit=5", "albums/1?include[songs]=albums",
            "albums/1?relate=genres", "albums/1?relate[songs",
        ]
        let contexts = try same.map { try #require(parsed("/v1/catalog/us/" + $0)).resourceContext }
        #expect(Set(contexts).count == 1)
        let different =
            try others.map { try #require(parsed("/v1/catalog/us/" + $0)).resourceContext }
            + [try #require(parsed("/v1/catalog/gb/albums/1")).resourceContext]
        #expect(Set(different + contexts).count == different.count + 1)

        let us = try #require(parsed("/v1/catalog/us/songs/1"))
        let gb = try #require(parsed("/v1/catalog/gb/songs/1"))
        let numbers = (1...100).map { ResourceName(type: us.shape.type, id: Array(String($0).utf8)).number }
        #expect(Set(numbers.flatMap { [us.indexNumber(ofResource: $0), gb.indexNumber(ofResource: $0)] }).count == 200)
    }

    @Test func limitsAreThoseOfTheDocumentation() {
        func limits(_ name: String, _ type: ResourceClass, isView: Bool = false) -> [Int?] {
            let limits = CatalogRequest.limits(ofList: Array(name.utf8), isView: isView, of: type)
            return [limits?.standard, limits?.greatest]
        }
        #expect(limits("tracks", .albums) == [300, 300] && limits("tracks", .playlists) == [100, 300])
        #expect(limits("albums", .artists) == [25, 100] && limits("albums", .songs) == [10, 10])
        #expect(limits("more-by-artist", .musicVideos, isView: true) == [15, 100])
        #expect(limits("top-releases", .recordLabels, isView: true) == [10, nil])
        #expect(limits("genres", .albums) == [nil, nil] && limits("tracks", .albums, isView: true) == [nil, nil])
        #expect(CatalogRequest.mostIDs(.songs) == 100 && CatalogRequest.mostIDs(.artists) == 25)
    }
}
