import EventLoop
import TestSupport
import Testing
import Text

@testable import AppleMusic
@testable import Tier
@testable import refrain

@Suite struct TierDirectivesTests {
    private let folder: TemporaryFolder
    private let tier = "shared_tier redis://cache\n"

    init() throws { folder = try TemporaryFolder() }

    @Test func defaultsWithAndWithoutATier() throws {
        for text in ["", "shared_tier off"] {
            let configuration = try read(text).configuration
            #expect(try configuration.sharedTier == nil && configuration.tierSettings() == nil)
            #expect(!configuration.nodeName.isEmpty)
        }
        #expect(try read("node_name a").configuration.nodeName == "a")
        let settings = try #require(try read(tier).configuration.tierSettings())
        #expect(settings.endpoints == [Endpoint(isTLS: false, host: "cache", port: 6379)])
        #expect(settings.keyPrefix == "refrain:" && settings.timeout == .milliseconds(50))
        #expect(settings.user == nil && settings.password == nil && settings.trustAnchorsFile == nil)
        #expect(settings.nodeName == NodeName.ofHost)
    }

    @Test func everySettingReachesTheTier() throws {
        let secret = try folder.put("# by hand\n\n me hunter2 \n", "auth", mode: 0o600)
        let configuration = try read(
            """
            shared_tier rediss://a:1,[::1]
            shared_tier_auth_file '\(secret)'
            shared_tier_ca_file ca.pem
            shared_tier_name test:eu
            shared_tier_timeout 1s
            node_name web-1.example_2
            """
        ).configuration
        let settings = try #require(try configuration.tierSettings())
        #expect(
            settings.endpoints == [
                Endpoint(isTLS: true, host: "a", port: 1), Endpoint(isTLS: true, host: "::1", port: 6379),
            ])
        #expect(settings.user == Array("me".utf8) && settings.password == Array("hunter2".utf8))
        #expect(settings.trustAnchorsFile == "ca.pem" && settings.keyPrefix == "test:eu:")
        #expect(settings.timeout == .seconds(1) && settings.nodeName == "web-1.example_2")
        #expect(configuration.nodeName == "web-1.example_2")
        let absent = try read(tier + "shared_tier_auth_file absent").configuration
        let failure = thrown { () throws(CommandFailure) in try absent.tierSettings() }
        #expect(failure?.status == .configuration)
        #expect(failure?.messages == ["shared_tier_auth_file: absent: No such file or directory"])
    }

    @Test func valuesUpToTheirBoundsAreTaken() {
        let longest = String(repeating: "n", count: 63)
        for name in ["shared_tier_name", "node_name"] {
            #expect(complaints("\(tier)\(name) \(longest)").isEmpty)
            #expect(complaints("\(tier)\(name) \(longest)n").count == 1)
        }
        for time in ["10ms", "1s"] { #expect(complaints("\(tier)shared_tier_timeout \(time)").isEmpty) }
        // A misspelt tier was reported as off.
        let found = complaints("shared_tier cache\nshared_tier_auth_file a\nttl personal 1m")
        #expect(found.count == 1 && found[0].hasPrefix("proxy.conf:1: shared_tier: "))
        for scheme in ["redis-sentinel", "redis+sentinel", "rediss+sentinel", "sentinel"] {
            let refused = complaints("shared_tier \(scheme)://a:26379/main")
            #expect(refused.count == 1 && refused[0].contains("Redis Sentinel is not supported"))
        }
        // Personal answers may be kept beside a tier.
        for words in ["5m", "upstream", "1m stale 1h", "off"] {
            #expect(complaints("\(tier)ttl personal \(words)").isEmpty)
        }
    }

    @Test(arguments: [
        "shared_tier_auth_file a", "shared_tier_ca_file ca.pem", "shared_tier_name b", "shared_tier_timeout 60ms",
    ])
    func tierDirectivesNeedATier(_ line: String) {
        let name = line.prefix { $0 != " " }
        for off in ["", "shared_tier off"] {
            #expect(complaints("\(off)\n\(line)") == ["proxy.conf:2: \(name): needs shared_tier, which is off"])
        }
        #expect(complaints("shared_tier rediss://a\n\(line)").isEmpty)
    }

    private func check(_ text: String, _ words: String...) -> RunResult {
        run(["check"] + words, files: MemoryFiles(texts: ["proxy.conf": text]).access)
    }

    @Test func checkSaysWhatTheTierIs() throws {
        #expect(check("").standard.contains("\n# shared tier: off\n"))
        let text = "shared_tier rediss://a,b:1\nshared_tier_name n\nnode_name web-1"
        let shown = check(text)
        #expect(shown.status == 0)
        #expect(
            shown.standard.contains("\n# shared tier: rediss://a:6379,b:1, keys n:*; this node is web-1\n"), "\(shown)")
        #expect(try read(shown.standard).configuration == read(text).configuration)
        let json = try JSON.parse(Array(check(text, "--json").standard.utf8))
        #expect(json["shared_tier"] == ["url": "rediss://a:6379,b:1", "keys": "n:", "node": "web-1"])
        #expect(try JSON.parse(Array(check("", "--json").standard.utf8))["shared_tier"] == .null)
    }

    /// The file is opened, and nothing of it is shown: neither where all is well nor where it is
    /// not.
    @Test(arguments: [
        ("me hunter2\n", 0), ("me hunter2 hunter2\n", 78), ("hunter2\nhunter2\n", 78), ("# hunter2\n", 78),
    ])
    func checkShowsNoPassword(content: String, status: Int32) throws {
        let secret = try folder.put(content, "auth", mode: 0o600)
        let file = try folder.put(
            "shared_tier redis://a\nshared_tier_auth_file '\(secret)'\n", "proxy.conf", mode: 0o600)
        for words in [["check", "--config", file], ["check", "--config", file, "--json"]] {
            let result = run(words, files: .system)
            #expect(result.status == status, "\(result.error)")
            #expect(!(result.standard + result.error).contains("hunter2"))
        }
    }

    @Test func aHostsNameBecomesOneOfANode() throws {
        #expect(try PlainWord.name(NodeName.ofHost, with: NodeName.others) == NodeName.ofHost)
        #expect(NodeName.named(after: "web-1.example") == "web-1.example")
        #expect(NodeName.named(after: "höst name\n") == "hstname")
        #expect(NodeName.named(after: "") == "node" && NodeName.named(after: "é") == "node")
        let longest = String(repeating: "n", count: 63)
        #expect(NodeName.named(after: longest + "n") == longest)
    }
}

