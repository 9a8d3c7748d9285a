import Foundation
import TestSupport
import Testing

/// A check that proves the cache must itself be able to fail.
@Suite struct ExchangeCheckTests {
    private static let stored = OriginAnswer.ok("Cache-Control: max-age=9", "A: 1", content: "first")

    /// A second exchange, after one that got `stored`.
    private func mismatches(
        _ source: Source, _ details: Detail..., answer: OriginAnswer = .ok("A: 2", content: "second"),
        asked statuses: Int?..., status: Int = 200, fields: [(name: String, value: String)], content: String
    ) -> [String] {
        let reply = HTTPTestClient.Reply(status: status, fields: fields, body: Data(content.utf8))
        let first = HTTPTestClient.Reply(status: 200, fields: [("Date", "then")], body: Data("first".utf8))
        func exchange(_ answer: OriginAnswer) -> Exchange {
            Exchange(answer: answer, source: source, details: details)
        }
        let requests = statuses.map { ConformanceOrigin.Request(method: "GET", fields: [("Foo", "1")], status: $0) }
        return ExchangeCheck(
            past: [
                SeenExchange(exchange: exchange(Self.stored), reply: first, requests: []),
                SeenExchange(exchange: exchange(answer), reply: reply, requests: requests),
            ]
        ).mismatches
    }

    private static let reused = [
        (name: "Cache-Control", value: "max-age=9"), (name: "A", value: "1"), (name: "Age", value: "3"),
        (name: "Date", value: "then"),
    ]

    @Test func aReusedAnswerIsTheStoredOne() {
        #expect(mismatches(.reused, .age(3), fields: Self.reused, content: "first").isEmpty)
        #expect(mismatches(.reused, fields: Self.reused, content: "second") == ["the content is \"second\""])
        #expect(mismatches(.reused, status: 203, fields: Self.reused, content: "first").count == 1)
        // Each of its fields has to be there.
        for name in Self.reused.map(\.name) {
            let fields = Self.reused.filter { $0.name != name }
            #expect(mismatches(.reused, fields: fields, content: "first").count == 1, "\(name)")
        }
        #expect(mismatches(.reused, asked: 200, fields: Self.reused, content: "first") == ["the origin was asked"])
    }

    @Test func anAskedAnswerIsTheOrigins() {
        #expect(mismatches(.asked, asked: 200, fields: [("A", "2")], content: "second").isEmpty)
        #expect(mismatches(.asked, fields: [("A", "2")], content: "second") == ["the origin was asked 0 times"])
        #expect(mismatches(.asked, asked: 200, 200, fields: [("A", "2")], content: "second").count == 1)
        #expect(mismatches(.asked, asked: 200, fields: [("A", "1")], content: "second") == ["a is 1, not 2"])
        #expect(mismatches(.asked, asked: nil, fields: [("A", "2")], content: "second").count == 1)
    }

    @Test func otherSourcesAreToldApart() {
        for (source, status, content, count) in [
            (Source.revalidated, 304, "first", 0), (.revalidated, 200, "first", 1), (.revalidated, 304, "second", 1),
            (.reusedStale, 503, "first", 0), (.reusedStale, 200, "first", 1),
        ] {
            let found = mismatches(source, asked: status, fields: [], content: content)
            #expect(found.count == count, "\(source) \(status) \(content)")
        }
        for (status, content, count) in [(502, "sorry", 0), (200, "first", 1), (502, "first", 1)] {
            let found = mismatches(.failed, asked: nil, status: status, fields: [], content: content)
            #expect(found.count == count, "\(status) \(content)")
        }
        #expect(mismatches(.proxy, .status(504), asked: 200, status: 504, fields: [], content: "sorry").count == 1)
    }

    @Test(arguments: [
        Detail.status(201), .content("other"), .field("A: 1"), .noField("B"), .age(4), .ageAtLeast(4), .sent("Foo: 2"),
        .method("HEAD"), .interim([103]),
    ])
    func everyDetailCanFail(detail: Detail) {
        let fields = [(name: "A", value: "2"), (name: "B", value: "2"), (name: "Age", value: "3")]
        #expect(!mismatches(.asked, detail, asked: 200, fields: fields, content: "second").isEmpty)
    }
}
