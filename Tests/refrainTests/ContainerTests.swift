import Foundation
import TestSupport
import Testing

@testable import refrain

/// `make try-image` builds and runs the image; here its recipe is held to the tree and the tables.
@Suite struct ContainerTests {
    /// The instructions of each stage: the first word, and the rest with continued lines joined.
    private let stages: [[(name: String, rest: String)]]

    init() throws {
        let text = try Page.text("Sources/Deployment/docker/Dockerfile").replacing("\\\n", with: " ")
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
            "CMD", "ARG",
        ]
        #expect(stages.count == 2)
        for stage in stages { #expect(Set(stage.map(\.name)).isSubset(of: known)) }
    }

    @Test func everythingThatIsCopiedIsThereAndNotIgnored() throws {
        let ignored = try Page(".dockerignore").lines
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
        let packages = try #require(Page("Makefile").lines.first { $0.hasPrefix("PACKAGES = ") })
        let installed = Set(arguments(of: "RUN", in: 0).joined())
        for package in packages.split(separator: " ").dropFirst(2) { #expect(installed.contains(String(package))) }
    }

    /// The context has no git, so the caller names the commit.
    @Test func theBuildIsToldTheCommit() throws {
        let build = stages[0].map(\.name)
        let argument = try #require(stages[0].firstIndex { $0.name == "ARG" && $0.rest == "REFRAIN_COMMIT" })
        #expect(argument < build.lastIndex(of: "RUN") ?? 0)
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
        let configuration = try read(Page.text("Sources/Deployment/docker/proxy.conf")).configuration
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

/// The files for several nodes (`Sources/Deployment`: compose, systemd, haproxy) agree with each
/// other and with the program.
@Suite struct NodeFilesTests {
    private static let folder = "Sources/Deployment/"
    /// Needs Python with PyYAML.
    private static let yaml = Requirement(
        "no yaml module of python3 (apt-get install python3-yaml): the compose file was read by its lines alone"
    ) { (try? Tool("python3")?.run(["-c", "import yaml"]))?.status == 0 }

    private static func lines(_ name: String) throws -> [String] { try Page(folder + name).lines }

    private static func node(_ name: String) throws -> Configuration {
        let text = try lines(name).joined(separator: "\n")
        let files = FileAccess(
            read: { _ in Array(text.utf8) }, problem: { _ in nil },
            secretProblem: { _, _ in nil }, credentialsDirectory: "/run/credentials/refrain@1.service")
        return try ConfigurationReader.read("proxy.conf", files: files).configuration
    }

    /// Variables of HAProxy's environment, with their defaults.
    private static func variables() throws -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: try lines("haproxy/haproxy.cfg").compactMap { line in
                let words = line.split(separator: " ").map(String.init)
                return words.first == "presetenv" ? (words[1], words[2]) : nil
            })
    }

    @Test(arguments: ["compose/node.conf", "systemd/node.conf.example"])
    func nodeFilesExpectABalancerAndAnswerReadiness(_ name: String) throws {
        let configuration = try Self.node(name)
        #expect(configuration.listeners.count == 1 && configuration.listeners.allSatisfy(\.expectsHeader))
        #expect(configuration.adminListener != nil && configuration.cacheFile != nil)
        let text = try Self.lines(name)
        for directive in ["shared_tier redis://", "shared_tier_auth_file "] {
            #expect(text.contains { $0.hasPrefix(directive) }, "\(directive)")
        }
    }

    @Test func haproxyAsksTheContainersWhereTheyListen() throws {
        let compose = try Self.lines("compose/compose.yaml")
        let variables = try Self.variables()
        let node = try Self.node("compose/node.conf")
        let listener = try #require(node.listeners.first)
        let admin = try #require(node.adminListener?.description)
        for number in 1...3 {
            let start = try #require(compose.firstIndex(of: "  node\(number):"))
            let line = try #require(compose[start...].first { $0.contains("ipv4_address") })
            let address = try #require(line.firstMatch(of: /ipv4_address: ([0-9.]+)/)).1
            #expect(compose.contains("      REFRAIN_NODE\(number): \(address):\(listener.address.port)"))
            #expect(variables["REFRAIN_READY\(number)"].map { admin.hasSuffix(":" + $0) } == true)
        }
        for line in compose where line.contains("REFRAIN_") {
            let name = line.trimmingCharacters(in: .whitespaces).prefix { $0 != ":" }
            guard name.hasPrefix("REFRAIN_") else { continue }
            #expect(variables[String(name)] != nil, "\(name)")
        }
    }

    @Test func everyFileThatContainersAreGivenIsThere() throws {
        let place = Page.top.appendingPathComponent(Self.folder + "compose")
        let text = try Self.lines("compose/compose.yaml").joined(separator: "\n")
        let mounted = text.matches(of: /"(\.[^:"]+):[^:"]+:ro"/).map { String($0.1) }
        #expect(mounted.count == 5)
        for path in mounted {
            #expect(FileManager.default.fileExists(atPath: place.appendingPathComponent(path).path), "\(path)")
        }
        let secrets = Set(text.matches(of: /\.\/secrets\/([^}]+)\}/).map { String($0.1) })
        let named = secrets.filter { name in text.prefix(1_000).contains(name) }
        #expect(secrets.count == 5 && named == secrets)
        for line in try Self.lines("compose/node.conf") {
            guard let path = line.firstMatch(of: /\/run\/secrets\/(.+)/) else { continue }
            #expect(secrets.contains(String(path.1)), "\(line)")
        }
    }

    @Test(.requires(yaml)) func theComposeFileIsYAML() throws {
        let program = """
            import json, sys, yaml
            print(json.dumps(yaml.safe_load(open(sys.argv[1]))))
            """
        let path = Page.top.appendingPathComponent(Self.folder + "compose/compose.yaml").path
        let outcome = try #require(Tool("python3")).run(["-c", program, path])
        let object = try JSONSerialization.jsonObject(with: Data(outcome.text.utf8)) as? [String: Any]
        let services = try #require(object?["services"] as? [String: [String: Any]])
        #expect(Set(services.keys) == ["node1", "node2", "node3", "engine", "front"])
        let (volumes, secrets) = (object?["volumes"] as? [String: Any], object?["secrets"] as? [String: Any])
        for (name, service) in services {
            #expect(service["image"] is String, "\(name)")
            for secret in service["secrets"] as? [String] ?? [] { #expect(secrets?[secret] != nil, "\(secret)") }
            for volume in service["volumes"] as? [String] ?? [] where !volume.hasPrefix(".") {
                #expect(volumes?.keys.contains(String(volume.prefix { $0 != ":" })) == true, "\(volume)")
            }
            for other in service["depends_on"] as? [String] ?? [] { #expect(services[other] != nil, "\(other)") }
        }
    }
}
