import TestSupport
import Testing

@testable import HTTP

@Suite struct TargetedCacheControlTests {
    private func parse(_ lines: String...) -> CacheControl? {
        var targeted = TargetedCacheControl()
        for line in lines { targeted.merge(Array(line.utf8).span) }
        return targeted.directives
    }

    @Test func directivesAreTakenOver() {
        var all = CacheControl()
        (all.maxAge, all.sMaxAge, all.staleWhileRevalidate, all.staleIfError) = (1, 2, 3, 4)
        (all.noStore, all.isPrivate, all.isPublic, all.mustRevalidate) = (true, true, true, true)
        (all.proxyRevalidate, all.mustUnderstand, all.noTransform, all.immutable) = (true, true, true, true)
        all.noCache = true
        #expect(
            parse(
                "max-age=1, s-maxage=2, stale-while-revalidate=3, stale-if-error=4, no-store, private, public",
                "must-revalidate, proxy-revalidate, must-understand, no-transform, immutable, no-cache, foobar=x")
                == all)
        #expect(parse("no-cache=\"a\"")?.noCache == true)
    }

    @Test func numbersAreBroughtWithinBoundsAndTheLastCounts() {
        #expect(parse("max-age=99999999999")?.maxAge == DeltaSeconds.max && parse("max-age=-5")?.maxAge == 0)
        #expect(parse("max-age=1, max-age=2")?.maxAge == 2 && parse("max-age=1", "max-age=2")?.maxAge == 2)
    }

    @Test func aFlagThatIsFalseIsNotSet() {
        #expect(parse("no-store=?0") == CacheControl() && parse("no-store, no-store=?0")?.noStore == false)
        #expect(parse("no-store=1")?.noStore == true && parse("private=\"x\"")?.isPrivate == true)
    }

    @Test(arguments: [
        "", "max-age=\"10000\"", "max-age", "max-age=1.5", "max-age=x", "s-maxage=?1", "max-age=10000, &&&&&",
        "MaX-aGe=3600", "max-age=9999999999999999", "max-age =100", "max-age= 100", "max-age=", "a,", "a,,b", ",a",
        "a b", "=1", "1=1", "a=", "max-age=--1", "max-age=+1", "max-age=1x", "max-age=?1;a", "a=\"x", "a=\"x\\\"",
    ])
    func invalidOrEmptyLinesCountAsAbsent(line: String) {
        #expect(parse(line) == nil && parse("max-age=5", line) == nil && parse(line, "max-age=5") == nil)
    }

    @Test func parametersAndUnknownMembersArePassedOver() {
        #expect(parse("a=(b c);d=1, max-age=5;e=\"x, max-age=7\", f;g")?.maxAge == 5)
        #expect(parse("a=\"no-store, \", *b.c_d-9=:aGk=:")?.noStore == false)
        // A backslash takes the meaning of the quotation mark.
        #expect(parse("x=\"\\\"\", no-store")?.noStore == true && parse("a=\"\\\\\", private")?.isPrivate == true)
    }

    @Test func noBytesTrap() {
        var generator = SeededGenerator(seed: 9213)
        let alphabet = Array("aA1=,;\"\\ \t()?:@%.-*cf".utf8)
        var (found, refused) = (0, 0)
        for _ in 0..<50_000 {
            let bytes = (0..<Int.random(in: 0..<16, using: &generator)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            }
            if parse(String(decoding: bytes, as: UTF8.self)) == nil { refused += 1 } else { found += 1 }
        }
        #expect(found > 0 && refused > 0)
    }
}
