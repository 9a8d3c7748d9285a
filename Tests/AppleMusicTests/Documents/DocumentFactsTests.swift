import Testing

@testable import AppleMusic

/// The facts in a document's map, compared with values written here: no walk and no other scan is
/// asked.
@Suite struct DocumentFactsTests {
    private let text = #"""
        {"next":"/v1/catalog/us/albums?offset=2","data":[{"id":"1","type":"albums","href":"/v1/catalog/us/albums/1",
        "attributes":{"name":"One","tracks":[{"id":"x","type":"songs"}]},"relationships":{"artists":{"href":"/a",
        "next":"/n?offset=25","data":[{"id":"7","type":"artists"},{"id":"8","type":"artists","attributes":{}}]},
        "genres":{"data":[]},"station":{}}},{"type":"music-videos","id":"2","meta":{"data":[{"id":"y","type":"songs"}]}}]
        ,"meta":{"total":2}}
        """#

    private func found() throws -> (bytes: [UInt8], document: ResourceDocument) {
        let bytes = Array(text.utf8)
        return (bytes, try #require(DocumentScan(bytes).document, "a document is refused"))
    }

    private func words(_ span: ByteSpan, _ bytes: [UInt8]) -> String {
        String(decoding: bytes[span.range], as: UTF8.self)
    }
    private func number(_ names: String...) -> UInt64 {
        names.reduce(0) { $0 &+ ResourceDocument.nameNumber(Array($1.utf8).span) }
    }

    @Test func theResourcesAreThoseOfDataAndOfRelationships() throws {
        let (bytes, document) = try found()
        let objects = document.objects
        #expect(objects.map { words($0.id, bytes) } == ["\"1\"", "\"7\"", "\"8\"", "\"2\""])
        #expect(
            objects.map { words($0.typeName, bytes) } == [
                "\"albums\"", "\"artists\"", "\"artists\"", "\"music-videos\"",
            ])
        #expect(objects.map(\.type) == [.albums, .artists, .artists, .musicVideos])
        #expect(
            objects.map(\.number) == [
                ResourceMention.number(type: "albums", id: "1"), ResourceMention.number(type: "artists", id: "7"),
                ResourceMention.number(type: "artists", id: "8"), ResourceMention.number(type: "music-videos", id: "2"),
            ])
        #expect(objects.map(\.end) == [3, 2, 3, 4] && objects.map(\.parent) == [-1, 0, 0, -1])
    }

    @Test func aResourceHasTheRangesOfItsMembers() throws {
        let (bytes, document) = try found()
        let album = document.objects[0]
        #expect(
            words(album.whole, bytes).hasPrefix(#"{"id":"1""#)
                && words(album.whole, bytes).hasSuffix(#""station":{}}}"#))
        #expect(words(album.href, bytes) == #""/v1/catalog/us/albums/1""#)
        #expect(words(album.attributes, bytes) == #"{"name":"One","tracks":[{"id":"x","type":"songs"}]}"#)
        #expect(album.attributeNames == number("name", "tracks") && album.otherMembers == 0 && album.hasRelationships)
        #expect(words(document.objects[1].whole, bytes) == #"{"id":"7","type":"artists"}"#)
        #expect(document.objects[1].attributes.isEmpty && document.objects[1].href.isEmpty)
        #expect(!document.objects[1].hasRelationships)
        #expect(words(document.objects[2].attributes, bytes) == "{}" && document.objects[2].attributeNames == 0)
        #expect(document.objects[3].otherMembers == number("meta") && document.objects[3].attributes.isEmpty)
    }

    @Test func aRelationshipHasItsElementsAndItsLink() throws {
        let (bytes, document) = try found()
        let album = document.objects[0]
        try #require(album.firstRelation == 0 && album.endRelation == 3 && document.relations.count == 3)
        let (artists, genres, station) = (document.relations[0], document.relations[1], document.relations[2])
        #expect(document.relations.map { words($0.spelling, bytes) } == ["\"artists\"", "\"genres\"", "\"station\""])
        #expect(document.relations.map(\.name) == [number("artists"), number("genres"), number("station")])
        #expect(words(artists.next, bytes) == #""/n?offset=25""# && artists.otherMembers == number("href"))
        #expect(artists.firstElement..<artists.endElement == 1..<3)
        #expect(
            words(artists.data, bytes).hasPrefix("[{") && words(artists.data, bytes).hasSuffix(#""attributes":{}}]"#))
        #expect(words(genres.whole, bytes) == #"{"data":[]}"# && words(genres.data, bytes) == "[]")
        #expect(genres.firstElement == genres.endElement && genres.next.isEmpty && genres.otherMembers == 0)
        #expect(words(station.whole, bytes) == "{}" && station.data.isEmpty)
        for object in document.objects.dropFirst() { #expect(object.firstRelation == object.endRelation) }
    }

    @Test func theEnvelopeIsWhatStandsAroundTheResources() throws {
        let (bytes, document) = try found()
        let envelope = document.envelope
        #expect(words(envelope.next, bytes) == #""/v1/catalog/us/albums?offset=2""#)
        #expect(words(envelope.data, bytes).hasPrefix(#"[{"id":"1""#) && envelope.otherMembers == number("meta"))
        #expect(envelope.firstElement == 0 && envelope.endElement == 4)
    }

    @Test func namedAreTheResourcesOfTheWholeText() throws {
        let mentions = DocumentScan(Array(text.utf8)).mentions
        let named = [
            ("albums", "1"), ("artists", "7"), ("artists", "8"), ("music-videos", "2"), ("songs", "x"), ("songs", "y"),
        ]
        #expect(mentions == named.map { ResourceMention.number(type: $0.0, id: $0.1) }.sorted())
    }

    @Test func resultsAreFoundAndBelongToNoList() throws {
        let text =
            #"{"results":{"songs":{"data":[{"id":"3","type":"songs","views":{"v":{"data":[{"id":"4","type":"albums"}]}}}]}}}"#
        let bytes = Array(text.utf8)
        let document = try #require(DocumentScan(bytes).document)
        #expect(document.objects.map { words($0.id, bytes) } == ["\"3\"", "\"4\""])
        #expect(document.objects.map(\.parent) == [-1, 0] && document.objects.map(\.end) == [2, 2])
        #expect(document.envelope.data.isEmpty && document.envelope.firstElement == document.envelope.endElement)
        #expect(document.envelope.otherMembers == number("results"))
    }
}
