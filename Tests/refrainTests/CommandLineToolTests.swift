import Admin
import TestSupport
import Testing
import Text

@testable import refrain

@Suite struct CommandLineToolTests {
    @Test func aMissingOrUnknownCommandIsSaid() {
        let result = run()
        #expect(result.status == 2 && result.standard.isEmpty)
        #expect(result.error == "refrain: no command given (see \"refrain help\")\n")
        #expect(run("sevre").error == "refrain: unknown command \"sevre\"; did you mean \"serve\"?\n")
        #expect(run("sevre").status == 2)
        #expect(run("help", "frob").error.hasPrefix("refrain: unknown command or directive \"frob\""))
        #expect(run("frobnicate").error == "refrain: unknown command \"frobnicate\" (see \"refrain help\")\n")
    }

    @Test(arguments: ["--version", "version"]) func tellsItsVersion(_ word: String) {
        #expect(run(word).standard == "refrain \(ProgramVersion.text)\n")
        #expect(run(word).status == 0)
    }

    /// `1.0.0` was said by every program between two releases.
    @Test func aVersionBeforeItsReleaseNamesTheCommit() throws {
        #expect(ProgramVersion.text(of: "1.1.0-dev", commit: "4ddddebe70") == "1.1.0-dev+4ddddebe70")
        #expect(ProgramVersion.text(of: "1.1.0-dev", commit: "") == "1.1.0-dev")
        #expect(ProgramVersion.text(of: "1.1.0", commit: "4ddddebe70") == "1.1.0")
        #expect(ProgramVersion.text.wholeMatch(of: /\d+\.\d+\.\d+(-dev(\+[0-9a-f]{10})?)?/) != nil)
    }

    @Test(arguments: ["help", "--help", "-h"]) func theHelpListsEveryCommand(_ word: String) {
        let result = run(word)
        #expect(result.status == 0 && result.error.isEmpty)
        for command in Command.table { #expect(result.standard.contains("  \(command.name) "), "\(command.name)") }
    }

    @Test(arguments: Command.table.map(\.name)) func theHelpOfACommandListsItsOptions(_ name: String) throws {
        let result = run("help", name)
        #expect(result.status == 0)
        for option in try Command.named(name).options { #expect(result.standard.contains("  \(option.spelling)  ")) }
        #expect(run(name, "--help").standard == result.standard)
        #expect(result.standard.hasPrefix("usage: refrain \(name)"))
    }

    @Test func optionsAreUniqueAndTakeNoSecret() {
        #expect(Set(Command.table.map(\.name)).count == Command.table.count)
        for command in Command.table {
            #expect(Set(command.options.map(\.name)).count == command.options.count, "\(command.name)")
        }
        // A secret in an argument is open to every user of the machine: only files may be named.
        for option in Command.table.flatMap(\.options) where option.value != nil {
            let soundsSecret = ["token", "key", "secret", "password"].contains { option.name.contains($0) }
            #expect(!soundsSecret || option.value == "FILE", "--\(option.name)")
        }
    }
}

@Suite struct OptionParserTests {
    private static let name = CommandOption("name", "TEXT", "a value")
    private static let many = CommandOption("many", "TEXT", isRepeatable: true, "values")
    private static let flag = CommandOption("flag", "a flag")
    private static let command = Command("try", "a command", positional: "FILE", options: [name, many, flag]) { _, _ in
        .done
    }

    private func parse(_ words: String...) throws(CommandFailure) -> CommandArguments {
        try OptionParser.parse(words, for: Self.command)
    }

    private func refusal(_ words: String...) -> String? {
        thrown { () throws(CommandFailure) in try OptionParser.parse(words, for: Self.command) }?.messages[0]
    }

    @Test func takesValuesFlagsAndArguments() throws {
        #expect(try parse("--name", "a").value(Self.name) == "a")
        #expect(try parse("--name=a=b").value(Self.name) == "a=b")
        #expect(try parse("--name", "-1").value(Self.name) == "-1")
        #expect(try parse("--many", "a", "--many=b").all(Self.many) == ["a", "b"])
        #expect(try parse().value(Self.name) == nil)
        let arguments = try parse("--flag", "file")
        #expect(arguments.has(Self.flag) && arguments.positional == ["file"])
        #expect(try !parse().has(Self.flag))
        #expect(try parse("-").positional == ["-"])
        let ended = try parse("--", "--flag")
        #expect(ended.positional == ["--flag"] && !ended.has(Self.flag))
    }

    @Test func refusesWhatIsIncompleteOrUnknown() {
        let message = "try: --name needs a value (--name TEXT)"
        #expect(refusal("--name") == message)
        #expect(refusal("--name=") == message)
        #expect(refusal("--name", "--flag") == message)
        #expect(refusal("--name", "a", "--name", "b") == "try: --name is given twice")
        #expect(refusal("--flag=on") == "try: --flag takes no value")
        #expect(refusal("a", "b") == "try: unexpected argument \"b\" (see \"refrain help try\")")
        #expect(refusal("-n") == "try: options begin with \"--\" (see \"refrain help try\")")
        #expect(refusal("--nmae=hush") == "try: unknown option \"--nmae\"; did you mean \"--name\"?")
        #expect(refusal("--token=hush") == "try: unknown option \"--token\" (see \"refrain help try\")")
    }

    @Test func namesOnlyWhatIsNear() {
        let names = Directive.table.map(\.name)
        #expect(Suggestion.nearest(to: "upstrem", in: names) == "upstream")
        #expect(Suggestion.nearest(to: "cache-size", in: names) == "cache_size")
        #expect(Suggestion.nearest(to: "worker", in: names) == "workers")
        #expect(Suggestion.nearest(to: "gzip_types", in: names) == nil)
        #expect(Suggestion.nearest(to: String(repeating: "a", count: 10_000), in: names) == nil)
    }
}

@Suite struct TableTests {
    private func table(width: Int?) -> String {
        Table.text(
            ["name", ">n", "target"], [["a", "1", "/v1/catalog/us/songs/1"], ["longer", "234", "/é"]], width: width)
    }

    @Test func columnsAreAlignedAndTheLastGivesWay() {
        #expect(
            table(width: nil) == """
                name      n  target
                a         1  /v1/catalog/us/songs/1
                longer  234  /é

                """)
        let text = table(width: 24)
        #expect(text.split(separator: "\n").map(\.count).max() == 24)
        #expect(text.contains("\na         1  /v1/catalo…\n"))
        #expect(TextTable.cut("abc", to: 3) == "abc" && TextTable.cut("abcd", to: 3) == "ab…")
        // A stored field could have moved the cursor of the operator's terminal.
        let hostile = Table.text([("a", "\u{1B}[2Jb\u{9B}c\nd\u{7F}")], width: nil)
        #expect(hostile == #"a  \u{1b}[2Jb\u{9b}c\u{a}d\u{7f}"# + "\n")
    }

    @Test(arguments: [
        (0, "0s"), (59, "59s"), (60, "1m"), (3661, "1h 1m"), (86_400 * 3 + 14_400, "3d 4h"), (-61, "-1m 1s"),
    ])
    func spansHaveTwoUnitsAtMost(_ seconds: Int, _ text: String) { #expect(SpanOfTime.text(seconds) == text) }
}
