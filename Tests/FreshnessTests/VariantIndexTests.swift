import HTTP
import TestSupport
import Testing

@testable import Freshness

@Suite struct VariantIndexTests {
    private func variantIndex(_ names: String) -> VariantIndex {
        VariantIndex(names: Array(names.utf8), generation: 0x0123_4567_89AB_CDEF)
    }

    private func variant(_ names: String, _ lines: [String]) throws -> [UInt8] {
        let forwarded = Array(lines.map { $0 + "\r\n" }.joined().utf8)
        let variant = variantIndex(names).variant(of: forwarded.span)
        return try #require(variant)
    }

    @Test func anIndexIsReadAsWrittenAndAVariantIsADigest() throws {
        let one = variantIndex("accept-language,foo")
        #expect(String(decoding: one.selecting, as: UTF8.self) == "0123456789abcdef accept-language,foo")
        #expect(VariantIndex(one.selecting) == one)
        #expect(VariantIndex(names: one.names).selecting != VariantIndex(names: one.names).selecting)
        for text in ["", "0123456789abcdef", "0123456789abcdef ", "0123456789abcdefxfoo"] {
            #expect(VariantIndex(Array(text.utf8)) == nil)
        }
        let variant = try self.variant("foo", ["Foo: secret"])
        #expect(variant.count == 16 + 64 && variant.starts(with: Array("0123456789abcdef".utf8)))
        #expect(variant.allSatisfy { ($0 >= 48 && $0 <= 57) || ($0 >= 97 && $0 <= 102) })
    }

    private static let same: [(String, [String], [String])] = [
        ("foo", ["Foo: 1"], ["foo: 1"]), ("foo", ["Foo: 1", "Other: 2"], ["Other: 3", "Foo: 1"]),
        ("bar,foo", ["Foo: 1", "Bar: abc"], ["Bar: abc", "Foo: 1"]),
        ("bar,baz,foo", ["Foo: 1", "Baz: 789"], ["Baz: 789", "Foo: 1"]), ("foo", ["Foo: 1, 2"], ["Foo: 1", "Foo: 2"]),
        ("foo", ["Foo: 1,2"], ["Foo:  1 ,\t2 "]), ("foo", ["Foo: 1, 2,3"], ["Foo: 1", "Foo: 2 , 3"]),
        ("accept-language", ["Accept-Language: en, de"], ["Accept-Language: de, en"]),
        ("accept-language", ["Accept-Language: en, de"], ["Accept-Language: eN, De"]),
        ("accept-language", ["Accept-Language: en, de"], ["Accept-Language:  en ,   de"]),
        ("accept-language", ["Accept-Language: en;q=0.5, de"], ["Accept-Language: de;q=1.000,,EN ; Q=0.50"]),
        ("accept-language", ["Accept-Language: en;q=0."], ["Accept-Language: en;q=0"]),
        ("accept", ["Accept: text/html;Level=1;q=0.3, */*"], ["Accept: */*;q=1", "Accept: TEXT/HTML; level=1;q=0.30"]),
    ]

    private static let different: [(String, [String], [String])] = [
        ("foo", ["Foo: 1"], ["Foo: 2"]), ("foo", ["Foo: 1"], []), ("foo", ["Foo:"], []),
        ("foo", ["Foo: a"], ["Foo: A"]),
        ("bar,foo", ["Foo: 1", "Bar: abc"], ["Foo: 2", "Bar: abc"]), ("bar,foo", ["Foo: 1", "Bar: abc"], []),
        ("bar,foo", ["Foo: 1"], ["Bar: 1"]), ("bar,foo", ["Bar: 1", "Foo: 23"], ["Bar: 12", "Foo: 3"]),
        ("bar,baz,foo", ["Foo: 1", "Bar: abc", "Baz: 789"], ["Foo: 1", "Baz: 789", "Bar: abcde"]),
        ("foo", ["Foo: 1, 2"], ["Foo: 2, 1"]), ("foo", ["Foo: \"1, 2\""], ["Foo: \"1,2\""]),
        ("foo", ["Foo: 1 2"], ["Foo: 12"]), ("foo", ["Foo: 1,,2"], ["Foo: 1,2"]),
        ("accept-language", ["Accept-Language: en;q=0.5"], ["Accept-Language: en"]),
        ("accept-language", ["Accept-Language: en;q=0"], ["Accept-Language: "]),
        ("accept-language", ["Accept-Language: en;q=0.5"], ["Accept-Language: en;q=0.51"]),
        ("accept-language", ["Accept-Language: en;q=2"], ["Accept-Language: en"]),
        // No weight at all, and the written form of a weight.
        ("accept-language", ["Accept-Language: en;q=500"], ["Accept-Language: en;q=0.5"]),
        ("accept-language", ["Accept-Language: en-GB"], ["Accept-Language: en"]),
        ("accept", ["Accept: a/b;c=D"], ["Accept: a/b;c=d"]),
        ("accept", ["Accept: a/b;c=\"x;q=0.1\""], ["Accept: a/b"]),
        ("accept", ["Accept: a/b;q=0.1;c=d"], ["Accept: a/b;c=d;q=0.1"]),
    ]