@Suite struct TierCredentialsTests {
    private func read(_ text: String) throws(FileProblem) -> (user: String?, password: String) {
        let found = try TierCredentials(SecretBytes(Array(text.utf8).span))
        func string(_ bytes: SecretBytes) -> String { bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
        return (found.user.map(string), string(found.password))
    }

    @Test(
        arguments: [
            ("p", nil, "p"), ("p\n", nil, "p"), ("u p\r\n", "u", "p"), ("\tu \t p \n\n", "u", "p"),
            ("# who\n  # and what\n\np", nil, "p"), ("u:p\n", nil, "u:p"), ("default #p\n# end\n", "default", "#p"),
            ("päß wörd", "päß", "wörd"),
        ] as [(String, String?, String)])
    func readsTheArgumentsOfAUTH(text: String, user: String?, password: String) throws {
        let found = try read(text)
        #expect(found.user == user && found.password == password)
    }

    @Test(arguments: [
        ("", "no password in the file"), ("\n# p\n", "no password in the file"),
        ("#\na b c", "line 2: expected a password, or a user and a password"),
        ("p\n\nq", "line 3: more than one line of credentials"),
    ])
    func saysWhatIsWrongWithoutTheSecret(text: String, message: String) {
        #expect(thrown { () throws(FileProblem) in try read(text) }?.description == message)
    }
}
