import Recording
import Testing

@testable import Proxy
@testable import Traffic
@testable import refrain

@Suite struct DirectiveTests {
    @Test func theGrammarSaysHowManyArgumentsThereAre() {
        func count(_ grammar: String) -> ClosedRange<Int> {
            Directive("d", grammar, why: "") { _, _ in }.argumentCount
        }
        #expect(count("FILE") == 1...1)
        #expect(count("ADDRESS:PORT [tls]") == 1...2)
        #expect(count("ADDRESS:PORT [tls] [proxy_protocol]") == 1...3)
        #expect(count("CLASS DURATION|off [stale DURATION]") == 2...4)
        #expect(count("ORIGIN ...") == 1...Int.max)
    }

    @Test(arguments: Directive.table.map(\.name)) func checksTheNumberOfArguments(_ name: String) throws {
        let directive = try #require(Directive.named(name))
        let most = directive.argumentCount.upperBound
        let few = complaints("\(name)")
        #expect(few == ["proxy.conf:1: \(name): expected \(directive.arguments), found 0 arguments"])
        guard most < Int.max else { return }
        let many = complaints(name + String(repeating: " x", count: most + 1))
        #expect(many == ["proxy.conf:1: \(name): expected \(directive.arguments), found \(most + 1) arguments"])
    }

    @Test func everyChoiceOfAGrammarIsAccepted() {
        let isWord: (Substring) -> Bool = { $0.allSatisfy(\.isLowercase) }
        for directive in Directive.table where !directive.arguments.contains(" ") {
            for choice in directive.arguments.split(separator: "|") where isWord(choice) {
                #expect(complaints("\(directive.name) \(choice)").isEmpty, "\(directive.name) \(choice)")
            }
        }
    }

    @Test(arguments: [
        ("listen", "8080"), ("listen", "127.0.0.1:8080 ssl"), ("admin_listen", "on"), ("admin_listen", "unix:"),
        ("upstream", "api.music.apple.com"), ("connections_per_address", "0"), ("connections_per_address", "all"),
        ("request_memory", "10k"), ("request_memory", "much"), ("answer_memory", "10k"), ("forward_fields", "X Y:"),
        ("forward_fields", "X-A Cookie"), ("forward_fields", "authorization"), ("upstream_connections", "0"),
        ("upstream_connections", "many"), ("upstream_rate", "20"), ("upstream_response_timeout", "60"),
        ("upstream_connect_timeout", "0s"), ("upstream_content_timeout", "2d"), ("client_idle_timeout", "9ms"),
        ("client_head_timeout", "off"), ("other", "off"), ("developer_key_id", "a/b"), ("developer_team_id", "é"),
        ("developer_token_lifetime", "119s"), ("developer_token_lifetime", "15777001s"), ("cache_file", "\"\""),
        ("cache_size", "0"), ("cache_size", "1GB"), ("cache_file_locked", "wait"), ("cache_check", "1MiB"),
        ("cache_check", "0/s"), ("cache_check", "fast/s"), ("memory_size", "-1"), ("ttl", "album 1d"),
        ("ttl", "albums 1"), ("ttl", "albums 1d stale"), ("ttl", "albums 1d for 2d"), ("ttl", "albums off stale 1d"),
        ("ttl", "albums 1d stale upstream"), ("compose", "yes"), ("verify_sample", "1"), ("verify_sample", "0"),
        ("verify_sample", "0%"), ("verify_sample", "101%"), ("verify_sample", "0.00001%"), ("verify_sample", "on"),
        ("windows", "verify"), ("batch", "1"), ("next", "drop"), ("cors_origin", "app.example.com"),
        ("cors_origin", "https://app.example.com/"), ("cors_origin", "null"), ("cors_origin", "https://*"),
        ("cors_origin", "https://*.com"), ("cors_origin", "https://a.*.example.com"),
        ("cors_origin", "capacitor:localhost"), ("cors_origin", "capacitor://"),
        ("cors_origin", "capacitor://localhost/"), ("cors_origin", "1a://localhost"),
        ("cors_origin", "https://*.10.0.0.1"), ("cors_origin", "chrome-extension://*"),
        ("trusted_proxy", "lb.example"), ("trusted_proxy", "10.0.0.0/33"), ("access_log", "syslog:server=10.0.0.1"),
        ("access_log", "Syslog:"), ("access_log", "|cat"), ("access_log", "-"), ("access_log", "STDERR json"),
        ("access_log", "stdout xml"), ("access_log", "\"\" json"), ("log_level", "verbose"), ("workers", "0"),
        ("workers", "1025"), ("record", "''"), ("record", "a on"), ("record", "a off off"), ("record", "a sample"),
        ("record", "a sample 0%"), ("record", "a sample 101%"), ("record", "a sample 5"), ("record", "a sample nan%"),
        ("record", "a size 1k"), ("record", "a files 0"), ("record", "a files 1 files 2"), ("shared_tier_name", "a/b"),
        ("shared_tier_name", "é"), ("shared_tier_name", "''"), ("shared_tier_timeout", "9ms"),
        ("shared_tier_timeout", "1001ms"), ("shared_tier_timeout", "50"), ("shared_tier_auth_file", "''"),
        ("node_name", "a:b"), ("node_name", "''"), ("node_name", "'a b'"),
    ])
    func refusesBadValues(name: String, arguments: String) {
        let found = complaints("shared_tier redis://cache\n\(name) \(arguments)\n")
        // An identifier alone also lacks its key; that is the second complaint.
        #expect(found.count == (name.hasSuffix("_id") ? 2 : 1), "\(found)")
        #expect(found.allSatisfy { $0.hasPrefix("proxy.conf:2: \(name): ") }, "\(found)")
    }