    @Test func equalRequestsMeetAndDifferentOnesDoNot() throws {
        for (names, one, other) in Self.same {
            #expect(try variant(names, one) == variant(names, other), "\(names): \(one), \(other)")
        }
        for (names, one, other) in Self.different {
            #expect(try variant(names, one) != variant(names, other), "\(names): \(one), \(other)")
        }
    }

    @Test func aLongListIsComparedAsItIsWritten() throws {
        let many = (0..<64).map { "l\($0)" }
        func line(_ languages: [String]) -> [String] { ["Accept-Language: " + languages.joined(separator: ",")] }
        #expect(try variant("accept-language", line(many)) == variant("accept-language", line(many.reversed())))
        let more = many + ["x"]
        #expect(try variant("accept-language", line(more)) != variant("accept-language", line(more.reversed())))
    }

    @Test(
        arguments: [
            ("1", 1000), ("1.", 1000), ("1.0", 1000), ("1.000", 1000), ("0", 0), ("0.", 0), ("0.5", 500), ("0.05", 50),
            ("0.005", 5), ("0.999", 999), ("", nil), ("2", nil), ("1.1", nil), ("1.001", nil), ("0.0000", nil),
            (".5", nil), ("-1", nil), ("0,5", nil), ("00", nil), ("0.x", nil), ("0.5 ", nil), ("2.", nil),
        ] as [(String, Int?)])
    func weightsAreThousandths(text: String, expected: Int?) {
        let bytes = Array(text.utf8)
        #expect(QualityValue.thousandths(bytes.span, 0..<bytes.count) == expected)
    }

    @Test func orderAndCaseNeverMatterInAWeightedList() {
        var generator = SeededGenerator(seed: 41)
        for round in 0..<2_000 {
            let count = Int.random(in: 1..<9, using: &generator)
            let elements = (0..<count).map { _ in
                let language = ["en", "de", "fr-CA", "*"].randomElement(using: &generator) ?? ""
                return language + ["", ";q=0.5", ";q=0", ";a=B"].randomElement(using: &generator)!
            }
            let one = elements.joined(separator: ",")
            let other = elements.shuffled(using: &generator).joined(separator: " , ")
            let upper = other.replacing("en", with: "EN").replacing("q", with: "Q")
            let normal = WeightedList.normalised(Array(one.utf8).span)
            #expect(
                normal != nil && normal == WeightedList.normalised(Array(upper.utf8).span), "seed 41, round \(round)")
        }
    }

    @Test func noBytesTrap() {
        var generator = SeededGenerator(seed: 42)
        let alphabet = Array("aQ=q;,\"\\ \t01.5".utf8)
        var (normal, odd) = (0, 0)
        for _ in 0..<20_000 {
            let list = (0..<Int.random(in: 0..<20, using: &generator)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            }
            if WeightedList.normalised(list.span) == nil { odd += 1 } else { normal += 1 }
        }
        #expect(normal > 0 && odd > 0)
    }

    @Test func languagesAreBoundedAndTheOldestGoes() {
        var languages = VariantLanguages()
        for number in 0..<9 { languages.note(Array("l\(number)".utf8), [UInt8(65 + number)]) }
        #expect(String(decoding: languages.bytes, as: UTF8.self) == "l1=B,l2=C,l3=D,l4=E,l5=F,l6=G,l7=H,l8=I")
        #expect(VariantLanguages(languages.bytes[...]) == languages)
        #expect(VariantLanguages(Array("l1=B,odd,=,a=b=c".utf8)[...]).bytes == Array("l1=B".utf8))
    }

    private func vary(_ lines: String...) -> ResponseFacts.Vary {
        var vary = ResponseFacts.Vary()
        for line in lines { vary.merge(Array(line.utf8).span) }
        return vary
    }

    private func names(_ vary: ResponseFacts.Vary) -> String { String(decoding: vary.names, as: UTF8.self) }

    @Test func theSameNamesAreTheSameAndNeedlessOnesLeftOut() {
        #expect(names(vary("Foo, BAR, foo")) == "bar,foo")
        #expect(vary("Foo, Bar") == vary("bar", "", "FOO"))
        #expect(vary("Foo") != vary("Foo, Bar"))
        #expect(vary("") == ResponseFacts.Vary() && vary(" , ") == ResponseFacts.Vary())
        #expect(names(vary("Accept-Encoding, Foo, Origin, cookie, MUSIC-USER-TOKEN, Host")) == "foo")
        #expect(!vary("Accept-Encoding").isUnbounded)
        let most = (0..<16).map { "X-\($0)" }.joined(separator: ",")
        #expect(!vary(most).isUnbounded && vary(most, "X-16").isUnbounded)
        let long = String(repeating: "a", count: 512)
        #expect(!vary(long).isUnbounded && vary(long, "b").isUnbounded && vary(long + "a").isUnbounded)
    }

    @Test(arguments: ["*", "Foo, *", "*, Foo", ", *", "Authorization", "foo bar", "Foo;q=1", "\"Foo\"", "Fo\u{E9}"])
    func fieldsThatNoKeyCanHoldAreUnbounded(line: String) {
        #expect(vary(line).isUnbounded && vary("Foo", line).isUnbounded && vary(line, "Foo").isUnbounded)
    }
}
