import Foundation
import TestSupport
import Testing

/// Citations of comments and pages exist: `FRAMING 1.6` is a paragraph of `FRAMING.md`. Their lines
/// stay within 100 columns, and name no places of one machine.
@Suite struct CitationTests {
    private static let pages = ["APPLE-MUSIC-API", "DECISIONS", "FRAMING"].map { NumberedPage(name: $0) }
    /// Notes that were cited once and never were in the repository.
    private static let notes = ["HARD" + "ENING", "DES" + "IGN", "CONT" + "RACT"]

    @Test func everyPageNumbersItsParagraphsOnce() {
        for page in Self.pages {
            #expect(page.numbers.count > 30, "\(page.name).md")
            #expect(page.repeated.isEmpty, "\(page.name).md has these numbers more than once")
        }
    }

    @Test func everyCitationNamesAParagraph() {
        var count = 0
        for text in Prose.all {
            for page in Self.pages {
                for citation in text.citations(of: page.name) {
                    count += 1
                    if page.numbers.contains(citation.number) { continue }
                    Issue.record("\(citation.place): \(page.name).md has no number \(citation.number)")
                }
            }
        }
        #expect(count > 300)
    }

    @Test func everyPageThatIsNamedIsThere() {
        let names = Set(House.files.compactMap { $0.split(separator: "/").last.map(String.init) })
        for text in Prose.all {
            for (index, line) in text.lines.enumerated() where Prose.isFound(".md", in: line) {
                if Prose.isFound("://", in: line) { continue }
                for match in line.matches(of: /[A-Za-z-]+\.md\b/) where !names.contains(String(match.output)) {
                    Issue.record("\(text.place(index)): there is no \(match.output); cite a page of the repository")
                }
            }
            for note in Self.notes {
                for citation in text.citations(of: note) {
                    Issue.record("\(citation.place): \(note) \(citation.number): cite a page of the repository")
                }
            }
        }
    }

    /// Each is cited below the path of its file, and may leave out parts between empty lines.
    @Test func theExamplesOfTestsAreTestsOfTheTree() {
        let page = House.text("Sources/Documentation/maintainers/TESTING.md")
        let examples = page.matches(of: /\n`(Tests\/[A-Za-z0-9\/]+\.swift)`:\n\n```swift\n((?:.*\n)*?)```/)
        #expect(examples.count == 3)
        for example in examples {
            let file = House.text(String(example.1))
            for part in example.2.components(separatedBy: "\n\n") where !file.contains(part) {
                Issue.record("TESTING.md: \(example.1) has no such lines: \(part)")
            }
        }
    }

    @Test func citationsAreReadOverTheEndOfALine() {
        let lines = """
            // (FRAMING 1.6, 2.10 and 3,
            // and 4; see FRAMING
            // 5.1), FRAMING.md, UNFRAMING 6, FRAMING

            // 7
            """
        let text = Prose(path: "a", lines: lines.components(separatedBy: "\n"))
        #expect(text.citations(of: "FRAMING").map(\.number) == ["1.6", "2.10", "3", "5.1"])
        #expect(text.citations(of: "FRAMING").map(\.place) == ["a:1", "a:1", "a:1", "a:2"])
    }

    // MARK: Content of other places

    @Test func noFileNamesAPlaceOfOneMachine() {
        let roots = ["/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/", "/Us" + "ers/"]
        for path in House.files {
            for (index, line) in House.text(path).components(separatedBy: "\n").enumerated() {
                for root in roots where line.contains(root) {
                    Issue.record("\(path):\(index + 1): \(root) is a place of one machine; find it from #filePath")
                }
            }
        }
    }

    /// A line this long is not the same by chance.
    private static let tellingLength = 160

    @Test(.requires(.sharedMaterial))
    func nothingOfTheMaterialBesideTheProjectIsCopied() throws {
        let shared = try Self.tellingLines(of: ["recordings", "corpora"])
        #expect(!shared.isEmpty)
        for path in House.files {
            let lines = House.text(path).components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            for (index, line) in lines.enumerated() where shared.contains(line) {
                Issue.record("\(path):\(index + 1): copied from ../shared; read it through TestSupport.SharedMaterial")
            }
        }
    }

