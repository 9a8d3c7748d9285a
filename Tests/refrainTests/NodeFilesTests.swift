import Foundation
import TestSupport
import Testing

@testable import refrain

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
