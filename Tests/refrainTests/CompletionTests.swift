import Foundation
import TestSupport
import Testing

@testable import refrain

@Suite struct CompletionTests {
    private static let text = BashCompletion(commands: Command.table).text

    @Test func everyCommandAndOptionIsOffered() {
        let words = Set(Self.text.split { !($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        for command in Command.table {
            #expect(words.contains(command.name[...]), "\(command.name)")
            for option in command.allOptions { #expect(words.contains("--" + option.name), "\(option.name)") }
        }
        for name in Directive.table.map(\.name) { #expect(words.contains(name[...]), "help \(name)") }
    }

    @Test func bashCanReadIt() throws {
        let bash = try #require(Tool("bash"))
        try withCompletions { path in
            let outcome = try bash.run(["-n", path])
            #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome.text)")
        }
    }

    /// The words of a line as bash splits it, the last of them to be completed, and what is
    /// offered.
    @Test(arguments: [
        (["refrain", "s"], ["serve", "simulate", "stats"]),
        (["refrain", "serve", "--"], ["--config", "--help"]),
        (["refrain", "purge", "--ha"], ["--hard"]),
        (["refrain", "serve", "--config", "a f"], ["a file.conf"]),
        (["refrain", "serve", "--config", "=", "a f"], ["a file.conf"]),
        (["refrain", "serve", "--config", "="], ["a file.conf", "directory"]),
        (["refrain", "help", "--share", ""], ["directory"]),
        (["refrain", "list", "--class", "so"], ["songs"]),
        (["refrain", "purge", "--storefront", "=", "u"], ["us"]),
        (["refrain", "purge", "--resource", "so"], ["songs:"]),
        (["refrain", "purge", "--resource", "songs", ":"], []),
        (["refrain", "purge", "--resource", "songs", ":", "1"], []),
        (["refrain", "help", "tt"], ["ttl", "ttl_speed"]),
        (["refrain", "frobnicate", ""], []),
    ])
    func bashOffers(_ words: [String], _ expected: [String]) throws {
        let bash = try #require(Tool("bash"), "bash is needed for .ci/run too")
        try withCompletions { path in
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

    /// They had gone when `export` joined them.
    @Test func theWordsOfRecordAreOffered() {
        #expect(CompletedValue(named: Command.record.positional, in: []) == .words(["on", "off", "status", "export"]))
        #expect(CompletedValue(named: Command.replay.positional, in: []) == .unknown)
        #expect(CompletedValue(named: "URL|unix:PATH", in: []) == .unknown)
    }

    private func withCompletions(_ body: (String) throws -> Void) throws {
        try withTemporaryDirectory { directory in
            let file = directory.appendingPathComponent("completions")
            try Data(Self.text.utf8).write(to: file)
            try body(file.path)
        }
    }
}
