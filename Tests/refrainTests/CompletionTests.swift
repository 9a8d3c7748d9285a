import Foundation
import TestSupport
import Testing

@testable import refrain

@Suite struct CompletionTests {
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

    @Test func bashCanReadIt() throws { try expectReadable(.bash) }

    @Test(.requires(.zsh)) func zshCanReadIt() throws { try expectReadable(.zsh) }

    @Test(.requires(.fish)) func fishCanReadIt() throws { try expectReadable(.fish) }

    private func expectReadable(_ shell: Shell) throws {
        let tool = try #require(Tool(shell.rawValue))
        try withCompletions(of: shell) { path in
            let outcome = try tool.run(["-n", path])
            #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome.text)")
        }
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
        try withCompletions(of: .bash) { path in
            try withTemporaryDirectory { directory in
                try Data().write(to: directory.appendingPathComponent("a file.conf"))
                try FileManager.default.createDirectory(
                    at: directory.appendingPathComponent("directory"), withIntermediateDirectories: true)
                let script = """
                    source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _refrain
                    for word in "${COMPREPLY[@]}"; do echo "$word"; done
                    """
                let outcome = try bash.run(["-c", script, "bash", path] + words, in: directory)
                #expect(outcome.text.split(separator: "\n").map(String.init).sorted() == expected)
            }
        }
    }

    /// CONNECT was offered, which explain refuses.
    @Test func onlyMethodsThatExplainTakesAreOffered() {
        #expect(
            CompletedValue(named: "METHOD", in: [])
                == .words(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
        )
    }

    /// Storefronts were.
    @Test func noWordsAreOfferedForAStatus() throws {
        let status = try #require(Command.replay.options.first { $0.name == "status" })
        #expect(CompletedValue(named: status.value ?? "", in: []) == .unknown)
    }

    /// The words had gone when `export` joined them.
    @Test func theWordsOfRecordAreOffered() {
        #expect(CompletedValue(named: Command.record.positional, in: []) == .words(["on", "off", "status", "export"]))
        #expect(CompletedValue(named: Command.replay.positional, in: []) == .unknown)
        #expect(CompletedValue(named: "URL|unix:PATH", in: []) == .unknown)
    }

    @Test(.requires(.fish))
    func fishOffers() throws {
        let fish = try #require(Tool("fish"))
        try withCompletions(of: .fish) { path in
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

    private func withCompletions(of shell: Shell, _ body: (String) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("completions")
            try Data(shell.completions(of: Command.table).utf8).write(to: file)
            try body(file.path)
        }
    }
}
