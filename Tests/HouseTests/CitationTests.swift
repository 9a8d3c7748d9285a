import Foundation
import Testing

/// Citations of comments and pages exist: `FRAMING 1.6` is a paragraph of `FRAMING.md`.
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
    private static func withoutMark(_ line: String) -> Substring {
        line.drop { $0 == " " || $0 == "/" }
    }
}
