import Testing

@testable import Tier

@Suite struct PurgeLogQueryTests {
    private static let stored = RESPReply.bulk("0123456789abcdef")
    private static let noStream = RESPReply.error(code: "ERR", text: "no such key")

    private static func info(_ mark: String = "fedcba9876543210aaaa", replicas: String = "0") -> RESPReply {
        .bulk("# Replication\r\nrole:master\r\nconnected_slaves:\(replicas)\r\nmaster_replid:\(mark)\r\n")
    }

    private static func stream(
        _ last: String = "9-0", length: Int64 = 2, added: Int64 = 2,
        first: RESPReply = .array([.bulk("5-0"), .array([])])
    ) -> RESPReply {
        .array([
            .bulk("length"), .integer(length), .bulk("last-generated-id"), .bulk(last), .bulk("entries-added"),
            .integer(added), .bulk("first-entry"), first,
        ])
    }

    private static func entry(_ id: String, _ fields: [[UInt8]]) -> RESPReply {
        .array([.bulk(id), .array(fields.map { .bulk($0) })])
    }

    private func answer(_ parts: RESPReply..., place: RESPReply = .array([])) -> PurgeLogQuery.Answer {
        PurgeLogQuery.answer([.array([place] + parts)])
    }

    /// The stored number and the engine's half of a mark together.
    private static let both = LogEpoch(number: 0x0123_4567_89AB_CDEF ^ 0xFEDC_BA98_7654_3210)

    @Test func aPageIsAskedForByOneScript() {
        let keys = TierKeys(prefix: "p")
        let commands = PurgeLogQuery.commands(keys, after: LogPosition(5, 1), place: LogPosition(4, 0))
        let words = commands.map { $0.words.map { String(decoding: $0, as: UTF8.self) } }
        let names = [keys.purges, keys.epoch].map { String(decoding: $0, as: UTF8.self) }
        #expect(words.count == 1 && words[0][0] == "EVAL")
        #expect(Array(words[0].dropFirst(2)) == ["2", names[0], names[1], "4-0", "(5-1", "512"])
        let beginning = PurgeLogQuery.beginning(TierKeys(prefix: "p")).words
        #expect(beginning.count == 4 && LogEpoch(beginning[2]) != nil && beginning[3] == Array("NX".utf8))
    }

    @Test func aPageIsReadWhateverItsEntriesAre() {
        let record = purge(.target(Array("/a".utf8)))
        let found = answer(
            .array([Self.entry("9-0", record.fields)]), Self.stored, Self.stream(added: 3), Self.info(),
            place: .array([Self.entry("5-0", record.fields)]))
        let page = PurgeLogPage(
            epoch: Self.both, stored: epoch, place: PurgeLogEntry(LogPosition(5, 0), record),
            first: LogPosition(5, 0), last: LogPosition(9, 0), hasForgotten: true,
            entries: [PurgeLogEntry(LogPosition(9, 0), record)])
        #expect(found == .page(page))
        let odd = answer(.array([Self.entry("9-0", [[1], [2]])]), Self.stored, Self.stream(), Self.info())
        guard case .page(let read) = odd else {
            Issue.record("\(odd)")
            return
        }
        #expect(read.entries.map(\.record.isUnderstood) == [false])
    }

    private static func empty(last: LogPosition, hasForgotten: Bool) -> PurgeLogPage {
        PurgeLogPage(
            epoch: both, stored: epoch, place: nil, first: nil, last: last, hasForgotten: hasForgotten, entries: [])
    }

    @Test func anEmptyLogHasTheEpochOfItsEngine() {
        let found = answer(.array([]), Self.stored, Self.noStream, Self.info())
        #expect(found == .page(Self.empty(last: .start, hasForgotten: false)))
        let trimmed = answer(.array([]), Self.stored, Self.stream(length: 0, added: 2, first: .array(nil)), Self.info())
        #expect(trimmed == .page(Self.empty(last: LogPosition(9, 0), hasForgotten: true)))
        let one = answer(.array([]), Self.stored, Self.noStream, Self.info())
        let other = answer(.array([]), Self.stored, Self.noStream, Self.info("fedcba9876543211aaaa"))
        #expect(one != other)
        #expect(EngineHistory(Self.info(replicas: "3"))?.replicas == 3)
        #expect(answer(.array([]), .bulk(nil), Self.noStream, Self.info()) == .noEpoch)
    }

    @Test func unreadableRepliesAreNoPage() {
        let wrong = RESPReply.error(code: "WRONGTYPE", text: "")
        let page = (RESPReply.array([]), Self.stored, Self.stream(), Self.info())
        let answers: [PurgeLogQuery.Answer] = [
            PurgeLogQuery.answer([]), PurgeLogQuery.answer([.error(code: "LOADING", text: "")]),
            PurgeLogQuery.answer([.error(code: "NOPERM", text: "")]),
            PurgeLogQuery.answer([.array(nil)]), answer(wrong, page.1, page.2, page.3),
            answer(page.0, wrong, page.2, page.3), answer(page.0, page.1, wrong, page.3),
            answer(page.0, .bulk("x"), page.2, page.3), answer(page.0, page.1, page.2, .bulk("role:master\r\n")),
            answer(page.0, page.1, .array([]), page.3), answer(.array([.bulk("x")]), page.1, page.2, page.3),
            answer(.array(nil), page.1, page.2, page.3), answer(page.0, page.1, page.2),
            // A stream that has gone between two replies of one transaction is a slip.
            answer(.array([Self.entry("9-0", [])]), page.1, Self.noStream, page.3),
        ]
        for (index, answer) in answers.enumerated() {
            guard case .unusable = answer else {
                Issue.record("\(index): \(answer)")
                continue
            }
        }
        #expect(answers[2] == .unusable("NOPERM") && answers[4] == .unusable("WRONGTYPE"))
    }
}
