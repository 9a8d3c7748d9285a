import Foundation
import Testing

@testable import refrain

/// The program understands every command line of the pages, and the files that they link to exist.
@Suite struct PagesTests {
    @Test(arguments: Page.names) func everyCommandLineIsUnderstood(_ name: String) throws {
        let makefile = try Page("Makefile").lines
        for words in try Page(name).blocks("sh").flatMap(Self.commandLines) {
            for target in words.dropFirst() where words[0] == "make" && !target.contains("=") {
                #expect(makefile.contains { $0.hasPrefix("\(target):") }, "make \(target)")
            }
            guard let program = words.firstIndex(where: { $0 == "refrain" || $0.hasSuffix("/refrain") }) else {
                continue
            }
            let command = try Command.named(try #require(words[(program + 1)...].first, "\(words)"))
            _ = try OptionParser.parse(Array(words[(program + 2)...]), for: command)
        }
    }

    /// `status=>=400` in the address of `/events` is a 400: curl sends `>` as it is.
    @Test(arguments: Page.names) func anAddressHadACharacterThatNoTargetHas(_ name: String) throws {
        for words in try Page(name).blocks("sh").flatMap(Self.commandLines) {
            for word in words where word.hasPrefix("http") {
                #expect(!word.contains { "<> \"{}".contains($0) }, "\(name): \(word)")
            }
        }
    }

    @Test func theFrontDoorIsSeen() throws {
        let lines = try Page("README.md").blocks("sh").flatMap(Self.commandLines)
        #expect(lines.first == ["make", "run"] && lines.contains(["make", "test"]))
        #expect(try !Page("README.md").blocks("conf").isEmpty && Page.names.count > 15)
    }

    @Test(arguments: Page.names) func everyPieceOfConfigurationIsValid(_ name: String) throws {
        for block in try Page(name).blocks("conf") {
            let files = FileAccess(
                read: { _ in Array(block.utf8) }, problem: { _ in nil }, secretProblem: { _, _ in nil },
                credentialsDirectory: "/run/credentials/refrain.service")
            let found = complaints(in: files)
            #expect(found.isEmpty, "\(name): \(found) in\n\(block)")
        }
    }

    @Test(arguments: Page.names) func everyFileThatIsPointedAtIsThere(_ name: String) throws {
        let folder = Page.top.appendingPathComponent(name).deletingLastPathComponent()
        for link in Page.files(linkedIn: try Page.text(name)) {
            let path = folder.appendingPathComponent(link).path
            #expect(FileManager.default.fileExists(atPath: path), "\(name): \(link)")
        }
    }

    @Test(arguments: Page.names) func aFigureWasNotInTheTableThatItIsSaidToBeFrom(_ name: String) throws {
        let table = try Page("Sources/Documentation/maintainers/SPEED.md").lines.joined(separator: "\n")
        for line in try Page(name).lines {
            for match in line.matches(of: /([0-9]+,[0-9]{3}) [a-z ]+ \(\[SPEED\.md\]/) {
                #expect(table.contains(match.1), "\(name): \(match.1)")
            }
        }
    }

    /// The words of each line, quotes taken off; a line ends where a comment, a pipe or a
    /// redirection begins.
    private static func commandLines(_ block: String) -> [[String]] {
        let joined = block.replacingOccurrences(of: "\\\n", with: " ")
        return joined.components(separatedBy: "\n").map(words).filter { !$0.isEmpty }
    }

    private static func words(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word?.append(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " {
                if let finished = word { words.append(finished) }
                word = nil
            } else if word == nil, "#|>&".contains(character) {
                return words
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }

    /// Four of the keys were in no line of the table.
    @Test func everyKeyOfTheEngineIsListedAndNoOther() throws {
        let page = try Page("Sources/Documentation/PRIVACY.md")
        let rows = page.lines.drop { !$0.hasPrefix("| what | key |") }.dropFirst(2).prefix { $0.hasPrefix("| ") }
        let listed = rows.compactMap { row -> String? in
            let name = row.split(separator: "|").dropFirst().first?.trimmingCharacters(in: ["`", " "])
            return name?.replacing(/(HASH|NUMBER)$/, with: "")
        }
        let source = try String(
            contentsOf: Page.top.appendingPathComponent("Sources/Tier/Protocol/TierKeys.swift"), encoding: .utf8)
        let names = source.matches(of: /bytes\("([^"]+)"/).map { String($0.output.1) }
        #expect(names.count >= 9 && names.sorted() == listed.sorted())
    }
}

/// The rows of the fault programme, the suites that run them and what `make faults` starts agree.
@Suite struct FaultsPageTests {
    private let rows: [[String]]
    /// By name, the module's tests that it belongs to.
    private let suites: [String: String]

    init() throws {
        rows = try Page("Sources/Documentation/maintainers/FAULTS.md").table(under: "The rows")
        var suites: [String: String] = [:]
        let tests = Page.top.appendingPathComponent("Tests")
        for path in try FileManager.default.subpathsOfDirectory(atPath: tests.path) where path.hasSuffix("Tests.swift")
        {
            let parts = path.dropLast(".swift".count).split(separator: "/")
            suites[String(parts[parts.count - 1])] = String(parts[0])
        }
        self.suites = suites
    }

    private static func suites(in text: some StringProtocol) -> [String] {
        String(text).matches(of: /`([A-Z][A-Za-z0-9]*Tests)`/).map { String($0.1) }
    }

    @Test func faultsHaveTheirRowsAndPromisesTheirSuites() throws {
        let names = Set(rows.map { $0[0] })
        for number in 1...19 { #expect(names.contains("F\(number)"), "F\(number)") }
        let named = try Page("Sources/Documentation/maintainers/TRUST.md").lines.flatMap { Self.suites(in: $0) }
        #expect(!named.isEmpty)
        for suite in named where suite != "Tests" { #expect(suites[suite] != nil, "there is no \(suite)") }
    }

    @Test func everySuiteOfARowIsThereAndIsStarted() throws {
        let makefile = try Page("Makefile").lines
        let pattern = try #require(makefile.first { $0.hasPrefix("FAULTS = ") }).dropFirst("FAULTS = ".count)
        let expression = try Regex(String(pattern))
        for row in rows {
            let last = try #require(row.last)
            let named = Self.suites(in: last)
            #expect(!named.isEmpty || last.contains("`make "), "\(row[0]) is run by nothing")
            for suite in named {
                let module = try #require(suites[suite], "\(row[0]): there is no \(suite)")
                let isStarted = "\(module).\(suite)/aTest()".contains(expression)
                #expect(isStarted || last.contains("`make "), "\(row[0]): make faults leaves \(suite) out")
            }
        }
    }
}
