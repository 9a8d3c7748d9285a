import TestSupport
import Testing

@testable import HTTP

@Suite struct CacheControlTests {
    private func parse(_ lines: String...) -> CacheControl {
        var directives = CacheControl()
        for line in lines { directives.merge([UInt8](line.utf8).span) }
        return directives
    }

    @Test func directivesAreRecognised() {
        let numbers = parse(
            "max-age=1, s-maxage=2, min-fresh=3, max-stale=4, stale-while-revalidate=5, stale-if-error=6")
        var expected = CacheControl()
        (expected.maxAge, expected.sMaxAge, expected.minFresh, expected.maxStale) = (1, 2, 3, 4)
        (expected.staleWhileRevalidate, expected.staleIfError) = (5, 6)
        #expect(numbers == expected)
        let flags = parse(
            "no-store,no-cache,private,public,must-revalidate", "",
            "proxy-revalidate,must-understand,only-if-cached,no-transform,immutable")
        var all = CacheControl()
        (all.noStore, all.noCache, all.isPrivate, all.isPublic, all.mustRevalidate) = (true, true, true, true, true)
        (all.proxyRevalidate, all.mustUnderstand, all.onlyIfCached) = (true, true, true)
        (all.noTransform, all.immutable) = (true, true)
        #expect(flags == all)
        #expect(parse("unknown, x=1, max-ages=2, maxage=3") == CacheControl())
    }

    @Test func namesHaveNoCaseAndArgumentsMayBeQuoted() {
        #expect(parse("MaX-AgE=60").maxAge == 60)
        #expect(parse("max-age=\"60\"").maxAge == 60)
        #expect(parse("No-CaChE").noCache && parse("no-cache=\"a\"").noCache)
        #expect(parse("private=\"Set-Cookie, X\", max-age=1").isPrivate)
        #expect(parse("no-cache=\"a, max-age=9\"").maxAge == nil)
    }

    @Test func quotedTextIsNoDirective() {
        #expect(parse("ext=\"max-age=100, no-store\", max-age=1") == parse("max-age=1"))
        #expect(parse("max-age=1, ext=\"\\\", max-age=100\"").maxAge == 1)
        #expect(parse("ext=\"max-age=100").maxAge == nil)
    }

    @Test(arguments: [
        "", "=", "=-1", "=+1", "=a100", "=100a", "=1.5", "= 60", " =60", "='60'", "=\"60", "=60\"", "=\"\"",
        "=\"6\\0\"",
    ])
    func anInvalidLifetimeIsStale(argument: String) {
        #expect(parse("max-age\(argument)").maxAge == 0)
        #expect(parse("s-maxage\(argument)").sMaxAge == 0)
        #expect(parse("stale-while-revalidate\(argument)").staleWhileRevalidate == nil)
        #expect(parse("stale-if-error\(argument)").staleIfError == nil)
        #expect(parse("min-fresh\(argument)").minFresh == nil)
        #expect(parse("max-stale\(argument)").maxStale == (argument.isEmpty ? DeltaSeconds.max : nil))
    }

    @Test(arguments: [
        (["Pragma: no-cache"], true), (["pragma: x, No-Cache"], true), (["Pragma: x", "Pragma: no-cache"], true),
        (["Pragma: no-cachex"], false), (["Pragma: no-cache=1"], false), (["Pragma: x"], false), ([], false),
        (["Pragma: no-cache", "Cache-Control: max-age=5"], false), (["Pragma: no-cache", "Cache-Control:"], false),
        (["Pragma: x", "Cache-Control: no-cache"], true),
        (["Cache-Control: max-age=1", "Cache-Control: no-cache"], true),
    ])
    func pragmaCountsInRequestsWithoutCacheControl(lines: [String], expected: Bool) throws {
        let request = try ParsedRequest("GET / HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n")
        #expect(CacheControl(request: request.head.fields, request.bytes.span).noCache == expected)
    }

    @Test func largeNumbersAreClamped() {
        for text in ["2147483648", "2147483649", "99999999999", "99999999999999999999999999"] {
            #expect(parse("max-age=\(text)").maxAge == 2_147_483_648)
        }
        #expect(parse("max-age=2147483647").maxAge == 2_147_483_647)
        #expect(parse("max-age=003600").maxAge == 3600)
    }

    @Test func theFirstOfTwoCounts() {
        #expect(parse("max-age=60, max-age=0").maxAge == 60)
        #expect(parse("max-age=0", "max-age=60").maxAge == 0)
        #expect(parse("max-age=x, max-age=60").maxAge == 0)
    }
}
