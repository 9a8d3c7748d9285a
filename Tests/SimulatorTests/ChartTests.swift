import Testing
import Text

@testable import Simulator

@Suite struct ChartTests {
    let origin = SimulatedOrigin()

    @Test func everyTypeHasItsChart() throws {  // APPLE-MUSIC-API 3.1.13, 7.6
        let body = try origin.get("/v1/catalog/us/charts?types=songs,albums,music-videos,playlists")
        #expect(body["results"]?.keys.count == 4)
        let songs = try #require(body["results"]?["songs"]?[0])
        #expect(songs["chart"]?.stringValue == "most-played")
        #expect(songs["name"]?.stringValue == "Top Songs")
        #expect(songs["next"]?.stringValue == "/v1/catalog/us/charts?chart=most-played&offset=20&types=songs")
        #expect(songs["data"]?[0]?["relationships"] == nil)  // APPLE-MUSIC-API 5.3.4
        let order = try #require(body["meta"]?["results"]?["order"]?.arrayValue)  // APPLE-MUSIC-API 5.1.3
        #expect(order.count == 4 && order.contains("most-played:songs"))
        #expect(body["meta"]?["results"]?["rawOrder"] == nil)
    }

    @Test func nextKeepsGenreAndLimit() throws {  // APPLE-MUSIC-API 7.4, 7.6
        let target = "/v1/catalog/us/charts?types=songs&genre=14&limit=1"
        let chart = try origin.get(target)["results"]?["songs"]?[0]
        let path = "/v1/catalog/us/charts?chart=most-played&genre=14&limit=1"
        #expect(chart?["next"]?.stringValue == path + "&offset=1&types=songs")
        #expect(chart?["href"]?.stringValue == path + "&types=songs")
    }

    @Test func offsetEndsAt200() throws {  // APPLE-MUSIC-API 4.1.22, 8.3
        try origin.expectError(
            "/v1/catalog/us/charts?types=albums&offset=206&limit=50", 400,
            ["detail": "offset must be less than 200", "source": ["parameter": "offset"]])
        #expect(
            try origin.get("/v1/catalog/us/charts?types=albums&offset=190")["results"]?["albums"]?[0]?["next"] == nil)
        #expect(try origin.error("/v1/catalog/us/charts").error["code"]?.stringValue == "40003")
    }

    @Test func storefrontsAndGenresDiffer() throws {
        let us = try origin.get("/v1/catalog/us/charts?types=songs")["results"]?["songs"]?[0]?["data"]?.ids
        #expect(try us != origin.get("/v1/catalog/jp/charts?types=songs")["results"]?["songs"]?[0]?["data"]?.ids)
        let pop = try origin.get("/v1/catalog/us/charts?types=songs&genre=14")["results"]?["songs"]?[0]?["data"]
        for song in pop?.arrayValue ?? [] {
            #expect(song["attributes"]?["genreNames"]?[0]?.stringValue == "Pop")
        }
        #expect((pop?.count ?? 0) > 5)
    }

    @Test func namedChartsComeWithWith() throws {  // APPLE-MUSIC-API 4.3.7
        let body = try origin.get("/v1/catalog/us/charts?types=songs&with=cityCharts,dailyGlobalTopCharts")
        #expect(body["results"]?.keys == ["songs", "cityCharts", "dailyGlobalTopCharts"])
    }
}
