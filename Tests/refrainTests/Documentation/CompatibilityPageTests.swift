import Foundation
import Testing

@testable import Cache
@testable import Recording
@testable import Store
@testable import Tier
@testable import refrain

/// Names that operators' files, scripts and dashboards hold on to are not taken from them.
@Suite struct CompatibilityPageTests {
    /// Sections of pages that are held to the code by tests of their own, and what the first cells
    /// of their tables are called in `promised.txt`.
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
        let headings = try Page("CHANGELOG.md").lines.filter { $0.hasPrefix("## ") && $0 != "## Unreleased" }
        #expect(headings.first?.hasPrefix("## \(ProgramVersion.text) (") == true)
    }

    /// The columns of the cache file, with their tables: `entry.target`.
    private static func columns() throws -> Set<String> {
        let page = try Page("Sources/Documentation/DATABASE.md")
        let tables = page.lines.compactMap { $0.hasPrefix("## Table ") ? String($0.dropFirst(9)) : nil }
        return Set(
            tables.flatMap { table in
                page.table(under: "Table \(table)").compactMap { row in
                    row.first?.split(separator: "`").first.map { "\(table).\($0)" }
                }
            })
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
