import TestSupport
import Testing

@testable import HTTP

@Suite struct StructuredDictionaryTests {
    private func members(_ bytes: [UInt8]) -> [String]? {
        StructuredDictionary.members(bytes.span)?.map { member in
            let key = String(decoding: bytes[member.key.range], as: UTF8.self)
            return switch member.value {
            case .integer(let number): "\(key)=\(number)"
            case .boolean(let isTrue): "\(key)=\(isTrue)"
            case .string(let range): "\(key)='\(String(decoding: bytes[range.range], as: UTF8.self))'"
            case .other: "\(key)=other"
            }
        }
    }

    private func members(_ text: String) -> [String]? { members(Array(text.utf8)) }

    @Test func membersAreFound() {
        #expect(members("") == [] && members("  ") == [])
        #expect(members("max-age=10") == ["max-age=10"])
        #expect(
            members("a, b=?0;x=1 ,\tc=-7, *d.e_f-9=\"x\\\"y\"") == ["a=true", "b=false", "c=-7", "*d.e_f-9='x\\\"y'"])
        #expect(members("a=1, a=2") == ["a=1", "a=2"])
        #expect(members(" a=000000000000123 ") == ["a=123"] && members("a=999999999999999") == ["a=999999999999999"])
        #expect(members("a=\"\"") == ["a=''"])
    }

    @Test(arguments: [
        "1.5", "-0.001", "123456789012.123", "tok/en:x", "*", "A", ":aGk=:", "::", "@1659578233", "%\"f%c3%bc\"", "()",
        "( 1  \"a\";p )", "(a b;q=1);r=?1", "a;b;c=1;d=\"e\"", "(:a: @1)",
    ])
    func otherValuesAreChecked(value: String) {
        #expect(members("a=\(value)") == ["a=other"] && members("a=\(value), b") == ["a=other", "b=true"])
    }

    @Test(arguments: [
        "max-age=10, &&&&&", "MaX-aGe=3600", "max-age =100", "max-age= 100", "a,", "a,,b", ",a", "a b", "a=", "=1",
        "1=1", "a=1234567890123456", "a=1234567890123.1", "a=1.", "a=1.1234", "a=.5", "a=-", "a=+1", "a=--1",
        "a=1x", "a=\"x", "a=\"\\x\"", "a=\"\u{7F}\"", "a=\"\u{FC}\"", "a='x'", "a=?", "a=?2", "a=?true", "a=:a",
        "a=:!:", "a=@", "a=@1.5", "a=%", "a=%\"x", "a=%\"%C3%BC\"", "a=%\"%c3\"", "a=%\"%c\"", "a=(", "a=(1",
        "a=(1)2", "a=(1\t2)", "a=(,)", "a=((1))", "a;", "a;B", "a;b=", "a; b=( )", "a=1;=", "\ta", "a=&", "\u{FC}",
        "a ;b",
    ])
    func anythingElseIsNoDictionary(text: String) { #expect(members(text) == nil) }

    @Test func noBytesTrap() {
        var generator = SeededGenerator(seed: 9213)
        let alphabet = Array("aA1=,;\"\\ \t()?:@%.-*cf".utf8)
        var (found, refused) = (0, 0)
        for _ in 0..<50_000 {
            let bytes = (0..<Int.random(in: 0..<16, using: &generator)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            }
            if members(bytes) == nil { refused += 1 } else { found += 1 }
        }
        #expect(found > 0 && refused > 0)
    }
}

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
        "MaX-aGe=3600", "max-age=9999999999999999",
    ])
    func whatIsInvalidOrEmptyCountsAsAbsent(line: String) {
        #expect(parse(line) == nil && parse("max-age=5", line) == nil && parse(line, "max-age=5") == nil)
    }

    @Test func whatIsNotThereIsAbsent() {
        #expect(parse() == nil)
    }
}
