import Testing

@testable import AppleMusic

private func offset(_ next: String) -> Int? { PageLink.offset(in: Array(next.utf8).span) }

@Suite struct PageLinkTests {
    @Test func theOffsetIsFoundWhereverItIs() {
        #expect(offset("/v1/catalog/us/albums/1/tracks?offset=28") == 28)
        #expect(offset("/v1/search?l=fr&offset=0&term=offset&types=songs") == 0)
        #expect(offset("/a?xoffset=1&offset=999999999&offsets=2") == 999_999_999)
    }

    @Test(arguments: [
        "", "/", "/a", "/a?", "/a?offset", "/a?offset=", "/a?offset=01", "/a?offset=x", "/a?offset=1&offset=1",
        "/a?offset=1&offset=", "/a?offset=1234567890", "/a?offset=-1", "/offset=1", "/a&offset=1", "offset=1",
        "https://a/b?offset=1", #"\/a?offset=1"#, #"/a?offset=1\u0026b"#, "/a?offset=1#b", "/a?offset=1 ",
        "/a?b?offset=1",
    ])
    func linksThatAreNotPlainHaveNoOffset(next: String) { #expect(offset(next) == nil) }
}
