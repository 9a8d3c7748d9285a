import Testing

@testable import AppleMusic

@Suite struct PageLinksTests {
    private func links(_ body: String, most: Int = 10) -> [String] {
        var links: [String] = []
        let bytes = Array(body.utf8)
        PageLinks.each(in: bytes.span, most: most) { links.append(String(decoding: bytes[$0], as: UTF8.self)) }
        return links
    }

    @Test func linksAreFoundWhereverTheyStand() {
        let body = #"{"next":"/a?offset=1","data":[{"x":{"next" : "/b"}}],"results":{"songs":{"next":"/c"}}}"#
        #expect(links(body) == ["/a?offset=1", "/b", "/c"])
        #expect(links(body, most: 2) == ["/a?offset=1", "/b"])
    }

    @Test(arguments: [
        "", "x", "next", #""next""#, #""next":"#, #""next":""#, #""next":"/a"#, #""next":"b""#, #""next":null"#,
        #""nexts":"/a""#, #""xnext":"/a""#, #""next" "/a""#, #"{"a":"\"next\":\"/a\""}"#, #""next":"/a\/b""#,
    ])
    func otherMembersAreNoLinks(body: String) { #expect(links(body).isEmpty) }

    @Test func aPageIsTheSameHoweverItIsShown() throws {
        let page = try CanonicalTarget("/v1/catalog/us/albums/1/tracks?offset=25").pageNumber
        #expect(page != nil)
        for shown in ["offset=25&limit=5", "include=artists&offset=25", "l=de&offset=25&fields[songs]=name"] {
            #expect(try CanonicalTarget("/v1/catalog/us/albums/1/tracks?\(shown)").pageNumber == page)
        }
        for other in ["offset=50", "offset=25&filter[a]=b", "offset=25&types=songs"] {
            #expect(try CanonicalTarget("/v1/catalog/us/albums/1/tracks?\(other)").pageNumber != page)
        }
        #expect(try CanonicalTarget("/v1/catalog/us/albums/2/tracks?offset=25").pageNumber != page)
        #expect(try CanonicalTarget("/v1/catalog/us/albums/1/tracks?limit=25").pageNumber == nil)
    }
}
