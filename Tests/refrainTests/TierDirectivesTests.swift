import EventLoop
import TestSupport
import Testing
import Text

@testable import Tier
@testable import refrain

@Suite struct TierDirectivesTests {
    private let folder: TemporaryFolder
    private let tier = "shared_tier redis://cache\n"

    init() throws { folder = try TemporaryFolder() }

    @Test func nothingIsSharedByDefault() throws {
        for text in ["", "shared_tier off"] {
            let configuration = try read(text).configuration
            #expect(try configuration.sharedTier == nil && configuration.tierSettings() == nil)
            #expect(!configuration.nodeName.isEmpty)
        }
        #expect(try read("node_name a").configuration.nodeName == "a")
    }

    @Test func theDefaultsBesideAnAddress() throws {
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
    }

    @Test func aMissingSecretIsABadSetting() throws {
        let configuration = try read(tier + "shared_tier_auth_file absent").configuration
        let failure = thrown { () throws(CommandFailure) in try configuration.tierSettings() }
        #expect(failure?.status == .configuration)
        #expect(failure?.messages == ["shared_tier_auth_file: absent: No such file or directory"])
    }

    @Test(arguments: [
        ("shared_tier_name", "a/b"), ("shared_tier_name", "é"), ("shared_tier_name", "''"),
        ("shared_tier_timeout", "9ms"), ("shared_tier_timeout", "1001ms"), ("shared_tier_timeout", "50"),
        ("shared_tier_auth_file", "''"), ("node_name", "a:b"), ("node_name", "''"), ("node_name", "'a b'"),
    ])
    func refusesBadValues(name: String, arguments: String) {
        let found = complaints("\(tier)\(name) \(arguments)")
        #expect(found.count == 1 && found[0].hasPrefix("proxy.conf:2: \(name): "), "\(found)")
    }

    @Test func valuesUpToTheirBoundsAreTaken() {
        let longest = String(repeating: "n", count: 63)
        for name in ["shared_tier_name", "node_name"] {
            #expect(complaints("\(tier)\(name) \(longest)").isEmpty)
            #expect(complaints("\(tier)\(name) \(longest)n").count == 1)
        }
        for time in ["10ms", "1s"] { #expect(complaints("\(tier)shared_tier_timeout \(time)").isEmpty) }
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

    /// A misspelt tier was reported as off.
    @Test func aMisspeltTierIsNotOff() {
        let found = complaints("shared_tier cache\nshared_tier_auth_file a\nttl personal 1m")
        #expect(found.count == 1 && found[0].hasPrefix("proxy.conf:1: shared_tier: "))
    }

    @Test(arguments: ["5m", "upstream", "1m stale 1h", "off"]) func personalAnswersMayBeKeptBesideATier(
        _ words: String
    ) {
        #expect(complaints("\(tier)ttl personal \(words)").isEmpty)
    }

    @Test func noReloadChangesAnyOfThem() throws {
        let after = """
            shared_tier rediss://a
            shared_tier_auth_file f
            shared_tier_ca_file ca.pem
            shared_tier_name n
            shared_tier_timeout 10ms
            node_name b
            """
        let refused = try read(after).changesThatNeedRestart(since: read("").lines, path: "proxy.conf")
        #expect(refused.map(\.place?.line) == [1, 2, 3, 4, 5, 6])
        let spelling = "shared_tier redis://CACHE:6379\nshared_tier_timeout 50ms"
        #expect(try read(spelling).changesThatNeedRestart(since: read(tier).lines, path: "proxy.conf").isEmpty)
    }
}

@Suite struct TierCheckTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func check(_ text: String, _ words: String...) -> (status: Int32, standard: String, error: String) {
        let result = run(["check"] + words, files: MemoryFiles(texts: ["proxy.conf": text]).access)
        return (result.status, result.standard, result.error)
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
}
