import TestSupport
import Testing
import Text

@testable import AppleMusic

private func scan(_ text: String) -> DocumentScan { DocumentScan(Array(text.utf8).span) }

private func scanned(_ text: String) -> ResourceDocument? { scan(text).document }

@Suite struct DocumentScanTests {
    private static let album = #"""
        {"data":[{"id":"1","type":"albums","href":"/v1/catalog/us/albums/1","attributes":{"name":"é\u00e9","trackCount":2},
        "relationships":{"artists":{"href":"/a","data":[{"id":"7","type":"artists","relationships":{"albums":{"data":[
        {"id":"1","type":"albums"}],"next":"/n"}}}]},"tracks":{"data":[{"id":"2","type":"songs"},{"id":"3","type":"songs"}]}},
        "views":{"related":{"data":[{"id":"9","type":"albums"}]}}}],"next":"/v1/x?offset=1","meta":{}}
        """#

    /// Each answer of a gateway that writes the mark was "no valid answer", and asked for again.
    @Test func aByteOrderMarkIsPassedOver() throws {
        let (plain, marked) = (scan(Self.album), scan("\u{FEFF}" + Self.album))
        #expect(marked.isAnswer && marked.mentions == plain.mentions)
        let (document, before) = (try #require(marked.document), try #require(plain.document))
        #expect(document.objects.count == before.objects.count)
        #expect(document.envelope.data.range.lowerBound == before.envelope.data.range.lowerBound + 3)
        #expect(scan("\u{FEFF}{\"results\":{}}").isAnswer && scan("\u{FEFF} {\"data\":[]}").isAnswer)
        for text in ["\u{FEFF}", "\u{FEFF}\u{FEFF}{}", "{\u{FEFF}}", "\u{FEFF}{\"data\":{}}"] {
            #expect(!scan(text).isAnswer, "\(text.utf8.count) bytes")
        }
    }

    @Test func anEmptyListHasARangeAndNoElements() throws {
        let text = #"{"data":[ ],"next":""}"#
        let envelope = try #require(scanned(text)).envelope
        #expect(envelope.data.range == 8..<11 && envelope.firstElement == envelope.endElement)
        #expect(envelope.next.range == 19..<21 && envelope.otherMembers == 0)
        let relation = try #require(
            scanned(#"{"data":[{"id":"1","type":"a","relationships":{"x":{"data":[]},"y":{}}}]}"#)
        ).relations
        #expect(relation[0].data.count == 2 && relation[0].firstElement == relation[0].endElement)
        #expect(relation[1].data.isEmpty && relation[1].firstElement == relation[1].endElement)
        for text in ["{}", " { } ", #"{"errors":[{"id":"X","status":"404"}]}"#, #"{"results":{}}"#] {
            let document = try #require(scanned(text))
            #expect(document.objects.isEmpty && document.envelope.data.isEmpty)
        }
    }

    @Test func namesHaveNumbersWhateverTheirOrderOrSpelling() throws {
        func names(_ attributes: String) throws -> UInt64 {
            try #require(scanned(#"{"data":[{"id":"1","type":"a","attributes":{\#(attributes)}}]}"#)).objects[0]
                .attributeNames
        }
        let name = try names(#""url":1,"name":2,"isAppleDigitalMaster":3"#)
        #expect(try names(#""name":1,"isAppleDigit\u0061lMaster":[],"u\u0072l":{}"#) == name)
        #expect(try names(#""name":1,"isAppleDigitalMaster":[],"urL":{}"#) != name)
        #expect(try names("") == 0)
        var seen: Set<UInt64> = []
        for count in 0..<200 {
            for last in [UInt8(0), 0x61, 0x7A] {
                seen.insert(ResourceDocument.nameNumber((Array(repeating: 0x61, count: count) + [last]).span))
            }
        }
        #expect(seen.count == 600)
    }

    /// The words of a name are loaded otherwise where the text ends soon after it.
    @Test func aNameHasOneNumberWhereverItIs() {
        for count in 0..<50 {
            let name = (0..<count).map { UInt8($0 % 26) + 0x61 }
            let number = ResourceDocument.nameNumber(name.span)
            for behind in 0..<20 {
                let bytes = [0x22] + name + Array(repeating: 0x22, count: behind)
                #expect(MemberName(bytes.span, 1, 1 + count).number == number)
            }
        }
    }

    // MARK: Bytes that are no document

    @Test(arguments: [
        #"{"a":1,"a":2}"#, #"{"a":1,"b":{},"a":2}"#, #"{"x":[{"meta":{"y":{"":1,"":2}}}]}"#,
        #"{"data":[{"id":"1","type":"a","id":"1"}]}"#,
        #"{"data":[{"id":"1","type":"a","attributes":{"name":1,"name":1}}]}"#,
        #"{"data":[{"id":"1","type":"a","relationships":{"x":{},"x":{}}}]}"#,
    ])
    func aNameTwiceInOneObject(text: String) {
        #expect(scanned(text) == nil)
        #expect(scan(text).mentions != [ResourceMention.everything])
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0xAF], [0xC2], [0xC2, 0x22], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xFE],
            [0xF0, 0x80, 0x80, 0xAF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x8E], [0xFF],
        ] as [[UInt8]])
    func bytesThatAreNoUTF8(broken: [UInt8]) throws {
        for padding in 0..<20 {
            let space = Array(repeating: UInt8(ascii: "x"), count: padding)
            for (start, end) in [(#"{"a":""#, #""}"#), (#"{""#, #"":1}"#), (#"{"data":[{"type":"a","id":""#, #""}]}"#)]
            {
                let bytes = Array(start.utf8) + space + broken + space + Array(end.utf8)
                #expect(DocumentScan(bytes.span).document == nil, "\(start) \(padding)")
            }
        }
        #expect(scanned(#"{"a":"\u007fé€🎵\uD7FF\uE000߿ࠀ￿\#("\u{10FFFF}\u{10000}")"}"#) != nil)
    }

    @Test func utf8IsJudgedAsTheStandardLibraryJudgesIt() {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<20_000 {
            var bytes = Array(
                ["é日🎵a", "aaaaaaaaaaaaé", "\u{7FF}\u{800}\u{FFFF}\u{10000}"].randomElement(using: &random)!.utf8)
            for _ in 0..<Int.random(in: 0..<3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            #expect(bytes.span.isUTF8(0, bytes.count) == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
        }
    }

    @Test(arguments: [
        #"\ud800"#, #"\udc00"#, #"\ud83cx"#, #"\ud83c\n"#, #"\ud83c\ud83c\udfb5"#, #"\udfb5\ud83c"#, #"\uDBFF\uE000"#,
    ])
    func halfOfASurrogatePair(half: String) {
        for text in [#"{"a":"\#(half)"}"#, #"{"\#(half)":1}"#, #"{"a":{"b":["\#(half)"]}}"#] {
            #expect(scanned(text) == nil)
            #expect(scan(text).mentions.isEmpty)
        }
        #expect(scanned(#"{"a":"\ud83c\udfb5"}"#) != nil)
    }

    @Test(arguments: ["1", "null", "{}", "[]", "true", "\"\"", #""\u0031""#, #""a\n""#])
    func anIdOrATypeThatIsNoPlainString(value: String) throws {
        for text in [
            #"{"data":[{"id":\#(value),"type":"a"}]}"#, #"{"data":[{"type":\#(value),"id":"1"}]}"#,
            #"{"data":[{"id":"1","type":"a","relationships":{"x":{"data":[{"id":\#(value),"type":"a"}]}}}]}"#,
            #"{"results":{"songs":{"data":[{"id":"1","type":\#(value)}]}}}"#,
        ] {
            #expect(scanned(text) == nil, "\(text)")
            #expect(try scan(text).mentions == numbers(namedBy: JSON.parse(Array(text.utf8))))
        }
    }

    @Test(arguments: [
        "[]", #"[{"id":"1","type":"a"}]"#, "1", "\"x\"", "null", "", " ", "<html>", #"{"data":[],"d\u0061ta":[]}"#,
        #"{"\u00e9":1,"é":2}"#, #"{"\ud83c\udfb5":1,"🎵":2}"#, #"{"\/":1,"/":2}"#,
        #"{"isAppleDigitalMaster":1,"isAppleDigitalMast\u0065r":2}"#,
        #"{"data":{"id":"1","type":"a"}}"#, #"{"data":null}"#, #"{"data":"x"}"#, #"{"data":[1]}"#, #"{"data":["x"]}"#,
        #"{"data":[[]]}"#, #"{"data":[null]}"#, #"{"data":[{}]}"#, #"{"data":[{"id":"1"}]}"#,
        #"{"data":[{"type":"a"}]}"#,
        #"{"next":1}"#, #"{"next":null}"#, #"{"next":{}}"#, #"{"next":[]}"#, #"{"next":"\/v1"}"#,
        #"{"results":{"songs":{"data":[{"id":"1"}]}}}"#, #"{"results":{"songs":[{"data":[3]}]}}"#,
    ])
    func textsThatTheAPIDoesNotMakeAreNoDocument(text: String) {
        #expect(scanned(text) == nil)
    }

    @Test(arguments: [
        #""relationships":null"#, #""relationships":[]"#, #""relationships":"x""#, #""relationships":{"x":null}"#,
        #""relationships":{"x":[]}"#, #""relationships":{"x":"y"}"#, #""relationships":{"id":"y"}"#,
        #""relationships":{"x":{"data":null}}"#, #""relationships":{"x":{"data":{"id":"1","type":"a"}}}"#,
        #""relationships":{"x":{"data":"y"}}"#, #""relationships":{"x":{"data":[1]}}"#,
        #""relationships":{"x":{"data":[{"id":"1"}]}}"#, #""relationships":{"x":{"next":null}}"#,
        #""relationships":{"x":{"next":"\/"}}"#, #""relationships":{"x":{"next":[]}}"#,
        #""relationships":{"x":{"href":1}}"#, #""attributes":null"#, #""attributes":[]"#, #""attributes":"x""#,
        #""href":null"#, #""href":{}"#, #""href":[]"#,
    ])
    func aResourceThatTheAPIDoesNotMake(member: String) {
        let text = #"{"data":[{"id":"1","type":"a",\#(member)}]}"#
        #expect(scanned(text) == nil)
        #expect(scan(text).mentions.contains(ResourceMention.number(type: "a", id: "1")))
    }

    // MARK: Bounds

    private static func nested(_ depth: Int) -> String {
        #"{"a":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
    }

    @Test func depth128IsADocumentAnd129IsNone() {
        #expect(scanned(Self.nested(128)) != nil)
        #expect(scanned(Self.nested(129)) == nil && scan(Self.nested(129)).mentions == [ResourceMention.everything])
        for text in [String(repeating: "[", count: 1_000_000), String(repeating: #"{"a":"#, count: 1_000_000)] {
            #expect(scanned(text) == nil && scan(text).mentions == [ResourceMention.everything])
        }
        func nested(_ count: Int) -> String {
            (0..<count).reduce(#"{"id":"1","type":"a"}"#) { inner, _ in
                #"{"id":"1","type":"a","relationships":{"x":{"data":[\#(inner)]}}}"#
            }
        }
        #expect(scanned(#"{"data":[\#(nested(31))]}"#)?.objects.count == 32)
        #expect(scan(#"{"data":[\#(nested(31))]}"#).mentions == [ResourceMention.number(type: "a", id: "1")])
        #expect(scanned(#"{"data":[\#(nested(32))]}"#) == nil)
    }

    @Test func aDocumentHas4096ResourcesAndNoMore() {
        func list(_ count: Int) -> String {
            #"{"data":["# + Array(repeating: #"{"id":"1","type":"a"}"#, count: count).joined(separator: ",") + "]}"
        }
        #expect(scanned(list(4_096))?.objects.count == 4_096)
        #expect(scanned(list(4_097)) == nil)
        #expect(scan(list(4_097)).mentions == [ResourceMention.number(type: "a", id: "1")])
    }

    @Test func aDocumentHas16384RelationsAndNoMore() {
        func list(_ last: Int) -> String {
            let full = (0..<256).map { #""r\#($0)":{}"# }.joined(separator: ",")
            let rest = (0..<last).map { #""r\#($0)":{}"# }.joined(separator: ",")
            let resources =
                Array(repeating: #"{"id":"1","type":"a","relationships":{\#(full)}}"#, count: 64)
                + [#"{"id":"1","type":"a","relationships":{\#(rest)}}"#]
            return #"{"data":[\#(resources.joined(separator: ","))]}"#
        }
        #expect(scanned(list(0))?.relations.count == 16_384)
        #expect(scanned(list(1)) == nil)
    }

    @Test func aDocumentHas256MembersAndNoMore() {
        func wide(_ count: Int) -> String {
            "{" + (0..<count).map { "\"m\($0)\":\($0)" }.joined(separator: ",") + "}"
        }
        #expect(scanned(wide(256)) != nil)
        #expect(scanned(wide(257)) == nil && scan(wide(257)).mentions.isEmpty)
        #expect(scanned(#"{"meta":\#(wide(100_000))}"#) == nil)
    }

    @Test func numbersAndStringsOfAnySizeArePassedOver() throws {
        let digits = String(repeating: "9", count: 1_000_000)
        for number in [digits, "-\(digits).\(digits)e+\(digits)", "1e\(digits)", "0.\(digits)"] {
            #expect(scanned(#"{"a":\#(number),"b":[\#(number)]}"#) != nil)
            #expect(scanned(#"{"a":\#(number)x}"#) == nil)
        }
        let long = String(repeating: "é", count: 500_000)
        let text = #"{"data":[{"id":"\#(long)","type":"a","attributes":{"\#(long)":"\#(long)","x":"\\\#(long)"}}]}"#
        let object = try #require(scanned(text)).objects[0]
        #expect(object.id.count == 1_000_002)
        #expect(object.number == ResourceMention.number(type: "a", id: long))
        let escapes = String(repeating: #"\u00e9"#, count: 200_000)
        #expect(scanned(#"{"\#(escapes)":"\#(escapes)"}"#) != nil)
        #expect(scanned(#"{"\#(escapes)":1,"\#(String(repeating: "é", count: 200_000))":1}"#) == nil)
    }

    @Test func noTextCutShortIsADocument() {
        let bytes = Array(Self.album.utf8)
        for count in 0..<bytes.count {
            let scan = DocumentScan(bytes.span.extracting(0..<count))
            #expect(scan.document == nil && !scan.isAnswer, "\(count) bytes")
            #expect(scan.mentions == (count == 0 ? [] : [ResourceMention.everything]), "\(count) bytes")
        }
        #expect(DocumentScan(bytes.span).document != nil && DocumentScan(bytes.span).isAnswer)
    }

    // MARK: Properties

    @Test(arguments: 1...TestSize.of(40, release: 250) as ClosedRange<UInt64>)
    func rangesHoldWhatTheParserFinds(seed: UInt64) throws {
        var random = RandomDocument(seed: seed)
        let value = random.document()
        let bytes = random.spell(value)
        let source: Comment = "seed \(seed)"
        #expect(try JSON.parse(bytes) == value, source)
        let scan = DocumentScan(bytes.span)
        let document = try #require(scan.document, source)
        try ScannedText(bytes: bytes, document: document).expect(value, source)
        #expect(scan.mentions == numbers(namedBy: value), source)
    }

    /// Whatever damage does, there is a document only where the parser finds one value, and its
    /// ranges hold values; the same resources are named, or everything.
    @Test(arguments: 1...TestSize.of(200, release: 1_000) as ClosedRange<UInt64>)
    func aDamagedDocumentIsRefusedOrHoldsWhatTheParserFinds(seed: UInt64) throws {
        var random = RandomDocument(seed: seed)
        var bytes = random.spell(random.document())
        let damage = Array("{}[]\",:\\u0eE.-tfnid \u{0}\u{1F}".utf8) + [0x80, 0xC3, 0xFF]
        for _ in 0..<Int.random(in: 1...3, using: &random.random) {
            bytes[Int.random(in: 0..<bytes.count, using: &random.random)] = damage.randomElement(using: &random.random)!
        }
        let scan = DocumentScan(bytes.span)
        let value: JSON
        do throws(JSONError) { value = try JSON.parse(bytes) } catch {
            #expect(scan.document == nil, "seed \(seed)")
            // A fault that only a reader of the string would notice.
            if error.reason == .invalidUTF8 || error.reason == .loneSurrogate { return }
            let first = bytes.first { !" \t\r\n".utf8.contains($0) }.map { Character(Unicode.Scalar($0)) }
            let mayName = first == "{" || first == "["
            return #expect(scan.mentions == (mayName ? [ResourceMention.everything] : []), "seed \(seed): \(error)")
        }
        #expect(scan.mentions == numbers(namedBy: value), "seed \(seed)")
        guard let document = scan.document else { return }
        try ScannedText(bytes: bytes, document: document).expect(value, "seed \(seed)")
    }

    @Test(.requires(.sharedMaterial))
    func recordedAnswersAreDocuments() throws {
        var (answers, resources, refused) = (0, 0, 0)
        for (name, bytes) in try SharedMaterial.recordedAnswers() {
            guard let value = try? JSON.parse(bytes) else { continue }
            let scan = DocumentScan(bytes.span)
            #expect(scan.mentions == numbers(namedBy: value), "\(name)")
            guard value.objectValue != nil else { continue }
            guard DocumentWalk(value).holdsResourcesOnly else {
                #expect(scan.document == nil, "\(name)")
                refused += 1
                continue
            }
            let document = try #require(scan.document, "\(name)")
            try ScannedText(bytes: bytes, document: document).expect(value, "\(name)")
            answers += 1
            resources += document.objects.count
        }
        #expect(answers > 200 && resources > 2_000 && refused < 3, "\(answers), \(resources), \(refused)")
    }
}