    @Test(arguments: [
        ("cors_origin https://example.com/", "\"https://example.com/\" has a \"/\" after the host; an origin"),
        ("cors_origin https://example.com/app", "\"https://example.com/app\" has a \"/\" after the host; an origin"),
        ("listen unix:/x", "\"unix:/x\" is not an ADDRESS:PORT such as 127.0.0.1:8080 or [::1]:8080; only admin"),
    ])
    func theMessageNamesTheMistake(line: String, message: String) {
        let found = complaints(line)
        #expect(found.count == 1 && found[0].contains(": " + message), "\(found)")
    }

    @Test(arguments: [
        ("", 10_000), ("verify_sample off", 0), ("verify_sample 0.1%", 1_000),
        ("verify_sample 5%", 50_000), ("verify_sample 100%", 1_000_000), ("verify_sample 0.0001%", 1),
    ])
    func theSampleOfComposedAnswersIsAShare(line: String, millionths: Int) throws {
        #expect(try read(line).configuration.verifySample == millionths)
    }

    /// Apps in web views were refused, so that naming origins shut them out.
    @Test(arguments: [
        ("https://App.example.com:443", "https://app.example.com"), ("capacitor://localhost", "capacitor://localhost"),
        ("tauri://localhost", "tauri://localhost"), ("ionic://localhost:8100", "ionic://localhost:8100"),
        ("chrome-extension://abcdefghijklmnop", "chrome-extension://abcdefghijklmnop"),
        ("Safari-Web-Extension://1E2A-BC", "safari-web-extension://1E2A-BC"), ("file://", "file://"),
        ("https://*.Example.com", "https://*.example.com"), ("http://*.localhost:3000", "http://*.localhost:3000"),
        ("https://*.example.com:443", "https://*.example.com"),
    ])
    func originsOfAnySchemeAndOfDomainsAreTaken(text: String, spelling: String) throws {
        #expect(try read("cors_origin \(text)").configuration.corsOrigins == [spelling])
    }

