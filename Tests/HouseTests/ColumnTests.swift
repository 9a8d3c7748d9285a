import Foundation
import TestSupport
import Testing

/// Comments and pages stay within 100 columns. `.ci/columns.awk` says which lines do not, here and
/// for `make lint`.
@Suite struct ColumnTests {
    private static func judge(_ arguments: [String], in directory: URL) throws -> Tool.Outcome {
        let script = House.top.appendingPathComponent(".ci/columns.awk").path
        return try #require(Tool("awk")).run(["-f", script] + arguments, in: directory, environment: ["LC_ALL": "C"])
    }

    /// The lines of `text`, counted from 1, that are too long in a file of that name.
    private func longLines(_ name: String, _ text: String) throws -> [Int] {
        let folder = try TemporaryFolder()
        try folder.put(Array(text.utf8), name)
        let outcome = try Self.judge([name], in: folder.url)
        let lines = outcome.text.split(separator: "\n")
        #expect(outcome.status == (lines.isEmpty ? 0 : 1))
        return lines.compactMap { $0.split(separator: ":").dropFirst().first.flatMap { Int($0) } }
    }

    @Test func commentsAndPagesStayWithinTheirColumns() throws {
        let files = House.files.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") }
        #expect(files.contains("README.md") && files.contains("Tests/HouseTests/ColumnTests.swift"))
        let outcome = try Self.judge(files, in: House.top)
        for line in outcome.text.split(separator: "\n") { Issue.record("\(line): break it") }
        #expect(outcome.status == 0)
    }

    @Test func aHundredColumnsAreAllowedAndNoMore() throws {
        let words = String(repeating: "word ", count: 30)
        #expect(try longLines("a.md", "\(words.prefix(100))\n\(words.prefix(101))\n") == [2])
        #expect(try longLines("a.swift", "    // \(words.prefix(93))\n    // \(words.prefix(94))\n") == [2])
    }

    @Test func columnsAreCharacters() throws {
        let words = String(repeating: "wörd ", count: 30)
        #expect(try longLines("a.md", "\(words.prefix(100))\n\(words.prefix(101))\n") == [2])
    }

    @Test func tablesFencesAndDrawingsAreLeftOut() throws {
        let words = String(repeating: "word ", count: 30)
        let span = "`\(words)`"
        #expect(try longLines("a.md", "| \(words) |\n```\n\(words)\n```\n[a]: \(words)\n\(span):\n\(words)\n") == [7])
        let exempt = "// | \(words) |\n// \(span)\n// ── \(words)\nlet text = \(words)\n"
        let literal = "\"\"\"\n// \(words)\n\"\"\"\n"
        #expect(try longLines("a.swift", exempt + literal + "// \(words)\n") == [8])
    }
}
