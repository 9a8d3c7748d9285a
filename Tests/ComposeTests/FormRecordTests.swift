import AppleMusic
import Testing

@testable import Compose

@Suite struct FormRecordTests {
    private func data(_ items: String..., rest: String = "") -> String {
        "{\"data\":[\(items.joined(separator: ","))]\(rest)}"
    }

    private func record(_ request: CatalogRequest, _ json: String) throws -> FormRecord {
        try #require(FormRecord(request, try mapped(json), at: 100, freshFor: 50))
    }

    /// Whether it fits.
    private func absorb(
        _ request: CatalogRequest, _ json: String, at now: Int64 = 101, into record: inout FormRecord
    ) throws -> Bool {
        record.absorb(request, try mapped(json), at: now, freshFor: 50)
    }

    @Test func aSecondLookAddsWhatTheFirstDidNotShow() throws {
        let item = try StoredScene.request("albums/1")
        var record = try record(item, data(album("1", [])))
        #expect(record.objects[.albums]?.relations.first?.elements[.artists] == nil)
        #expect(try absorb(item, data(album("2")), at: 120, into: &record))
        #expect(record.objects[.albums]?.relations.first?.elements[.artists]?.isIdentifier == true)
        #expect(record.countsUntil == 170 && record.isFresh(at: 169) && !record.isFresh(at: 170))
    }

    @Test(arguments: [
        #"{"data":[{"id":"1","type":"albums","attributes":{"name":"N"},"relationships":{}}]}"#,
        #"{"data":[{"id":"1","type":"albums","href":"/h"}]}"#, #"{"data":[],"meta":{}}"#,
        #"{"data":[{"id":"1","type":"albums","href":"/h","attributes":{},"relationships":{"genres":{"data":[]}}}]}"#,
    ])
    func anotherShapeIsAContradiction(_ other: String) throws {
        let item = try StoredScene.request("albums/1")
        var record = try record(item, data(album("1", [])))
        #expect(try !absorb(item, other, into: &record))
    }

