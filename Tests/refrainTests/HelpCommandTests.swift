import Foundation
import TestSupport
import Testing

@testable import refrain

@Suite(.timeLimit(.minutes(10))) struct HelpCommandTests {
    @Test func helpForTheConfigurationListsEveryDirective() {
        let result = run("help", "proxy.conf")
        #expect(result.status == 0)
        for directive in Directive.table {
            #expect(result.standard.contains("  \(directive.name) "), "\(directive.name)")
        }
    }

    @Test(arguments: Directive.table.map(\.name)) func helpForADirectiveShowsItsShapeAndDefault(_ name: String) throws {
        let directive = try #require(Directive.named(name))
        let lines = run("help", name).standard.split(separator: "\n")
        let isCommandToo = Command.table.contains { $0.name == name }
        #expect(
            isCommandToo
                ? lines.contains("in proxy.conf: " + directive.spelling) : lines.first == directive.spelling[...])
        for line in directive.defaults { #expect(lines.contains("  \(name) \(line)")) }
    }

    @Test func topicsAreUniqueAndLongTextsAreBrokenBetweenWords() {
        let names = HelpTopic.names(in: Command.table)
        #expect(Set(names).count == names.count)
        let word = String(repeating: "x", count: 60)
        #expect(HelpText.wrapped("\(word) \(word) a") == "\(word)\n\(word) a")
        #expect(HelpText.wrapped(word + word) == word + word)
        for command in Command.table {
            for text in command.details {
                #expect(HelpText.wrapped(text).split(separator: "\n").allSatisfy { $0.count <= 100 })
                #expect(HelpText.wrapped(text).replacing("\n", with: " ") == text)
            }
        }
    }

    @Test(arguments: [("serve", "REFRAIN\\-SERVE"), ("ttl", "PROXY.CONF"), ("proxy.conf", "PROXY.CONF")])
    func manWritesThePageOfTheTopic(topic: String, title: String) {
        #expect(run("help", "--man", topic).standard.hasPrefix(".TH \"\(title)\" "))
    }

    @Test func whatCannotBeWrittenIsAnError() {
        #expect(run("help", "cache_fil").error.contains("did you mean \"cache_file\"?"))
        let unknown = run("help", "--completion", "zhs")
        #expect(unknown.status == 2 && unknown.error.contains("did you mean \"zsh\"?"))
        #expect(run("help", "--man", "--completion", "bash").status == 2)
        let result = run("help", "--share", "share")
        #expect(result.status == 1 && result.error.contains("share/man/man1/refrain.1"))
    }

    /// In a process of its own, whose mask is its own.
    @Test func shareWritesFilesThatEverybodyMayReadWhateverTheUmask() async {
        await #expect(processExitsWith: .success) {
            try withTemporaryDirectory { directory in
                umask(0o077)
                let share = directory.path + "/usr/share"
                try #require(CommandLineTool.run(["refrain", "help", "--share", share]) == 0)
                let written = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
                for path in written {
                    let entry = try FileManager.default.attributesOfItem(atPath: directory.path + "/" + path)
                    let expected = entry[.type] as? FileAttributeType == .typeDirectory ? 0o755 : 0o644
                    try #require(entry[.posixPermissions] as? Int == expected, "\(path)")
                }
                try #require(written.contains("usr/share/man/man5/proxy.conf.5"))
                for shell in Shell.allCases { try #require(written.contains("usr/share/" + shell.path)) }
            }
        }
    }

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

    @Test(.requires(.mandoc)) func mandocFindsNothingToWarnOf() throws {
        try expectSilence(of: "mandoc", "-Tlint", "-W", "warning")
    }

    @Test(.requires(.groff)) func groffFindsNothingToWarnOf() throws {
        try expectSilence(of: "groff", "-man", "-Tutf8", "-ww", "-z")
    }

    /// Has a tool judge every page.
    private func expectSilence(of name: String, _ words: String...) throws {
        for page in ManualPage.all(of: Command.table) {
            let outcome = try #require(Tool(name)).run(words + [folder.put(page.text.utf8, page.fileName)])
            #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome.text)")
        }
    }

    @Test(arguments: Shell.allCases) func everyCommandAndOptionIsOffered(_ shell: Shell) {
        let words = Set(
            shell.completions(of: Command.table).split { !($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        for command in Command.table {
            #expect(words.contains(command.name[...]), "\(command.name)")
            for option in command.allOptions {
                // fish is told the name without its dashes.
                #expect(words.contains((shell == .fish ? option.name : "--" + option.name)[...]), "\(option.name)")
            }
        }
        for name in Directive.table.map(\.name) { #expect(words.contains(name[...]), "help \(name)") }
    }

    @Test(.requires(.zsh)) func zshCanReadIt() throws {
        let outcome = try #require(Tool("zsh")).run(["-n", completions(of: .zsh)])
        #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome.text)")
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The path of a file with them.
    private func completions(of shell: Shell) throws -> String {
        try folder.put(shell.completions(of: Command.table).utf8, "completions")
    }

    /// The words of a line as bash splits it, the last of them to be completed, and the
    /// completions.
    @Test(arguments: [
        (["refrain", "s"], ["serve", "simulate", "stats"]),
        (["refrain", "serve", "--"], ["--config", "--help"]),
        (["refrain", "purge", "--ha"], ["--hard"]),
        (["refrain", "serve", "--config", "a f"], ["a file.conf"]),
        (["refrain", "serve", "--config", "=", "a f"], ["a file.conf"]),
        (["refrain", "serve", "--config", "="], ["a file.conf", "directory"]),
        (["refrain", "help", "--share", ""], ["directory"]),
        (["refrain", "list", "--class", "so"], ["songs"]), (["refrain", "list", "--sort", "a"], ["age"]),
        (["refrain", "purge", "--storefront", "=", "u"], ["us"]),
        (["refrain", "purge", "--resource", "so"], ["songs:"]),
        (["refrain", "purge", "--resource", "songs", ":"], []),
        (["refrain", "purge", "--resource", "songs", ":", "1"], []),
        (["refrain", "help", "tt"], ["ttl", "ttl_speed"]),
        (["refrain", "frobnicate", ""], []),
    ])
    func bashOffers(_ words: [String], _ expected: [String]) throws {
        let bash = try #require(Tool("bash"), "bash is needed for .ci/run too")
        let place = try TemporaryFolder()
        try place.put([], "a file.conf")
        try FileManager.default.createDirectory(atPath: place.file("directory"), withIntermediateDirectories: true)
        let script = """
            source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _refrain
            for word in "${COMPREPLY[@]}"; do echo "$word"; done
            """
        let outcome = try bash.run(["-c", script, "bash", completions(of: .bash)] + words, in: place.url)
        #expect(outcome.text.split(separator: "\n").map(String.init).sorted() == expected)
    }

    /// CONNECT was offered, which explain refuses.
    @Test func onlyWordsThatCommandsTakeAreOffered() throws {
        #expect(
            CompletedValue(named: "METHOD", in: [])
                == .words(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
        )
        // Storefronts were.
        let status = try #require(Command.replay.options.first { $0.name == "status" })
        #expect(CompletedValue(named: status.value ?? "", in: []) == .unknown)
        // The words had gone when `export` joined them.
        #expect(CompletedValue(named: Command.record.positional, in: []) == .words(["on", "off", "status", "export"]))
        #expect(CompletedValue(named: Command.replay.positional, in: []) == .unknown)
        #expect(CompletedValue(named: "URL|unix:PATH", in: []) == .unknown)
    }

    @Test(.requires(.fish))
    func fishOffers() throws {
        let fish = try #require(Tool("fish"))
        let path = try completions(of: .fish)
        for (line, expected) in [
            ("refrain s", ["serve", "simulate", "stats"]), ("refrain serve --", ["--config", "--help"]),
            ("refrain help --completion ", ["bash", "fish", "zsh"]), ("refrain help serve --c", ["--completion"]),
        ] {
            let outcome = try fish.run(["--no-config", "-c", "source \(path); complete -C '\(line)'"])
            let words = outcome.text.split(separator: "\n").compactMap {
                $0.split(separator: "\t").first.map(String.init)
            }
            #expect(words.sorted() == expected, "\(line)")
        }
    }
}
