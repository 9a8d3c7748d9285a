import Foundation
import Testing

@testable import refrain

/// The program understands every command line of the pages, and the files that they link to exist.
@Suite struct PagesTests {
    @Test(arguments: Page.names) func everyCommandLineIsUnderstood(_ name: String) throws {
        for words in try Page(name).blocks("sh").flatMap(Self.commandLines) {
            guard let program = words.firstIndex(where: { $0 == "refrain" || $0.hasSuffix("/refrain") }) else {
                continue
            }
            let command = try Command.named(try #require(words[(program + 1)...].first, "\(words)"))
            _ = try OptionParser.parse(Array(words[(program + 2)...]), for: command)
        }
    }

    @Test func theFrontDoorIsSeen() throws {
        let lines = try Page("README.md").blocks("sh").flatMap(Self.commandLines)
        #expect(lines.first == ["make", "run"] && lines.contains(["make", "test"]))
        #expect(try !Page("README.md").blocks("conf").isEmpty)
    }

    @Test(arguments: Page.names) func everyTargetOfMakeIsThere(_ name: String) throws {
        let makefile = try Page("Makefile").lines
        for words in try Page(name).blocks("sh").flatMap(Self.commandLines) where words.first == "make" {
            for target in words.dropFirst() where !target.contains("=") {
                #expect(makefile.contains { $0.hasPrefix("\(target):") }, "make \(target)")
            }
        }
    }

    @Test(arguments: Page.names) func everyPieceOfConfigurationIsValid(_ name: String) throws {
        for block in try Page(name).blocks("conf") {
            let files = FileAccess(
                read: { _ in Array(block.utf8) }, problem: { _ in nil }, secretProblem: { _, _ in nil },
                credentialsDirectory: "/run/credentials/refrain.service")
            do throws(CommandFailure) {
                _ = try ConfigurationReader.read("proxy.conf", files: files)
            } catch {
                Issue.record("\(name): \(error.messages) in\n\(block)")
            }
        }
    }

    @Test(arguments: Page.names) func everyFileThatIsPointedAtIsThere(_ name: String) throws {
        let page = try Page(name)
        let folder = Page.top.appendingPathComponent(name).deletingLastPathComponent()
        for line in page.lines {
            for match in line.matches(of: /\]\(([^)#]+)(?:#[^)]*)?\)/) where !match.1.hasPrefix("http") {
                let path = folder.appendingPathComponent(String(match.1)).path
                #expect(FileManager.default.fileExists(atPath: path), "\(name): \(match.1)")
            }
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
}