    @Test func nothingIsLearntOfAnItemThatShowsWhatOthersDid() throws {
        let item = try StoredScene.request("albums/1")
        let known = data(album("1"))
        let record = try record(item, known)
        func isBorneOut(_ other: String, at now: Int64 = 100, freshFor: Int = 50) throws -> Bool {
            record.isBorneOut(by: try mapped(other), item, at: now, freshFor: freshFor)
        }
        let alike = data(album("2"))
        #expect(try isBorneOut(alike))
        #expect(try isBorneOut(alike, at: 120, freshFor: 30))
        // It counts for longer from then on, or nothing counts any more.
        #expect(try !isBorneOut(alike, at: 101))
        #expect(try !isBorneOut(alike, at: 150, freshFor: 0))
        for other in [
            data(), data(album("2", [artist("7")])), data(album("2", [artistID("7"), artistID("7")])),
            data(album("2"), rest: #","meta":{}"#),
            data(album("2"), rest: #","next":"/n""#),
            data(album("2"), album("3")),
            #"{"data":[{"id":"1","type":"albums","href":"/h","attributes":{},"relationships":{}}]}"#,
        ] {
            #expect(try !isBorneOut(other), "\(other)")
        }
        let batch = try StoredScene.request("albums?ids=1")
        #expect(
            try !record.isBorneOut(by: mapped(known), batch, at: 100, freshFor: 50),
            "batches show more than their objects")
    }

    /// Attributes depend on where a resource is shown.
    @Test func attributesThatAPlaceNeverShowedAreNoneOfIts() throws {
        let item = try StoredScene.request("albums/1")
        var record = try record(item, data(resource("albums", "1")))
        func shows(_ attribute: String) throws -> Bool {
            let document = try mapped(data(resource("albums", "2", attribute: attribute)))
            let object = document.map.objects[0]
            let shape = try #require(record.objects[.albums])
            #expect(shape.describes(object, in: document) == shape.showsAttributes(of: object))
            return shape.showsAttributes(of: object)
        }
        #expect(try shows("name") && !shows("title"))
        #expect(try absorb(item, data(resource("albums", "3", attribute: "title")), into: &record))
        #expect(try shows("name") && shows("title"))
        for number in 2...AttributeCombinations.most {
            #expect(try absorb(item, data(resource("albums", "3", attribute: "\(number)")), into: &record))
        }
        let most = AttributeCombinations.most
        #expect(try shows("\(most - 1)") && !shows("\(most)"), "there is room for so many")
    }

    /// A nested list is copied with its `next`.
    @Test func linksInsideAResourceAreThoseOfTheForm() throws {
        let item = try StoredScene.request("albums/1")
        func shown(_ id: String, _ query: String) -> String {
            data(
                resource(
                    "albums", id, [relation("artists", [artistID("7"), artistID("8")], next: "/v1/x\(id)?\(query)")]))
        }
        var record = try record(item, shown("1", "offset=2"))
        func fits(_ query: String) throws -> Bool {
            let document = try mapped(shown("3", query))
            return try #require(record.objects[.albums]).describes(document.map.objects[0], in: document)
        }
        #expect(try fits("offset=2") && !fits("limit=2&offset=2") && !fits("l=de&offset=2"))
        #expect(try !absorb(item, shown("2", "limit=2&offset=2"), into: &record))
    }

    /// Links that one of two had shown were concluded of both.
    @Test func listsAgreeOnNoLinkThatOneOfThemNeverShowed() throws {
        let item = try StoredScene.request("albums/1")
        func shape(next: String?) throws -> ObjectShape {
            let artists = relation("artists", [artistID("7"), artistID("8")], next: next)
            let record = try record(item, data(resource("albums", "1", [artists])))
            return try #require(record.objects[.albums])
        }
        let (whole, linked) = (try shape(next: nil), try shape(next: "/v1/x?offset=2"))
        let other = try shape(next: "/v1/x?limit=2&offset=2")
        #expect(!linked.isSameForm(as: other))
        #expect(try #require(linked.agreed(with: whole)).isSameForm(as: other))
        #expect(try #require(whole.agreed(with: linked)).isSameForm(as: other))
    }

    @Test func elementsThatAreFullOnceAndIdentifiersOnceContradictEachOther() throws {
        let item = try StoredScene.request("albums/1?include=artists")
        var record = try record(item, data(album("1", [artist("7")])))
        #expect(try !absorb(item, data(album("1")), into: &record))
    }

    @Test func theOrderOfABatchIsThatOfItsIDs() throws {
        let batch = try StoredScene.request("albums?ids=3,1,2")
        var record = try record(batch, data(album("3", [])))
        #expect(!record.keepsOrder, "one alone shows no order")
        #expect(try absorb(batch, data(album("3", []), album("2", [])), into: &record))
        #expect(record.keepsOrder)
        #expect(try !absorb(batch, data(album("2", []), album("3", [])), into: &record))
        let twice = try StoredScene.request("albums?ids=1,2,1")
        #expect(try !self.record(twice, data(album("2", []), album("1", []))).keepsOrder)
    }

    @Test func pagesTeachTheirSizeAndTheirLinks() throws {
        let page = try StoredScene.request("playlists/p/tracks")
        let song = #"{"id":"1","type":"songs","attributes":{}}"#
        let path = "/v1/catalog/us/playlists"
        var record = try record(page, data(song, song, rest: ",\"next\":\"\(path)/p/tracks?offset=2\""))
        #expect(record.lists.standardLimit == 2 && record.lists.links.count == 1)
        let other = try StoredScene.request("\(path)/q/tracks?limit=4")
        let link = "\(path)/q/tracks?limit=4&offset=4"
        #expect(try absorb(other, data(song, song, song, song, rest: ",\"next\":\"\(link)\""), into: &record))
        #expect(record.lists.greatestLimit == 4 && record.lists.links.count == 2)
        let another = data(song, rest: ",\"next\":\"\(link)&l=de\"")
        #expect(try !absorb(other, another, into: &record), "a link of another kind")
    }
}
