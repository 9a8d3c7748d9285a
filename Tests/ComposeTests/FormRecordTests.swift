import AppleMusic
import Testing

@testable import Compose

@Suite struct FormRecordTests {
    private func request(_ target: String) throws -> CatalogRequest {
        try #require(CatalogRequest(try CanonicalTarget(target)))
    }

    private func document(_ json: String) throws -> MappedDocument {
        let body = Array(json.utf8)
        return MappedDocument(body: body, map: try #require(DocumentScan(body).document))
    }

    private func album(_ id: String, artists: String = "[]") -> String {
        """
        {"id":"\(id)","type":"albums","href":"/v1/catalog/us/albums/\(id)","attributes":{"name":"N"},\
        "relationships":{"artists":{"href":"/a","data":\(artists)}}}
        """
    }

    private let artist = #"{"id":"7","type":"artists","href":"/x"}"#
    private let fullArtist = #"{"id":"7","type":"artists","href":"/x","attributes":{"name":"A"}}"#

    @Test func aSecondLookAddsWhatTheFirstDidNotShow() throws {
        let item = try request("/v1/catalog/us/albums/1")
        var record = try #require(
            FormRecord(item, try document("{\"data\":[\(album("1"))]}"), at: 100, freshFor: 50))
        #expect(record.objects[.albums]?.relations.first?.elements[.artists] == nil)
        let fits = record.absorb(
            item, try document("{\"data\":[\(album("2", artists: "[\(artist)]"))]}"), at: 120, freshFor: 50)
        #expect(fits && record.objects[.albums]?.relations.first?.elements[.artists]?.isIdentifier == true)
        #expect(record.countsUntil == 170 && record.isFresh(at: 169) && !record.isFresh(at: 170))
    }

    @Test(arguments: [
        #"{"data":[{"id":"1","type":"albums","attributes":{"name":"N"},"relationships":{}}]}"#,
        #"{"data":[{"id":"1","type":"albums","href":"/h"}]}"#, #"{"data":[],"meta":{}}"#,
        #"{"data":[{"id":"1","type":"albums","href":"/h","attributes":{},"relationships":{"genres":{"data":[]}}}]}"#,
    ])
    func anotherShapeIsAContradiction(_ other: String) throws {
        let item = try request("/v1/catalog/us/albums/1")
        var record = try #require(
            FormRecord(item, try document("{\"data\":[\(album("1"))]}"), at: 100, freshFor: 50))
        let fits = record.absorb(item, try document(other), at: 101, freshFor: 50)
        #expect(!fits)
    }

    @Test func nothingIsLearntOfAnItemThatShowsWhatOthersDid() throws {
        let item = try request("/v1/catalog/us/albums/1")
        let known = try document("{\"data\":[\(album("1", artists: "[\(artist)]"))]}")
        let record = try #require(FormRecord(item, known, at: 100, freshFor: 50))
        func isBorneOut(_ other: String, at now: Int64 = 100, freshFor: Int = 50) throws -> Bool {
            record.isBorneOut(by: try document(other), item, at: now, freshFor: freshFor)
        }
        let alike = "{\"data\":[\(album("2", artists: "[\(artist)]"))]}"
        #expect(try isBorneOut(alike))
        #expect(try isBorneOut(alike, at: 120, freshFor: 30))
        // It counts for longer from then on, or nothing counts any more.
        #expect(try !isBorneOut(alike, at: 101))
        #expect(try !isBorneOut(alike, at: 150, freshFor: 0))
        for other in [
            "{\"data\":[]}", "{\"data\":[\(album("2", artists: "[\(fullArtist)]"))]}",
            "{\"data\":[\(album("2", artists: "[\(artist),\(artist)]"))]}",
            "{\"data\":[\(album("2", artists: "[\(artist)]"))],\"meta\":{}}",
            "{\"data\":[\(album("2", artists: "[\(artist)]"))],\"next\":\"/n\"}",
            "{\"data\":[\(album("2", artists: "[\(artist)]")),\(album("3", artists: "[\(artist)]"))]}",
            #"{"data":[{"id":"1","type":"albums","href":"/h","attributes":{},"relationships":{}}]}"#,
        ] {
            #expect(try !isBorneOut(other), "\(other)")
        }
        let batch = try request("/v1/catalog/us/albums?ids=1")
        #expect(!record.isBorneOut(by: known, batch, at: 100, freshFor: 50), "batches show more than their objects")
    }

    @Test func elementsThatAreFullOnceAndIdentifiersOnceContradictEachOther() throws {
        let item = try request("/v1/catalog/us/albums/1?include=artists")
        var record = try #require(
            FormRecord(
                item, try document("{\"data\":[\(album("1", artists: "[\(fullArtist)]"))]}"), at: 100, freshFor: 50))
        let fits = record.absorb(
            item, try document("{\"data\":[\(album("1", artists: "[\(artist)]"))]}"), at: 101, freshFor: 50)
        #expect(!fits)
    }

    @Test func theOrderOfABatchIsThatOfItsIDs() throws {
        let batch = try request("/v1/catalog/us/albums?ids=3,1,2")
        var record = try #require(
            FormRecord(batch, try document("{\"data\":[\(album("3"))]}"), at: 100, freshFor: 50))
        #expect(!record.keepsOrder, "one alone shows no order")
        let fits = record.absorb(
            batch, try document("{\"data\":[\(album("3")),\(album("2"))]}"), at: 101, freshFor: 50)
        #expect(fits && record.keepsOrder)
        let turned = record.absorb(
            batch, try document("{\"data\":[\(album("2")),\(album("3"))]}"), at: 102, freshFor: 50)
        #expect(!turned)
    }

    @Test func duplicatesInABatchShowNoOrder() throws {
        let batch = try request("/v1/catalog/us/albums?ids=1,2,1")
        let record = try #require(
            FormRecord(batch, try document("{\"data\":[\(album("2")),\(album("1"))]}"), at: 100, freshFor: 50))
        #expect(!record.keepsOrder)
    }

    @Test func pagesTeachTheirSizeAndTheirLinks() throws {
        let page = try request("/v1/catalog/us/playlists/p/tracks")
        let song = #"{"id":"1","type":"songs","attributes":{}}"#
        let next = "/v1/catalog/us/playlists/p/tracks?offset=2"
        var record = try #require(
            FormRecord(page, try document("{\"next\":\"\(next)\",\"data\":[\(song),\(song)]}"), at: 1, freshFor: 9))
        #expect(record.lists.standardLimit == 2 && record.lists.links.count == 1)
        let other = try request("/v1/catalog/us/playlists/q/tracks?limit=4")
        let link = "/v1/catalog/us/playlists/q/tracks?limit=4&offset=4"
        let fits = record.absorb(
            other, try document("{\"next\":\"\(link)\",\"data\":[\(song),\(song),\(song),\(song)]}"), at: 2, freshFor: 9
        )
        #expect(fits && record.lists.greatestLimit == 4 && record.lists.links.count == 2)
        let another = record.absorb(
            other, try document("{\"next\":\"\(link)&l=de\",\"data\":[\(song)]}"), at: 3, freshFor: 9)
        #expect(!another, "a link of another kind")
    }
}
