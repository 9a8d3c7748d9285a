import Testing

@testable import refrain

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
        do throws(CommandFailure) {
            _ = try OptionParser.parse(words, for: Self.command)
            return nil
        } catch {
            return error.messages[0]
        }
    }

    @Test func takesValuesInBothForms() throws {
        #expect(try parse("--name", "a").value(Self.name) == "a")
        #expect(try parse("--name=a=b").value(Self.name) == "a=b")
        #expect(try parse("--name", "-1").value(Self.name) == "-1")
        #expect(try parse("--many", "a", "--many=b").all(Self.many) == ["a", "b"])
        #expect(try parse().value(Self.name) == nil)
    }

    @Test func takesFlagsAndArguments() throws {
        let arguments = try parse("--flag", "file")
        #expect(arguments.has(Self.flag) && arguments.positional == ["file"])
        #expect(try !parse().has(Self.flag))
        #expect(try parse("-").positional == ["-"])
    }

    @Test func twoDashesEndTheOptions() throws {
        let arguments = try parse("--", "--flag")
        #expect(arguments.positional == ["--flag"] && !arguments.has(Self.flag))
    }

    @Test func refusesWhatIsIncomplete() {
        let message = "try: --name needs a value (--name TEXT)"
        #expect(refusal("--name") == message)
        #expect(refusal("--name=") == message)
        #expect(refusal("--name", "--flag") == message)
        #expect(refusal("--name", "a", "--name", "b") == "try: --name is given twice")
        #expect(refusal("--flag=on") == "try: --flag takes no value")
        #expect(refusal("a", "b") == "try: unexpected argument \"b\" (see \"refrain help try\")")
        #expect(refusal("-n") == "try: options begin with \"--\" (see \"refrain help try\")")
    }

    @Test func anUnknownOptionGetsASuggestionWithoutItsValue() {
        #expect(refusal("--nmae=hush") == "try: unknown option \"--nmae\"; did you mean \"--name\"?")
        #expect(refusal("--token=hush") == "try: unknown option \"--token\" (see \"refrain help try\")")
    }
}
