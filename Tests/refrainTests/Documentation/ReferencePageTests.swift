import Testing

@testable import Admin
@testable import Cache
@testable import Compose
@testable import Freshness
@testable import HTTP
@testable import Proxy
@testable import Recording
@testable import Store
@testable import Tier
@testable import refrain

/// The reference is written for people and held to the program's own tables, both ways.
@Suite struct ReferencePageTests {
    private let page: Page

    init() throws { page = try Page("Sources/Documentation/REFERENCE.md") }

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

    @Test func outcomesReasonsPurposesAndExitCodes() {
        expect("Outcomes", Outcome.allCases.map { [code($0.name), $0.meaning] })
        expect("Reasons", Reason.allCases.map { [code($0.text)] }, columns: 1)
        #expect(page.table(under: "Reasons").allSatisfy { $0.count == 3 })
        expect("Purposes", UpstreamPurpose.allCases.map { [code($0.name)] }, columns: 1)
        expect("Exit codes", ExitStatus.allCases.map { ["\($0.rawValue)"] }, columns: 1)
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

    /// `tail --reason` refused no word, and takes those of the page alone.
    @Test func everyDetailOfARefusalIsAReasonToFilterBy() throws {
        let fact = try #require(RequestCondition.facts.first { $0.name == "reason" })
        for row in page.table(under: "Refusals") {
            let words = row[1].matches(of: /`([a-z-]+)`/).map { String($0.output.1) }
            for word in words where word != "tls" {
                #expect(throws: Never.self, "\(word)") { try fact.condition(word) }
            }
        }
    }

    @Test func whatKeptAnswersFromBeingComposed() throws {
        let section = "What kept an answer from being composed"
        expect(section, MissReason.allCases.map { [code($0.word)] }, columns: 1)
        for row in page.table(under: section) {
            try #require(row.count == 2)
            // At the end, in brackets, where it is not one of three.
            let tried = row[1].firstMatch(of: /\((`[a-z]+`(?:, `[a-z]+`)*)\)$/).map { String($0.output.1) } ?? ""
            let words = tried.split(separator: ", ").map { $0.replacing("`", with: "") }
            #expect(words.allSatisfy { word in Refusal.Rule.allCases.contains { "\($0.word)" == word } }, "\(row)")
        }
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
            #expect(family.name.wholeMatch(of: /(refrain|process)_[a-z0-9_]+/) != nil)
            #expect(!family.help.isEmpty && !family.help.hasSuffix(".") && !family.help.contains("\n"))
        }
        #expect(Set(MetricFamily.table.map(\.name)).count == MetricFamily.table.count)
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

/// The example file is written for people and held to the table by these tests.
@Suite struct ExampleFileTests {
    private let text: String

    init() throws { text = try Page.text("proxy.conf.example") }

    @Test func isAConfigurationOfTheDefaults() throws {
        #expect(try read(text).configuration == ConfigurationReader.standard().configuration)
    }

    @Test(arguments: Directive.table.map(\.name)) func showsEachDirectiveWithItsDefaultAndWhy(_ name: String) throws {
        let directive = try #require(Directive.named(name))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let expected =
            directive.defaults.isEmpty
            ? ["# \(name) \(directive.arguments)"] : directive.defaults.map { "\(name) \($0)" }
        let first = try #require(lines.firstIndex(of: expected[0]), "\(expected[0])")
        #expect(Array(lines[first..<(first + expected.count)]) == expected)
        #expect(lines[first - 1] == "# \(directive.why)")
    }
}

/// Names that operators' files, scripts and dashboards hold on to are not taken from them.
@Suite struct CompatibilityPageTests {
    /// Sections of pages that are held to the code by tests of their own, by the word that
    /// `promised.txt` has for the first cells of their tables.
    private static let tables = [
        "outcome": "Outcomes", "reason": "Reasons", "metric": "Metrics", "endpoint": "Admin endpoints",
        "exit code": "Exit codes", "directive": "Directives",
    ]

    @Test func nothingPromisedIsGone() throws {
        let reference = try Page("Sources/Documentation/REFERENCE.md")
        var names = Self.tables.mapValues { section in
            Set(reference.table(under: section).compactMap { $0.first?.replacing("`", with: "") })
        }
        names["recording member"] = Set(try Page("Sources/Documentation/RECORDING.md").firstCells)
        names["command"] = Set(Command.table.map(\.name))
        names["column"] = try Self.columns()
        let promised = try Page("Sources/Documentation/promised.txt").lines.filter { !$0.isEmpty }
        #expect(promised.count >= 230)
        for line in promised {
            let (kind, name) = try #require(Self.parted(line), "\(line)")
            #expect(names[kind]?.contains(name) == true, "1.0.0 promised this, and it is gone: \(line)")
        }
    }

    @Test func versionsOfFormatsAreThose() throws {
        let rows = try Page("Sources/Documentation/COMPATIBILITY.md").table(under: "Versions of formats")
        let versions = [
            Int(Schema.version), RecordingHeader.version, TierValue.version,
            Int(String(decoding: PurgeRecord.version, as: UTF8.self)) ?? 0,
        ]
        #expect(rows.map { $0[1] } == versions.map { "\($0)" })
    }

    @Test func theChangelogBeginsWithThisVersionOrWithWhatComesNext() throws {
        let headings = try Page("CHANGELOG.md").lines.filter { $0.hasPrefix("## ") }
        let release = ProgramVersion.release
        guard ProgramVersion.isReleased(release) else { return #expect(headings.first == "## Unreleased") }
        #expect(headings.first { $0 != "## Unreleased" }?.hasPrefix("## \(release) (") == true)
    }

    /// The columns of the cache file, with their tables: `entry.target`.
    private static func columns() throws -> Set<String> {
        let page = try Page("Sources/Documentation/DATABASE.md")
        let tables = page.lines.compactMap { $0.hasPrefix("## Table ") ? String($0.dropFirst(9)) : nil }
        return Set(tables.flatMap { table in page.names(under: "Table \(table)").map { "\(table).\($0)" } })
    }

    private static func parted(_ line: String) -> (kind: String, name: String)? {
        guard let colon = line.firstRange(of: ": ") else { return nil }
        return (String(line[..<colon.lowerBound]), String(line[colon.upperBound...]))
    }
}

extension Page {
    /// The first cells of its tables that are one word in backquotes.
    fileprivate var firstCells: [String] {
        lines.compactMap { line in
            guard line.hasPrefix("| `") else { return nil }
            return line.dropFirst(3).firstIndex(of: "`").map { String(line.dropFirst(3)[..<$0]) }
        }
    }
}
