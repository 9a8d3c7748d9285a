import Testing
import Text

@testable import Simulator

@Suite struct FilterTests {
    let origin = SimulatedOrigin()

    @Test func oneCodeNamesManySongs() throws {  // APPLE-MUSIC-API 12.7, 5.1.5
        let first = Int(origin.catalog.albumStart[origin.prolific])
        let isrc = origin.catalog.isrc(ofSong: origin.catalog.song(album: first, track: 0).number)
        let body = try origin.get("/v1/catalog/us/songs?filter%5Bisrc%5D=\(isrc)")
        #expect((body["data"]?.count ?? 0) > 5)
        for song in body["data"]?.arrayValue ?? [] {
            #expect(song["attributes"]?["isrc"]?.stringValue == isrc)
            #expect(song["relationships"] != nil)
        }
        let listed = try #require(body["meta"]?["filters"]?["isrc"]?[isrc])
        #expect(listed.ids == body["data"]?.ids)
        #expect(listed[0]?.keys == ["id", "type", "href"])
    }

    @Test func unknownCodesAreEmptyArrays() throws {  // APPLE-MUSIC-API 5.1.5
        let body = try origin.get("/v1/catalog/us/songs?filter[isrc]=QQQAA0000001")
        #expect(try body == JSON.parse(Array(#"{"data":[],"meta":{"filters":{"isrc":{"QQQAA0000001":[]}}}}"#.utf8)))
    }

    @Test func upcKeysAreNormalised() throws {  // APPLE-MUSIC-API 5.1.6
        #expect(Catalog.normalised(upc: "00602445868162") == "0602445868162")
        let album = origin.albums(1)[0]
        let upc = origin.catalog.upc(ofAlbum: album)
        let body = try origin.get("/v1/catalog/us/albums?filter[upc]=\(upc)")
        #expect(body["data"]?.ids == [origin.id(.albums, album)])
        #expect(body["meta"]?["filters"]?["upc"]?.keys == [String(upc.dropFirst())])
    }

    @Test func equivalentsAreTheItemItselfOrAnother() throws {  // APPLE-MUSIC-API 3.1.6
        let album = origin.albums(1)[0]
        let id = origin.id(.albums, album)
        let body = try origin.get("/v1/catalog/us/albums?filter[equivalents]=\(id),77")
        #expect(body["meta"]?["filters"]?["equivalents"]?[id]?.ids == [id])
        #expect(body["meta"]?["filters"]?["equivalents"]?["77"]?.count == 0)
    }

    @Test func tooManyCodesAreRefused() throws {  // APPLE-MUSIC-API 4.1.7
        let codes = (0..<26).map { "QQQAA00000\(10 + $0)" }.joined(separator: ",")
        #expect(try origin.error("/v1/catalog/us/songs?filter[isrc]=\(codes)").error["code"]?.stringValue == "40005")
    }

    @Test func chartsAndStationsHaveFilters() throws {  // APPLE-MUSIC-API 3.1.7, 3.1.8
        let chart = try origin.get("/v1/catalog/us/playlists?filter[storefront-chart]=us")
        #expect(chart["meta"]?["filters"]?["storefront-chart"]?["us"] != nil)
        let radio = try origin.get("/v1/catalog/us/stations?filter[featured]=apple-music-live-radio")
        #expect(radio["data"]?.count == 3)
        #expect(radio["meta"]?["filters"]?["featured"]?["apple-music-live-radio"]?.count == 3)
    }

    @Test func personalStationNeedsAUser() throws {  // APPLE-MUSIC-API 2.2.2, 3.1.9
        let target = "/v1/catalog/us/stations?filter[identity]=personal"
        #expect(try origin.error(target).status == 403)
        let anna = try origin.get(target, user: "user-anna")
        #expect(anna["data"]?.ids.first?.hasPrefix("ra.u-") == true)
        #expect(anna["meta"]?["filters"]?["identity"]?["personal"]?.ids == anna["data"]?.ids)
        #expect(try origin.get(target, user: "user-ben")["data"]?.ids != anna["data"]?.ids)
    }
}
