import Purging
import Testing

@testable import Store

/// A fixed moment, so that no test depends on the clock.
let noon: Int64 = 1_800_000_000

/// A text of that many bytes; `String(repeating:count:)` is much slower.
func filler(_ count: Int) -> String {
    String(decoding: [UInt8](repeating: UInt8(ascii: "x"), count: count), as: UTF8.self)
}

func key(_ target: String, _ variant: String = "") -> RecordKey {
    let target = Array("shared\0\(target)".utf8)
    return RecordKey(target + [0] + Array(variant.utf8), targetEnd: target.count, of: .none)
}

func record(
    _ target: String, _ body: String = "{}", at receivedAt: Int64 = noon,
    times: RecordFacts.Times = RecordFacts.Times(freshFor: 1_000), storefront: String = "us",
    classTag: UInt8 = 1, born: Int64 = 0, selecting: String = "", resources: [UInt64] = [], isGzip: Bool = false,
    variant: String = ""
) -> Record {
    Record(
        key: key(target, variant),
        facts: RecordFacts(
            status: 200, classTag: classTag, receivedAt: receivedAt, born: born, times: times,
            storefront: Array(storefront.utf8),
            selecting: Array(selecting.utf8), resources: resources),
        fields: Array("Content-Type: application/json\r\n".utf8)[...], body: Array(body.utf8), isGzip: isGzip)
}

/// Records of different sizes at `/0` and on.
func numbered(_ count: Int) -> [Record] {
    (0..<count).map { record("/\($0)", String(repeating: "body \($0) ", count: $0 * 20 + 1)) }
}

/// The bytes that the owner of a record gets back; nil for none.
func content(_ record: Record?) -> [UInt8]? { record.map { $0.key.bytes + $0.fields + $0.body } }

extension RecordFacts.Times {
    init(freshFor: Int, staleFor: Int = 0) {
        self.init(freshFor: freshFor, staleFor: staleFor, staleIfErrorFor: 0, keepFor: 0, initialAge: 0)
    }
}

extension Record {
    var text: String { String(decoding: body, as: UTF8.self) }
    var path: String { String(decoding: target, as: UTF8.self) }
}

extension ListedRecord {
    var path: String { String(decoding: target, as: UTF8.self) }
}

extension EntrySelection.Condition {
    static func target(_ text: String) -> Self { .target(Array(text.utf8)) }
    static func prefix(_ text: String) -> Self { .prefix(Array(text.utf8)) }
}

/// An owner without marks; what was fresh is stale after a soft purge.
struct PlainOwner: RecordOwner {
    var hears: @Sendable ([StoreMark]) -> Void = { _ in }
    var uses: @Sendable (Record) -> Bool = { _ in true }

    func note(_ marks: [StoreMark], _ dropWaiting: () -> Void) -> [StoreMark] {
        hears(marks)
        return []
    }

    var purges = Purges()

    var sweptPurges: Int64 { purges.swept }
    func verdict(on record: SelectableRecord, since swept: Int64) -> PurgeVerdict {
        purges.verdict(on: record, since: max(record.facts.born, swept))
    }
    func purgeAll() { purges.note(EntrySelection(), .hard) }

    func canUse(_ record: Record) -> Bool { uses(record) }

    func aged(_ facts: RecordFacts, at now: Int64) -> RecordFacts.Times {
        let age = max(0, Int(now - facts.receivedAt))
        return RecordFacts.Times(freshFor: 0, staleFor: facts.times.staleFor + min(facts.times.freshFor, age))
    }
}