    @Test func logsAndRecordingsGoWhereTheySay() throws {
        for (word, destination) in [
            ("stdout", AccessLogSetting.Destination.standardOutput), ("/dev/stdout", .standardOutput),
            ("stderr", .standardError), ("/dev/stderr", .standardError), ("off", .off), ("./-", .file("./-")),
            ("./STDOUT", .file("./STDOUT")), ("/var/log/syslog", .file("/var/log/syslog")),
        ] { #expect(try read("access_log \(word)").configuration.accessLog.destination == destination, "\(word)") }
        let line = try RecordingLine(words: ["a", "files", "9", "sample", "0.5%", "off", "size", "1MiB"])
        let settings = RecordingSettings(path: "a", sampling: 0.005, mostBytes: 1 << 20, mostFiles: 9)
        #expect(line.settings == settings && !line.isOn)
        #expect(try RecordingLine(words: ["b"]).isOn)
        #expect(try RecordingLine(words: ["b"]).settings == RecordingSettings(path: "b"))
    }

    @Test func theAccessLogTakesConditions() throws {
        func selection(_ words: String) throws -> LogSelection? {
            try read("access_log stdout " + words).configuration.accessLog.selection
        }
        #expect(try selection("json") == nil && selection("") == nil)
        let all = try #require(try selection("json if status>=400 or slow>1s or outcome!=hit or sample 1%"))
        #expect(all.conditions.count == 3 && all.sample == 10_000)
        #expect(all.conditions.map(\.isNegated) == [false, false, true])
        #expect(try selection("if sample 0.5%") == LogSelection([], sample: 5000))
        #expect(try selection(#"if "user-agent=My App""#)?.conditions.count == 1)
        #expect(try selection("if user-agent=<script or status!=>400")?.conditions.count == 2)
        for (words, message) in [
            ("if", "expected a condition"), ("json status>=400", "is not if"), ("if status>=4", "expected a status"),
            ("if statis>=400", "did you mean \"status\"?"), ("if status>=400 slow>1s", "is not or"),
            ("if status>=400 or", "expected a condition"), ("if sample", "sample needs a share"),
            ("if sample 0%", "is not a share"), ("if sample 1% or sample 2%", "sample is given twice"),
            ("if outcome>miss", "expected one of"), ("if status", "is not a condition"),
            // Taken as a bound, without a word.
            ("if status=>400", "write status>400 or status>=400"), ("if slow=<1s", "write slow<1s or slow<=1s"),
            ("if status=>=400", "write status>400 or status>=400"),
            // It was called no condition, or a word that is not or.
            ("if status >= 400", "\"status >= 400\": write status>=400 without blanks"),
            ("if outcome= miss or slow>1s", "write outcome=miss without blanks"),
            // Such a condition never held, and nothing said so.
            ("if reason=foo", "expected a word of the log"), ("if reason=absnt", "did you mean \"absent\"?"),
            ("if target=v1/foo", "expected a target"),
        ] {
            do {
                let read = try read("access_log stdout " + words)
                Issue.record("\(words): \(read.configuration.accessLog)")
            } catch {
                #expect("\(error)".contains(message), "\(words): \(error)")
            }
        }
    }

    @Test(arguments: ["/", "/v1/healthz", "/a?b", "/a*", "healthz", "/a b", "/x/../y", "/./a", "/a//b", "/a%2Fb"])
    func pathsThatCannotBeTheHealthPathAreRefused(path: String) {
        #expect(throws: (any Error).self) { try read("health \"\(path)\"") }
    }

    @Test func readsSizesAndDurations() throws {
        let sizes = [
            "0": 0, "17": 17, "10k": 10_240, "64MiB": 67_108_864, "2GiB": 2_147_483_648, "1m": 1 << 20, "3T": 3 << 40,
        ]
        for (text, bytes) in sizes { #expect(try Quantity.size(text) == bytes, "\(text)") }
        #expect(try Quantity.sizeRate("256KiB/s") == 256 << 10)
        for text in ["0/s", "1MiB", "/s", "1/m", "-1k/s", "1MiB/s/s"] {
            #expect(throws: ValueError.self, "\(text)") { try Quantity.sizeRate(text) }
        }
        let durations: [String: Duration] = [
            "500ms": .milliseconds(500), "30s": .seconds(30), "15m": .seconds(900), "12h": .seconds(43_200),
            "7d": .seconds(604_800), "0s": .zero,
        ]
        for (text, duration) in durations { #expect(try Quantity.duration(text) == duration, "\(text)") }
    }

    @Test func refusesOtherSizesAndDurations() throws {
        let sizes = ["", "k", "-1k", "+1", "1.5GiB", "1 k", "10MB", "9223372036854775808", "9007199254740992k", "٣k"]
        // `check` added sizes up that fit alone, and was killed by the overflow.
        for text in sizes + ["1025TiB", "1125899906842625", "8388607TiB", "8388608TiB"] {
            #expect(throws: ValueError.self, "\(text)") { try Quantity.size(text) }
        }
        #expect(try Quantity.size("1024TiB") == 1 << 50 && Quantity.size("1125899906842624") == 1 << 50)
        for text in ["", "30", "s", "-1s", "1.5h", "1w", "1H", "36501d", "9223372036854775807d", "1h30m"] {
            #expect(throws: ValueError.self, "\(text)") { try Quantity.duration(text) }
        }
    }

    @Test func readsRatesAndCountsWithinTheirBounds() throws {
        #expect(try Quantity.rate("20/s") == 20)
        #expect(try Quantity.count("4", in: 1...4) == 4)
        for text in ["0/s", "20", "20/m", "/s", "-1/s", "1000000001/s"] {
            #expect(throws: ValueError.self, "\(text)") { try Quantity.rate(text) }
        }
        for text in ["0", "5", "", "4x", "+4"] {
            #expect(throws: ValueError.self, "\(text)") { try Quantity.count(text, in: 1...4) }
        }
    }

    /// Rates below one a second were wrong usage.
    @Test(arguments: [
        ("20/s", 20.0), ("0.5/s", 0.5), ("30/m", 0.5), ("1/2s", 0.5), ("1.5/10s", 0.15), ("1/h", 1 / 3600.0),
    ]) func requestsComeInASpanOfTime(_ text: String, _ perSecond: Double) throws {
        let rate = try Quantity.requestRate(text)
        #expect(abs(rate.perSecond - perSecond) < 1e-12)
        #expect(rate.due(0) == 0 && abs(rate.due(1) - Int64(1e9 / perSecond)) <= 1)
        #expect(rate.due(.max) == 1_000_000_000_000_000_000)
        #expect(rate.count(before: rate.due(3)) == 3 && rate.count(before: rate.due(3) + 1) == 4)
    }

    @Test(arguments: [
        "", "5", "/s", "0/s", "0.0/s", ".5/s", "5./s", "1/0s", "1/d", "1/s/s", "-1/s", "1e3/s", "0.0001/s",
        "0.001/3600h", "1/25h", "999999999.999/3600h",
    ])
    func malformedRequestRatesAreRefused(_ text: String) {
        #expect(throws: ValueError.self) { try Quantity.requestRate(text) }
    }
}
