import Testing

@testable import refrain

@Suite struct CommandLineToolTests {
    @Test func withoutACommandItSaysHowToGetHelp() {
        let result = run()
        #expect(result.status == 2 && result.standard.isEmpty)
        #expect(result.error == "refrain: no command given (see \"refrain help\")\n")
    }

    @Test func anUnknownCommandGetsASuggestion() {
        #expect(run("sevre").error == "refrain: unknown command \"sevre\"; did you mean \"serve\"?\n")
        #expect(run("sevre").status == 2)
        #expect(run("frobnicate").error == "refrain: unknown command \"frobnicate\" (see \"refrain help\")\n")
    }

    @Test(arguments: ["--version", "version"]) func tellsItsVersion(_ word: String) {
        #expect(run(word).standard == "refrain \(ProgramVersion.text)\n")
        #expect(run(word).status == 0)
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

    @Test func namesOfCommandsAndOptionsAreUnique() {
        #expect(Set(Command.table.map(\.name)).count == Command.table.count)
        for command in Command.table {
            #expect(Set(command.options.map(\.name)).count == command.options.count, "\(command.name)")
        }
    }

    /// A secret in an argument list is open to every user of the machine: only files may be named.
    @Test func noOptionTakesASecret() {
        for option in Command.table.flatMap(\.options) where option.value != nil {
            let soundsSecret = ["token", "key", "secret", "password"].contains { option.name.contains($0) }
            #expect(!soundsSecret || option.value == "FILE", "--\(option.name)")
        }
    }
}
