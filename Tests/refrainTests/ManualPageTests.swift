import Foundation
import TestSupport
import Testing

@testable import refrain

@Suite struct ManualPageTests {
    @Test func eachCommandAndTheConfigurationHaveAPage() {
        let names = ManualPage.all(of: Command.table).map(\.fileName)
        #expect(names == ["refrain.1"] + Command.table.map { "refrain-\($0.name).1" } + ["proxy.conf.5"])
    }

    @Test(arguments: Command.table.map(\.name)) func aCommandsPageNamesItsOptions(_ name: String) throws {
        let command = try Command.named(name)
        let lines = ManualPage(of: command).text.split(separator: "\n")
        for option in command.allOptions {
            let term = "\\fB\\-\\-\(option.name.replacing("-", with: "\\-"))\\fR"
            #expect(lines.contains { $0 == term || $0.hasPrefix(term + " ") }, "--\(option.name)")
        }
    }

    @Test(arguments: Directive.table.map(\.name)) func thePageOfTheConfigurationNamesDirectivesAndDefaults(
        _ name: String
    ) throws {
        let directive = try #require(Directive.named(name))
        let lines = ManualPage.configuration.text.split(separator: "\n")
        let items = lines.indices.filter { index in
            lines[index].hasPrefix(Roff.literal(name) + " ") && lines[index - 1] == ".TP"
        }
        let text = lines[try #require(items.first) + 1]
        #expect(items.count == 1)
        for line in directive.defaults { #expect(text.contains(Roff.escaped(line))) }
    }

    @Test(arguments: Command.table.map(\.name)) func everyCommandHasAnExampleThatItsParserTakes(_ name: String) throws {
        let examples = try Command.named(name).examples
        #expect(!examples.isEmpty, "give it an example in its file in Commands")
        for example in examples {
            let ends: Set<Character> = ["|", ">", "&", ")"]
            guard let start = example.name.firstRange(of: "refrain ")?.upperBound else { continue }
            let words = example.name[start...].prefix { !ends.contains($0) }.split(separator: " ").map(String.init)
            guard let first = words.first, let command = try? Command.named(first) else { continue }
            #expect(throws: Never.self, "\(example.name)") {
                try OptionParser.parse(Array(words.dropFirst()), for: command)
            }
        }
    }

    @Test func roffMarkupIsEscaped() {
        var page = ManualPage("a", section: 1, summary: "b")
        page.paragraph(".dot \\ 'quoted' \"twice\" ~/x -y")
        page.code(".x")
        let lines = page.text.split(separator: "\n")
        #expect(lines.contains("\\&.dot \\e \\(aqquoted\\(aq \\(dqtwice\\(dq \\(ti/x \\-y"))
        #expect(lines.contains("\\&.x"))
    }

    @Test(.requires(.mandoc))
    func mandocFindsNothingToWarnOf() throws {
        let mandoc = try #require(Tool("mandoc"))
        try withPages { paths in
            let outcome = try mandoc.run(["-Tlint", "-W", "warning"] + paths)
            #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome.text)")
        }
    }

    @Test(.requires(.groff))
    func groffFindsNothingToWarnOf() throws {
        let groff = try #require(Tool("groff"))
        try withPages { paths in
            for path in paths {
                let outcome = try groff.run(["-man", "-Tutf8", "-ww", "-z", path])
                #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome.text)")
            }
        }
    }

    private func withPages(_ body: ([String]) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let paths = try ManualPage.all(of: Command.table).map { page in
                let file = directory.appendingPathComponent(page.fileName)
                try Data(page.text.utf8).write(to: file)
                return file.path
            }
            try body(paths)
        }
    }
}
