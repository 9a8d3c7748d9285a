import TestSupport
import Testing

@testable import AppleMusic

private func canonical(_ target: String) throws(TargetError) -> String { try CanonicalTarget(target).text }

private func error(_ target: String) -> TargetError? {
    thrown { () throws(TargetError) in try CanonicalTarget(target) }
}

@Suite struct CanonicalTargetTests {
    /// The types of a request for several come in its own order, which may be that of the answer.
    @Test func scopedIDsKeepTheirOrderAmongEachOther() throws {
        let songsFirst = try CanonicalTarget("/v1/catalog/us?l=de&ids%5Bsongs%5D=2,1&ids[albums]=3&extend=a")
        let albumsFirst = try CanonicalTarget("/v1/catalog/us?extend=a&ids[albums]=3&l=de&ids[songs]=2,1")
        #expect(songsFirst.text == "/v1/catalog/us?extend=a&ids[songs]=2,1&ids[albums]=3&l=de")
        #expect(albumsFirst.text == "/v1/catalog/us?extend=a&ids[albums]=3&ids[songs]=2,1&l=de")
        #expect(try CanonicalTarget(songsFirst.text).text == songsFirst.text)
    }

    @Test func aCanonicalTargetIsLeftAsItIs() throws {
        let text = "/v1/catalog/us/albums/1616728060?extend=artistUrl&include=artists,genres&l=en-US"
        let target = try CanonicalTarget(text)
        #expect(target.text == text)
        #expect(target.pathCount == "/v1/catalog/us/albums/1616728060".utf8.count)
        #expect(target.originalQuery == target.pathCount + 1..<text.utf8.count)
        var other = CanonicalTarget()
        try other.parse(Array("/v1/catalog/us/songs?ids=3,1,2&include=b,a&a".utf8).span)
        #expect(other.text == "/v1/catalog/us/songs?a&ids=3,1,2&include=a,b")
        try other.parse(Array("/v1/me".utf8).span)
        #expect(other.text == "/v1/me" && other.originalQuery == nil)
    }

    @Test func anEmptyTargetIsTheRoot() throws {
        #expect(try canonical("") == "/")
        #expect(try canonical("/") == "/")
        #expect(try canonical("/?a=1") == "/?a=1")
        #expect(try CanonicalTarget("").pathCount == 1)
        #expect(try CanonicalTarget("/a?&").originalQuery == nil)
        let target = try CanonicalTarget("?b=2&a=1")
        #expect(target.text == "/?a=1&b=2")
        #expect(target.pathCount == 1 && target.originalQuery == 1..<8)
        #expect(try CanonicalTarget("/?b=2&a=1").route == target.route)
        #expect(try canonical("?") == "/")
        #expect(try canonical("?%3b\"") == "/?%3B%22")
        #expect(try canonical("?\"") == "/?%22", "every byte an escape, and a slash before them")
    }

