import Purging
import Testing

@testable import Store

/// A fixed moment, so that no test depends on the clock.
let noon: Int64 = 1_800_000_000

func filler(_ count: Int) -> String {
    String(decoding: [UInt8](repeating: UInt8(ascii: "x"), count: count), as: UTF8.self)
}

func record(
    _ target: String, _ body: String = "{}", at receivedAt: Int64 = noon,
    times: RecordFacts.Times = RecordFacts.Times(
        freshFor: 1_000, staleFor: 0, staleIfErrorFor: 0, keepFor: 0, initialAge: 0), storefront: String = "us",
    classTag: UInt8 = 1, born: Int64 = 0, selecting: String = "", resources: [UInt64] = [], isGzip: Bool = false,
    variant: String = ""
) throws -> Record {
    Record(
        key: try #require(RecordKey(target: Array(target.utf8), variant: Array(variant.utf8))),
        facts: RecordFacts(
            status: 200, classTag: classTag, receivedAt: receivedAt, born: born, times: times,
            storefront: Array(storefront.utf8),
            selecting: Array(selecting.utf8), resources: resources),
        fields: Array("Content-Type: application/json\r\n".utf8)[...], body: Array(body.utf8), isGzip: isGzip)
}

/// An owner without marks; a soft purge ends all durations.
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
        RecordFacts.Times(freshFor: 0, staleFor: 0, staleIfErrorFor: 0, keepFor: 0, initialAge: 0)
    }
}