    private static func tellingLines(of folders: [String]) throws -> Set<String> {
        var found: Set<String> = []
        for folder in folders {
            let directory = SharedMaterial.directory.appendingPathComponent(folder).resolvingSymlinksInPath()
            for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
                let url = directory.appendingPathComponent(name)
                guard let text = try? String(contentsOf: url, encoding: .utf8) else { continue }
                for line in text.split(separator: "\n") where line.utf8.count >= tellingLength {
                    found.insert(line.trimmingCharacters(in: .whitespaces))
                }
            }
        }
        return found
    }

    // MARK: Columns

    /// `.ci/columns.awk` says which lines are too long, here and for `make lint`.
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
        #expect(files.contains("README.md") && files.contains("Tests/HouseTests/CitationTests.swift"))
        let outcome = try Self.judge(files, in: House.top)
        for line in outcome.text.split(separator: "\n") { Issue.record("\(line): break it") }
        #expect(outcome.status == 0)
    }

    @Test func aHundredCharactersAreAllowedAndNoMore() throws {
        let words = String(repeating: "word ", count: 30)
        #expect(try longLines("a.md", "\(words.prefix(100))\n\(words.prefix(101))\n") == [2])
        #expect(try longLines("a.swift", "    // \(words.prefix(93))\n    // \(words.prefix(94))\n") == [2])
        let others = String(repeating: "wörd ", count: 30)
        #expect(try longLines("a.md", "\(others.prefix(100))\n\(others.prefix(101))\n") == [2])
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

/// A page whose headings, paragraphs and rows have numbers.
private struct NumberedPage {
    let name: String
    let numbers: Set<String>
    let repeated: [String]

    init(name: String) {
        self.name = name
        var (numbers, repeated): (Set<String>, [String]) = ([], [])
        for line in House.text("Sources/Documentation/maintainers/\(name).md").components(separatedBy: "\n") {
            // `## 4. Title`, `### 4.1 Title`, `**4.1.2 Lead.**`, `| 4.1.2 | ...`
            guard let match = line.prefixMatch(of: /(?:#+ |\*\*)(\d+(?:\.\d+)*)|\| (\d+(?:\.\d+)+) \|/),
                let number = match.output.1 ?? match.output.2
            else { continue }
            if !numbers.insert(String(number)).inserted { repeated.append(String(number)) }
        }
        (self.numbers, self.repeated) = (numbers, repeated)
    }
}

/// The comments of a source file, or a page: an empty line where there is nothing to read.
private struct Prose {
    let path: String
    let lines: [String]

    static let all: [Prose] =
        (House.sources + House.tests).map { Prose(path: $0.path, lines: $0.comments) }
        + House.files.filter { $0.hasSuffix(".md") }.map {
            Prose(path: $0, lines: House.text($0).components(separatedBy: "\n"))
        }

    func place(_ index: Int) -> String { "\(path):\(index + 1)" }

    /// The numbers after each mention of the page, also where the next line goes on with them.
    func citations(of page: String) -> [(number: String, place: String)] {
        var found: [(String, String)] = []
        for (index, line) in lines.enumerated() where Self.isFound(page, in: line) {
            let next = lines.indices.contains(index + 1) ? lines[index + 1] : ""
            for range in line.ranges(of: page) {
                if let before = line[..<range.lowerBound].last, before.isLetter || before == "-" { continue }
                let rest = line[range.upperBound...] + " " + Self.withoutMark(next)
                guard
                    let match = rest.prefixMatch(of: /\s+\d+(?:\.\d+)*(?:(?:,| and) \d+(?:\.\d+)*)*/)
                else { continue }
                for number in match.output.matches(of: /\d+(?:\.\d+)*/) {
                    found.append((String(number.output), place(index)))
                }
            }
        }
        return found
    }

    /// By the C library: a hundred thousand lines are looked at, mostly for nothing.
    static func isFound(_ word: String, in line: String) -> Bool { strstr(line, word) != nil }

    /// A line of a comment without what makes it one.
    private static func withoutMark(_ line: String) -> Substring { line.drop { $0 == " " || $0 == "/" } }
}