    @Test(arguments: [
        // Escaped unreserved characters are decoded, once, and other escapes are in upper case.
        ("/%76%31/%6De/a%2db%5F%7e%2E", "/v1/me/a-b_~."), ("/a%3a%c3%a9%20", "/a%3A%C3%A9%20"), ("/a%252e", "/a%252e"),
        // Characters that should have been escaped are.
        (#"/a"<>[]^`{|}"#, "/a%22%3C%3E%5B%5D%5E%60%7B%7C%7D"),
        (#"/a?q="<>^`{|}/?@"#, "/a?q=%22%3C%3E%5E%60%7B%7C%7D%2F%3F%40"),
        // Reserved characters and their escapes are two things.
        ("/a;b:c,d@!$&'()*+=", "/a;b:c,d@!$&'()*+="), ("/a%3Bb", "/a%3Bb"), ("/a?b=1;c=2", "/a?b=1;c%3D2"),
        ("/a?b=1%3bc=2", "/a?b=1%3Bc%3D2"), ("/a?b;c", "/a?b;c"), ("/a?b%3Bc", "/a?b%3Bc"),
        ("/a?types=c;a,b", "/a?types=b,c;a"),
        // Names are decoded.
        ("/a?filter%5Bisrc%5D=X", "/a?filter[isrc]=X"), ("/a?%66ilter%5bisrc]=X", "/a?filter[isrc]=X"),
        ("/a?a%3Db=c&a%26=d", "/a?a%26=d&a%3Db=c"),
        // Plus is a space, and an escaped plus is another thing.
        ("/s?term=a+b", "/s?term=a+b"), ("/s?term=a%20b", "/s?term=a+b"), ("/s?term=a%2bb", "/s?term=a%2Bb"),
        // Values have one spelling. No value is not an empty one.
        ("/s?t=%61%c3%a9/%2f%7E~", "/s?t=a%C3%A9%2F%2F~~"), ("/s?t=a=b%3dc", "/s?t=a%3Db%3Dc"),
        ("/s?t=a%2Cb", "/s?t=a,b"), ("/s?t=a,b", "/s?t=a,b"), ("/s?ids=2%2C1", "/s?ids=2,1"), ("/a?b", "/a?b"),
        ("/a?b=", "/a?b="),
        // Parameters are sorted by name, which comes before those it begins. Equal ones keep their
        // order.
        ("/a?z=1&b=2&a=9&b=1&a=1", "/a?a=9&a=1&b=2&b=1&z=1"), ("/a?ab=1&a=2", "/a?a=2&ab=1"), ("/a?a=&a", "/a?a=&a"),
        // Those with nothing in them are dropped.
        ("/a?", "/a"), ("/a?&&", "/a"), ("/a?&b=1&&a=2&", "/a?a=2&b=1"), ("/a?a=1&", "/a?a=1"), ("/a?=1", "/a?=1"),
        // Sets are sorted and lose duplicates; they are not joined.
        ("/a?include%5Bsongs%5D=b,a", "/a?include[songs]=a,b"), ("/a?include=b,,a", "/a?include=,a,b"),
        ("/a?include=", "/a?include="), ("/a?include", "/a?include"),
        ("/a?include=b&include=a", "/a?include=b&include=a"),
        // Those of a library search keep their order: in which its results come is not known.
        ("//v1/me/library/search/?types=b,a&include=b,a", "/v1/me/library/search?include=a,b&types=b,a"),
        ("/v1/catalog/us/search?types=b,a", "/v1/catalog/us/search?types=a,b"),
        ("/v1/me/library/songs?types=b,a", "/v1/me/library/songs?types=a,b"),
        ("/v1/me/library/search/x?types=b,a", "/v1/me/library/search/x?types=a,b"),
    ])
    func aTargetHasOneSpelling(target: String, spelling: String) throws {
        #expect(try canonical(target) == spelling)
    }

    @Test(arguments: [
        "/.", "/..", "/a/./b", "/a/../b", "/a/..", "/%2e", "/%2E%2e", "/.%2e/", "/..;x/a", "/a/.;/b", "/..%3bx",
        "/.%3B", "/./?a", "/v1/catalog/us/../../me/library", "/v1/catalog/us/%2e%2e/me",
        "//..", "/a//../b", "/a/.//", "//./", "/a//..;x//b", "//v1/catalog//us//%2e%2e/me",
    ])
    func dotSegmentsAreRefusedHoweverTheyAreSpelt(target: String) {
        #expect(error(target) == .dotSegment)
    }

    @Test(arguments: ["/...", "/.a", "/..a", "/a..", "/a.", "/..%3A", "/.%2Ea", "/a?q=/../", "/pl.u-1"])
    func dotsInANameAreFine(target: String) { #expect(error(target) == nil) }

    @Test(arguments: [
        ("//", "/"), ("///?x=1", "/?x=1"), ("//a", "/a"), ("/a//b", "/a/b"), ("/a/", "/a"), ("/a///", "/a"),
        ("/a/?x", "/a?x"), ("/a//?", "/a"), ("//%61//;b/", "/a/;b"), ("//v1//me///library/", "/v1/me/library"),
        ("/v1/catalog/us/songs/?ids=2,1", "/v1/catalog/us/songs?ids=2,1"),
        ("/v1/catalog/us/?ids[songs]=1", "/v1/catalog/us?ids[songs]=1"),
    ])
    func aPathWithEmptySegmentsIsThePathWithoutThem(target: String, plain: String) throws {
        #expect(try canonical(target) == plain)
        #expect(try CanonicalTarget(target).route == CanonicalTarget(plain).route)
    }

    @Test(arguments: [
        ("//a//b/?b=2&a=1", "/a/b?b=2&a=1"), ("/%61?types=b,a&include=b,a,a", "/a?types=b,a&include=b,a,a"),
        ("/a?t=a%20b+c&&x=%5b%5D", "/a?t=a%20b+c&&x=%5b%5D"), ("?b&a", "/?b&a"), ("/a?", "/a"), ("/a/?&&", "/a"),
    ])
    func aQueryCanBeKeptAsItWasWritten(target: String, kept: String) throws {
        let parsed = try CanonicalTarget(target)
        let bytes = parsed.bytes(keepingQueryOf: Array(target.utf8).span)
        #expect(String(decoding: bytes, as: UTF8.self) == kept)
        #expect(try canonical(kept) == parsed.text, "it means the same")
    }

    @Test func halfAnEscapeIsRefusedAndOneOfASeparatorOrNULInThePath() {
        for target in ["/%", "/%1", "/a%zz", "/%-1", "/?%", "/?a=%2", "/?a%g0", "/?a=b%", "/%%41"] {
            #expect(error(target) == .malformedPercent, "\(target)")
        }
        for target in ["/a%2Fb", "/a%2fb", "/a%5Cb", "/a%5cb", "/v1%2Fme"] {
            #expect(error(target) == .encodedSeparator)
        }
        #expect(error("/v1/catalog/us%00/songs") == .encodedNUL)
        #expect(error("/a?q=%2F%5C%00") == nil)
    }

    @Test func controlsSpaceFragmentBackslashAndRawBytesBeyondASCIIAreRefusedAnywhere() {
        for byte in UInt8.min...UInt8.max {
            let isForbidden = byte <= 0x20 || byte >= 0x7F || byte == UInt8(ascii: "#") || byte == UInt8(ascii: "\\")
            for prefix in ["/a", "/a?b", "/a?b=c"] {
                var target = CanonicalTarget()
                let bytes = Array(prefix.utf8) + [byte] + Array("zz".utf8)
                let error = thrown { () throws(TargetError) in try target.parse(bytes.span) }
                if byte == UInt8(ascii: "%") { continue }
                #expect(error == (isForbidden ? .forbiddenByte : nil), "byte \(byte) after \(prefix)")
            }
        }
    }

    @Test(arguments: ["a", "*", "v1/me", "http://x/", "../etc", "%2Fv1", "%3Fa=1"])
    func onlyOriginFormIsAccepted(target: String) { #expect(error(target) == .notOriginForm) }

    @Test func theLongestTargetIsAcceptedAndOneByteMoreRefused() {
        let path = "/" + String(repeating: "a", count: CanonicalTarget.maxBytes - 1)
        #expect(error(path) == nil)
        #expect(error(path + "a") == .tooLong)
        #expect(error("/?" + String(repeating: "\"", count: CanonicalTarget.maxBytes - 2)) == nil)
        #expect(TargetError.allCases.allSatisfy { !$0.reason.isEmpty })
    }

    @Test func afterAnErrorNothingOfTheTargetIsLeft() {
        var target = CanonicalTarget()
        #expect(throws: Never.self) { try target.parse(Array("/v1/me?b&a".utf8).span) }
        #expect(throws: TargetError.malformedPercent) { try target.parse(Array("/v1/catalog/us?a=b&b=%".utf8).span) }
        #expect(target.bytes.isEmpty && target.pathCount == 0 && target.originalQuery == nil)
        #expect(target.route == .other)
    }
}

@Suite struct CanonicalQueryTests {
    @Test(arguments: ["include", "extend", "types", "views", "relate", "fields", "include[songs]", "fields[albums]"])
    func setsAreSortedAndLoseDuplicatesScopedToo(name: String) throws {
        #expect(try canonical("/a?\(name)=c,a,b,a") == "/a?\(name)=a,b,c")
        #expect(try canonical("/a?\(name)=c%2Ca%2cb") == "/a?\(name)=a,b,c")
    }

    @Test(arguments: [
        "ids", "ids[songs]", "term", "filter[isrc]", "with", "kinds", "l", "limit", "includes", "xinclude", "include[a",
    ])
    func everyOtherValueKeepsItsOrder(name: String) throws {
        #expect(try canonical("/a?\(name)=c,a,b,a") == "/a?\(name)=c,a,b,a")
    }
}
