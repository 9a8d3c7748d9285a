import Foundation
import TestSupport
import Testing

@testable import refrain

/// `make try-image` builds and runs the image; here its recipe is held to the tree and the tables.
@Suite struct ContainerTests {
    /// The instructions of each stage: the first word, and the rest with continued lines joined.
    private let stages: [[(name: String, rest: String)]]

    init() throws {
        let file = Page.top.appendingPathComponent("Sources/Deployment/docker/Dockerfile")
        let text = try String(contentsOf: file, encoding: .utf8).replacing("\\\n", with: " ")
        var stages: [[(name: String, rest: String)]] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            if words[0] == "FROM" { stages.append([]) }
            stages[stages.count - 1].append((words[0], words.count > 1 ? words[1] : ""))
        }
        self.stages = stages
    }

    private func arguments(of name: String, in stage: Int) -> [[String]] {
        stages[stage].filter { $0.name == name }.map { $0.rest.split(separator: " ").map(String.init) }
    }

    /// The words of an instruction in the form of a JSON array.
    private func words(of name: String) throws -> [String] {
        let text = try #require(stages[1].first { $0.name == name }?.rest)
        let list = text[try #require(text.firstIndex(of: "["))...]
        return try JSONDecoder().decode([String].self, from: Data(list.utf8))
    }

    @Test func onlyKnownInstructionsStandInTwoStages() {
        let known: Set = [
            "FROM", "RUN", "WORKDIR", "COPY", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT",
            "CMD",
        ]
        #expect(stages.count == 2)
        for stage in stages { #expect(Set(stage.map(\.name)).isSubset(of: known)) }
    }

    @Test func everythingThatIsCopiedIsThereAndNotIgnored() throws {
        let ignored = try String(contentsOf: Page.top.appendingPathComponent(".dockerignore"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
        for stage in stages.indices {
            for words in arguments(of: "COPY", in: stage) where !words[0].hasPrefix("--from=") {
                for path in words.dropLast() {
                    #expect(
                        FileManager.default.fileExists(atPath: Page.top.appendingPathComponent(path).path), "\(path)")
                    #expect(!ignored.contains(path), "\(path)")
                }
            }
        }
    }

    @Test func thePackageCanBeReadWithWhatIsCopied() throws {
        let copied = Set(arguments(of: "COPY", in: 0).flatMap { $0.dropLast() })
        #expect(copied.isSuperset(of: ["Package.swift", "Makefile", "Sources", "Tests", "proxy.conf.example"]))
        let makefile = try String(contentsOf: Page.top.appendingPathComponent("Makefile"), encoding: .utf8)
        let packages = try #require(makefile.split(separator: "\n").first { $0.hasPrefix("PACKAGES = ") })
        let installed = Set(arguments(of: "RUN", in: 0).joined())
        for package in packages.split(separator: " ").dropFirst(2) { #expect(installed.contains(String(package))) }
    }

    @Test func theImageStartsTheInstalledProgram() throws {
        let binary = try #require(arguments(of: "COPY", in: 1).first { $0[0] == "--from=build" })
        #expect(binary[1] == "/installed" + binary[2])
        #expect(try words(of: "ENTRYPOINT") == [binary[2]])
        let command = try words(of: "CMD")
        let serve = try OptionParser.parse(Array(command.dropFirst()), for: .named(command[0]))
        let configuration = try #require(arguments(of: "COPY", in: 1).first { $0[0].hasSuffix("/proxy.conf") })
        #expect(command[0] == "serve" && serve.value(.config) == configuration[1])
        let check = try words(of: "HEALTHCHECK")
        #expect(check[0] == binary[2])
        #expect(throws: Never.self) { try OptionParser.parse(Array(check.dropFirst(2)), for: .named(check[1])) }
    }

    @Test func itsConfigurationKeepsTheCacheInTheVolume() throws {
        let path = "Sources/Deployment/docker/proxy.conf"
        let text = try String(contentsOf: Page.top.appendingPathComponent(path), encoding: .utf8)
        let configuration = try read(text).configuration
        let standard = try read("").configuration
        let volume = try #require(arguments(of: "VOLUME", in: 1).first?.first)
        #expect(configuration.cacheFile?.hasPrefix(volume + "/") == true)
        #expect(configuration.adminListener == standard.adminListener)
        let port = try #require(arguments(of: "EXPOSE", in: 1).first?.first)
        #expect(configuration.listeners.map { "\($0.address.port)" } == [port])
    }

    /// A system's user got a group of another number: it ran as a member of a group that has no
    /// name, and the engine warned of the user's number.
    @Test func userAndGroupHaveOneNumber() throws {
        let user = try #require(arguments(of: "USER", in: 1).first?.first)
        let numbers = user.split(separator: ":").map { Int($0) ?? 0 }
        #expect(numbers.count == 2 && numbers[0] == numbers[1] && numbers[0] > 0)
        let made = try #require(stages[1].first { $0.rest.contains("useradd ") }?.rest)
        #expect(made.contains("useradd --uid \(numbers[0]) --user-group ") && !made.contains("--system"))
        #expect(stages[1].contains { $0.name == "STOPSIGNAL" && $0.rest == "SIGTERM" })
    }
}
