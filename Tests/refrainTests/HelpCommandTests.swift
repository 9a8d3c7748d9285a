import Foundation
import Synchronization
import TestSupport
import Testing

@testable import refrain

@Suite struct HelpCommandTests {
    @Test func aTopicIsOneThing() {
        let names = HelpTopic.names(in: Command.table)
        #expect(Set(names).count == names.count)
    }

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

    @Test func longTextsAreBrokenBetweenWords() {
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

    @Test func aMisspeltDirectiveGetsASuggestion() {
        #expect(run("help", "cache_fil").error.contains("did you mean \"cache_file\"?"))
    }

    @Test(arguments: [("serve", "REFRAIN\\-SERVE"), ("ttl", "PROXY.CONF"), ("proxy.conf", "PROXY.CONF")])
    func manWritesThePageOfTheTopic(topic: String, title: String) {
        #expect(run("help", "--man", topic).standard.hasPrefix(".TH \"\(title)\" "))
    }

    @Test func anUnknownShellIsAUsageError() {
        let result = run("help", "--completion", "zhs")
        #expect(result.status == 2 && result.error.contains("did you mean \"zsh\"?"))
    }

    @Test func onlyOneThingIsWrittenAtATime() {
        #expect(run("help", "--man", "--completion", "bash").status == 2)
    }

    @Test func shareThatCannotBeWrittenFails() {
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
}
