import TestSupport
import Testing

@testable import refrain

@Suite struct TierURLTests {
    @Test(arguments: [
        ("redis://10.0.0.1:7000", "redis://10.0.0.1:7000"), ("redis://cache", "redis://cache:6379"),
        ("REDISS://Cache.Example,b:1", "rediss://cache.example:6379,b:1"),
        ("redis://[::1]:65535,[fd00::2],127.0.0.1", "redis://[::1]:65535,[fd00::2]:6379,127.0.0.1:6379"),
    ])
    func readsAddressesInTheirOrder(text: String, spelling: String) throws {
        let url = try TierURL(text)
        #expect(url.description == spelling && url.isTLS == spelling.hasPrefix("rediss"))
        #expect(url.engines.allSatisfy { $0.isTLS == url.isTLS })
        #expect(try TierURL(spelling) == url, "what is shown is read alike")
    }

    @Test(arguments: [
        "", "cache:6379", "http://cache", "on", "redis:cache", "redis://", "redis://a,", "redis://,a", "redis://a,,b",
        "redis://a:0", "redis://a:65536", "redis://a:x", "redis://[::1", "redis://[a]", "redis://::1", "redis://a b",
        "redis://a,a:6379",
    ])
    func refusesWhatIsNoListOfAddresses(_ text: String) {
        #expect(throws: ValueError.self) { try TierURL(text) }
    }

    @Test(arguments: ["redis://a,rediss://b", "rediss://a,redis://b", "redis://a,redis://b"])
    func thereIsOneScheme(_ text: String) {
        let error = thrown { () throws(ValueError) in try TierURL(text) }
        #expect(error?.message == "write the scheme once, before the first address; it applies to all")
    }

    /// A password in the URL was to be refused, and must not reach the log with its refusal.
    @Test(arguments: [
        "redis://me:hunter2@a:6379", "redis://:hunter2@a", "redis://a,b/hunter2", "redis://a?password=hunter2",
        "redis://a#hunter2", "redis://a:hunter2", "redis://hunter2:hunter2", "redis://a,hunter2@b",
    ])
    func saysWhereAPasswordBelongsWithoutRepeatingIt(_ text: String) throws {
        let found = complaints("shared_tier '\(text)'")
        try #require(found.count == 1 && found[0].hasPrefix("proxy.conf:1: shared_tier: "), "\(found)")
        #expect(found[0].contains("shared_tier_auth_file") && !found[0].contains("hunter2"), "\(found)")
    }

    @Test func aValueWithoutASchemeIsNotRepeated() {
        let found = complaints("shared_tier me:hunter2@cache")
        #expect(
            found == [
                "proxy.conf:1: shared_tier: expected off, or a URL that begins with redis:// or rediss://"
            ])
    }

    @Test func addressesAreBounded() throws {
        func url(_ count: Int) -> String { "redis://" + (0..<count).map { "host\($0)" }.joined(separator: ",") }
        #expect(try TierURL(url(TierURL.mostEngines)).engines.count == TierURL.mostEngines)
        #expect(throws: ValueError("more than 16 addresses")) { try TierURL(url(TierURL.mostEngines + 1)) }
    }
}
