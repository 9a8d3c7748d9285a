import Cache
import Purging
import Store
import TestSupport
import Testing

@testable import Tier

/// Purges as entries of the log, also those that a node does not understand.
@Suite struct PurgeRecordTests {
    private static let position = LogPosition(1_700_000_123_456, 0)

    private func entry(_ words: [String]) -> [[UInt8]] { words.map { Array($0.utf8) } }

    private func read(_ words: [String]) -> PurgeRecord { PurgeRecord(reading: entry(words), at: Self.position) }

    private func isEverything(_ record: PurgeRecord) -> Bool {
        record.selection == EntrySelection() && record.mode == .soft && record.at == 1_700_000_123
            && record.node.isEmpty && !record.isUnderstood
    }

    @Test func whatIsNotUnderstoodIsNamed() {
        let head = ["v", "1", "mode", "hard", "at", "1", "by", "a"]
        #expect(read(head + ["language", "de"]).unknown == "the field language")
        #expect(read(head + ["class", "x"]).unknown == "the field class")
        #expect(read(head + ["a\nb", "x"]).unknown == "the field a_b")
        #expect(read(["v", "2"]).unknown == "the field v" && read(["v", "1"]).unknown == "an incomplete entry")
        let record = read(["v", "1", "target", "/a", "by", "a", "at", "1", "mode", "hard"])
        #expect(record.isUnderstood && record.selection == EntrySelection([.target(Array("/a".utf8))]))
        let bytes = entry(["v", "1", "mode", "hard", "at", "1", "by"]) + [[0xFF]]
        #expect(isEverything(PurgeRecord(reading: bytes, at: Self.position)))
    }

    @Test(
        arguments: [
            [], [.target(Array("/v1/catalog/us/albums/1?l=ä".utf8))], [.target([0, 0xFF, 10, 13])], [.target([])],
            [.prefix(Array("/v1/".utf8))], [.storefront(Array("us".utf8))], [.storefront([])], [.classTag(0)],
            [.pattern(PathPattern(Array("/v1/*/a".utf8))!)],
            [.classTag(255)], [.resource(0)], [.resource(.max)], [.resource(0x0123_4567_89AB_CDEF)],
            [.prefix([47]), .prefix([47, 97]), .storefront(Array("us".utf8)), .classTag(3), .resource(9)],
        ] as [[EntrySelection.Condition]])
    func writtenValuesAreRead(conditions: [EntrySelection.Condition]) throws {
        for mode in [PurgeMode.hard, .soft] {
            let record = try #require(PurgeRecord(EntrySelection(conditions), mode, at: noon, by: "knoten-ä"))
            let found = PurgeRecord(reading: record.fields, at: Self.position)
            #expect(found == record && found.isUnderstood && found.node == "knoten-ä" && found.at == noon)
        }
    }

    /// The format must not change while other versions read it.
    @Test func aRecordIsWrittenLikeThis() throws {
        let selection = EntrySelection([
            .target(Array("/a".utf8)), .prefix(Array("/b".utf8)), .pattern(PathPattern(Array("/c*".utf8))!),
            .storefront(Array("us".utf8)), .classTag(7), .resource(255),
        ])
        let record = try #require(PurgeRecord(selection, .hard, at: 1_800_000_000, by: "n"))
        #expect(
            record.fields.map { String(decoding: $0, as: UTF8.self) } == [
                "v", "1", "mode", "hard", "at", "1800000000", "by", "n", "target", "/a", "prefix", "/b", "match", "/c*",
                "storefront", "us", "class", "7", "resource", "00000000000000ff",
            ])
        #expect(PurgeRecord(EntrySelection(), .dryRun, at: noon, by: "a") == nil)
        let early = try #require(PurgeRecord(EntrySelection(), .soft, at: -5, by: "a"))
        #expect(PurgeRecord(reading: early.fields, at: Self.position) == early && early.at == 0)
    }

    /// Entries of later versions, and damaged ones; `*` is a whole entry.
    @Test(arguments: [
        "", "v", "v,1", "v,1,mode,hard", "v,1,mode,hard,at,1", "v,1,mode,hard,by,a", "v,1,at,1,by,a",
        "mode,hard,at,1,by,a",
        // Another version, even with the same fields.
        "v,2,mode,hard,at,1,by,a,target,/a", "v,,mode,hard,at,1,by,a", "v,01,mode,hard,at,1,by,a",
        "v,1.1,mode,hard,at,1,by,a", "V,1,mode,hard,at,1,by,a", "mode,hard,v,1,at,1,by,a", "v,1,*",
        // A condition that this program does not know, alone and with one that it knows.
        "*,language,de", "*,target,/a,language,de", "*,language,de,target,/a", "*,Target,/a", "*,,",
        // Another mode.
        "v,1,mode,softer,at,1,by,a", "v,1,mode,dryRun,at,1,by,a", "v,1,mode,,at,1,by,a", "v,1,mode,Hard,at,1,by,a",
        // A field twice.
        "*,mode,hard", "*,at,1", "*,by,a",
        // Values out of bounds.
        "v,1,mode,hard,at,-1,by,a", "v,1,mode,hard,at,,by,a", "v,1,mode,hard,at,1.5,by,a", "v,1,mode,hard,at, 1,by,a",
        "v,1,mode,hard,at,9223372036854775808,by,a", "*,class,256", "*,class,albums", "*,class,-1",
        "*,resource,songs:1", "*,resource,00000000000000FF", "*,resource,+0000000000000ff",
        "*,resource,0000000000000000ff",
        // A name without a value.
        "*,target",
    ])
    func anUnknownEntryPurgesEverything(text: String) {
        let whole = text.replacing("*", with: "v,1,mode,hard,at,1,by,a")
        let words = whole.isEmpty ? [] : whole.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        #expect(isEverything(read(words)))
    }

    /// Whatever the bytes are: understood to the last, or a purge of everything.
    @Test(arguments: [1, 2] as [UInt64])
    func nothingIsPurgedLess(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let whole = try #require(
            PurgeRecord(EntrySelection([.target(Array("/a".utf8)), .classTag(3)]), .hard, at: noon, by: "a")
        ).fields
        for _ in 0..<5_000 {
            var fields = whole
            let place = Int.random(in: 0..<fields.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: fields.remove(at: place)
            case 1: fields.insert([.random(in: 0 ... .max, using: &generator)], at: place)
            case 2: fields[place].append(.random(in: 0 ... .max, using: &generator))
            default: fields.swapAt(place, Int.random(in: 0..<fields.count, using: &generator))
            }
            let record = PurgeRecord(reading: fields, at: Self.position)
            #expect(isEverything(record) || record.isUnderstood && isRead(fields), "seed \(seed): \(fields)")
        }
    }

    /// Whether the entry says every thing once, by names that are known.
    private func isRead(_ fields: [[UInt8]]) -> Bool {
        let names = stride(from: 0, to: fields.count, by: 2).map { String(decoding: fields[$0], as: UTF8.self) }
        let known = ["at", "by", "class", "mode", "target", "v"]
        return fields.count.isMultiple(of: 2) && names.allSatisfy(known.contains) && Set(names).count == names.count
            && names.first == "v" && fields[1] == [UInt8(ascii: "1")]
    }
}
