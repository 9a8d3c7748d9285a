import Testing

@testable import Admin
@testable import Cache
@testable import Compose
@testable import Freshness
@testable import HTTP
@testable import Proxy
@testable import refrain

/// The reference is written for people and held to the program's own tables, both ways.
@Suite struct ReferencePageTests {
    private let page: Page

    init() throws {
        page = try Page("Sources/Documentation/REFERENCE.md")
    }

    /// The page has every name that operators meet in a header, a log or a metric, and no other.
    private func expect(_ section: String, _ expected: [[String]], columns: Int = .max) {
        let rows = page.table(under: section).map { Array($0.prefix(columns)) }
        for row in expected where !rows.contains(row) {
            let line = "| " + row.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
            Issue.record("\(page.name), \(section): this is missing, or says something else: \(line)")
        }
        for row in rows where !expected.contains(row) {
            Issue.record("\(page.name), \(section): there is no such thing in the program: \(row)")
        }
        #expect(rows == expected, "\(section): in another order")
    }

    private func code(_ text: String) -> String { "`\(text)`" }

    @Test func outcomes() {
        expect("Outcomes", Outcome.allCases.map { [code($0.name), $0.meaning] })
    }

    @Test func reasons() {
        expect("Reasons", Reason.allCases.map { [code($0.text)] }, columns: 1)
        #expect(page.table(under: "Reasons").allSatisfy { $0.count == 3 })
    }

    @Test func refusals() {
        let rows = page.table(under: "Refusals")
        // The other two are about answers of the origin.
        for error in ParseError.allCases where error != .statusLine && error != .truncated {
            let word = code(error.reason.lowercased().replacing(" ", with: "-"))
            let found = rows.filter { $0[1].contains(word) }.map { $0[0] }
            #expect(found == ["\(error.status)"], "\(word)")
        }
    }

    @Test func whatKeptAnswersFromBeingComposed() throws {
        let section = "What kept an answer from being composed"
        expect(section, Lack.allCases.map { [code($0.word)] }, columns: 1)
        for row in page.table(under: section) {
            try #require(row.count == 2)
            // At the end, in brackets, where it is not one of three.
            let tried = row[1].firstMatch(of: /\((`[a-z]+`(?:, `[a-z]+`)*)\)$/).map { String($0.output.1) } ?? ""
            let words = tried.split(separator: ", ").map { $0.replacing("`", with: "") }
            #expect(words.allSatisfy { word in Refusal.Rule.allCases.contains { "\($0.word)" == word } }, "\(row)")
        }
    }

    @Test func purposes() {
        expect("Purposes", UpstreamPurpose.allCases.map { [code($0.name)] }, columns: 1)
    }

    @Test func metrics() {
        expect(
            "Metrics",
            MetricFamily.table.map { family in
                let labels = family.labels.map(code).joined(separator: ", ")
                return [code(family.name), labels.isEmpty ? family.help : "\(family.help) (\(labels))"]
            })
    }

    /// The page tells the kinds by the ends of the names.
    @Test func theNameOfAMetricTellsItsKind() {
        for family in MetricFamily.table {
            let kind: MetricFamily.Kind =
                if family.name.hasSuffix("_total") {
                    .counter
                } else if family.name.hasSuffix("_duration_seconds") {
                    .histogram
                } else {
                    family.name.hasSuffix("_latency_seconds") ? .summary : .gauge
                }
            #expect(family.kind == kind, "\(family.name)")
        }
    }

    @Test func endpoints() {
        expect(
            "Admin endpoints",
            AdminEndpoint.table.map { endpoint in
                let methods = endpoint.methods.map { "\($0.text)" }
                var notes = methods == ["GET"] ? [] : methods
                if endpoint.audience == .anyone {
                    notes.append("anyone")
                } else if endpoint.writes {
                    notes.append("who may write")
                }
                let note = notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"
                return [code(endpoint.path), endpoint.summary + note]
            })
    }

    @Test func exitCodes() {
        expect("Exit codes", ExitStatus.allCases.map { ["\($0.rawValue)"] }, columns: 1)
    }

    @Test func directives() {
        expect(
            "Directives",
            Directive.table.map { directive in
                let standard = directive.defaults.map(code).joined(separator: "<br>")
                let arguments = code(directive.arguments) + (standard.isEmpty ? "" : " (\(standard))")
                let why = directive.why.replacing("; a change needs a restart", with: " (restart)")
                return [code(directive.name), arguments, why]
            })
    }
}
