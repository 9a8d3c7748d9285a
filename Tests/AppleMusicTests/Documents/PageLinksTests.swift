import TestSupport
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

    /// A body of 1,900 letters x made a miss 45 % dearer.
    @Test func frequentLettersEndTheSearchForThem() {
        let link = #"{"next":"/a","data":[]}"#
        for letters in ["x", "xx ", "next", #"next""#, #""nex""#] {
            let text = String(repeating: letters, count: 40_000 / letters.count)
            let body = Array((text + link + text + link).utf8)
            var (search, found) = (NextSearch(), 0)
            while search.next(in: body.span) != nil { found += 1 }
            #expect(search.misses <= body.count / 48 + 24, "\(letters): twice the time of a search for the word")
            #expect(found >= 2 && links(text + link + text + link, most: 1 << 20) == ["/a", "/a"], "\(letters)")
        }
        // Rare ones do not.
        let rare = String(repeating: String(repeating: "a", count: 99) + "x", count: 400)
        var search = NextSearch()
        #expect(search.next(in: Array(rare.utf8).span) == nil && search.misses == 400)
    }

    /// As found byte by byte, in bodies of the letters of the word.
    @Test(arguments: 0..<20 as Range<UInt64>) func wordsAreFoundWhereTheyAre(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = ["x", "\"", "next", "\"next", "\"next\"", "e", "n", "xxxxxx", String(repeating: "a", count: 60)]
        let count = Int.random(in: 0...400, using: &random)
        let body = Array((0..<count).map { _ in pieces.randomElement(using: &random)! }.joined().utf8)
        let word = Array("\"next\"".utf8)
        let expected = body.indices.filter { body[$0...].starts(with: word) }.map { $0 + 3 }
        var (search, found) = (NextSearch(), [Int]())
        while let letter = search.next(in: body.span) { found.append(letter) }
        #expect(found == expected, "seed \(seed)")
    }

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
