import EventLoop
import Freshness
import TestSupport
import Testing

@testable import refrain

@Suite struct ConfigurationReaderTests {
    /// `ExampleFileTests` and the page of directives hold the defaults to their descriptions.
    @Test func defaultsHoldUntilALineReplacesThem() throws {
        let effective = try read("")
        #expect(effective.lines.allSatisfy { $0.place == nil })
        #expect(try ConfigurationReader.standard().configuration == effective.configuration)
        let lines = try read("listen 127.0.0.1:1\nlisten 127.0.0.1:2").lines.filter { $0.directive.name == "listen" }
        #expect(lines.map(\.words) == [["127.0.0.1:1"], ["127.0.0.1:2"]])
        #expect(lines.map(\.place?.line) == [1, 2])
    }

    @Test func aClassOfTheCatalogWithoutALineFollowsCatalog() throws {
        let configuration = try read("ttl songs 2h stale 1d\nttl charts off\nttl other 500ms").configuration
        let day = 86_400
        #expect(configuration.ttl(for: .songs) == .fixed(7200, stale: day))
        #expect(configuration.ttl(for: .albums) == .fixed(day, stale: day * 7))
        #expect(configuration.ttl(for: .charts) == .off)
        #expect(configuration.ttl(for: .other) == .fixed(1, stale: 0), "a part of a second counts as one")
        #expect(configuration.ttl(for: .personal) == .off)
        #expect(configuration.ttl["not-found"] == .fixed(60, stale: 0))
        #expect(configuration.policy.badRequest == .fixed(60, stale: 0))
        #expect(try read("ttl bad-request off").configuration.policy.badRequest == .off)
        #expect(try read("ttl search upstream stale 1h").configuration.ttl(for: .search) == .origin(stale: 3600))
    }

    /// Most of those that had been added since were not in it.
    @Test func readsEveryDirective() throws {
        var written = try read("").lines
        func expect(_ text: String, _ holds: (Configuration) -> Bool) throws {
            let effective = try read(text)
            written += effective.lines
            #expect(holds(effective.configuration), "\(text)")
        }
        try expect(
            "listen 127.0.0.1:80\nlisten [::1]:443 tls\ntls_certificate cert.pem\ntls_certificate_key 'my key.pem'"
        ) {
            $0.listeners.map(\.isTLS) == [false, true] && $0.tlsCertificateFile == "cert.pem"
                && $0.tlsCertificateKeyFile == "my key.pem"
        }
        try expect("http2 off\nconnections_per_address 7") { !$0.http2 && $0.connectionsPerAddress == 7 }
        try expect("admin_listen 0.0.0.0:9\nadmin_token_file admin.token") {
            $0.adminListener?.description.hasPrefix("0.0.0.0:") == true && $0.adminTokenFile == "admin.token"
        }
        try expect("trusted_proxy 10.0.0.0/8\nforward_fields X-Gateway\nother refuse") {
            $0.trustedProxies.count == 1 && $0.forwardedFields == ["X-Gateway"] && !$0.servesOther
        }
        try expect("health /healthz") { $0.healthPath == "/healthz" }
        try expect("request_memory 32MiB\nanswer_memory 33MiB") {
            $0.requestMemory == 32 << 20 && $0.answerMemory == 33 << 20
        }
        try expect(
            "upstream http://127.0.0.1:8090\nupstream_ca_file ca.pem\nupstream_connections 7\nupstream_rate 20/s"
        ) {
            $0.upstream == Endpoint(isTLS: false, host: "127.0.0.1", port: 8090) && $0.upstreamCAFile == "ca.pem"
                && $0.upstreamConnections == 7 && $0.upstreamRate == 20
        }
        try expect("upstream_connect_timeout 1s\nupstream_response_timeout 2m\nupstream_content_timeout 500ms") {
            $0.upstreamTimeouts.connect == .seconds(1) && $0.upstreamTimeouts.response == .seconds(120)
                && $0.upstreamTimeouts.content == .milliseconds(500)
        }
        try expect("client_idle_timeout 75s\nclient_head_timeout 1m") {
            $0.clientTimeouts.idle == .seconds(75) && $0.clientTimeouts.head == .seconds(60)
        }
        try expect("developer_token_file ready.token") { $0.developerTokenFile == "ready.token" }
        let key = "developer_key_file key.p8\ndeveloper_key_id ABC123DEFG\ndeveloper_team_id DEF123GHIJ"
        try expect(key + "\ndeveloper_token_lifetime 15777000s") {
            $0.developerKeyFile == "key.p8" && $0.developerKeyID == "ABC123DEFG" && $0.developerTeamID == "DEF123GHIJ"
                && $0.developerTokenLifetime == .seconds(15_777_000) && $0.developerTokenFile == nil
        }
        try expect("music_user_token_file user.token\nclient_keys_file keys") {
            $0.musicUserTokenFile == "user.token" && $0.clientKeysFile == "keys"
        }
        try expect("cache_file off\ncache_file_locked memory\ncache_check 2MiB/s\ncache_size 10MiB\nmemory_size 0") {
            $0.cacheFile == nil && !$0.endsWithoutCacheFile && $0.cacheCheck == 2 << 20 && $0.cacheSize == 10 << 20
                && $0.memorySize == 0
        }
        try expect("ttl albums 2h\nttl_speed 2") { $0.ttl(for: .albums) == .fixed(7200, stale: 0) && $0.ttlSpeed == 2 }
        let tier = "shared_tier rediss://127.0.0.1\nshared_tier_auth_file tier.auth\nshared_tier_ca_file ca.pem"
        try expect(tier + "\nshared_tier_name music\nshared_tier_timeout 70ms\nnode_name node-7") {
            $0.sharedTier?.isTLS == true && $0.sharedTierAuthFile == "tier.auth" && $0.sharedTierCAFile == "ca.pem"
                && $0.sharedTierName == "music" && $0.sharedTierTimeout == .milliseconds(70)
                && $0.writtenNodeName == "node-7"
        }
        try expect("compose verify\nverify_sample 2%\nwindows off\nbatch off") {
            $0.composition.compose == .verify && $0.verifySample == 20_000 && !$0.composition.windows
                && !$0.composition.batch
        }
        try expect("superset_includes off\ndocumented_forms on\nnext complete") {
            !$0.composition.supersets && $0.documentedForms == .on && $0.composition.completesNext
        }
        try expect("cors_origin https://a.example http://localhost:3000\ncors_headers X-App") {
            $0.corsOrigins == ["https://a.example", "http://localhost:3000"] && $0.corsHeaders == ["X-App"]
        }
        try expect("access_log /var/log/refrain.log json\nlog_level debug\nrecord traffic.rec\nworkers 3") {
            $0.accessLog == AccessLogSetting(destination: .file("/var/log/refrain.log"), format: .json)
                && $0.logLevel == .debug && $0.recording?.settings.path == "traffic.rec" && $0.workers == 3
        }
        let standard = try ConfigurationReader.standard().configuration
        // Other tests read included files.
        for directive in Directive.table where directive.name != Directive.include {
            let line = written.first { $0.directive.name == directive.name && $0.place != nil }
            var changed = standard
            try directive.apply(&changed, try #require(line, "no line has \(directive.name)").words)
            #expect(changed != standard, "\(directive.name) changes nothing")
        }
    }

    @Test func listsEverythingThatIsWrongInReadingOrder() {
        let found = complaints("listn 1\nworkers x\nlisten 0.0.0.0:443 tls\ncompose maybe\n'")
        #expect(
            found == [
                "proxy.conf:1: unknown directive \"listn\"; did you mean \"listen\"?",
                "proxy.conf:2: workers: \"x\" is not a number from 1 to 1024",
                "proxy.conf:3: listen: tls needs tls_certificate",
                "proxy.conf:3: listen: tls needs tls_certificate_key",
                "proxy.conf:4: compose: \"maybe\" is not on, verify or off",
                "proxy.conf:5: a quote is not closed",
            ])
        #expect(complaints("workers 1;") == ["proxy.conf:1: workers: a directive ends with its line, not with \";\""])
        let token = "eyJ" + String(repeating: "x", count: 300) + "SIGNATURE"
        #expect(!complaints("developer_key_id \(token)").joined().contains("SIGNATURE"))
        #expect(!complaints("\(token)").joined().contains("SIGNATURE"))
    }

    /// `listen` was told that TLS needs the key that the second line names.
    @Test func aLineThatIsWrongIsNotMissing() {
        let tls = "listen 127.0.0.1:443 tls\ntls_certificate cert.pem\n"
        let key = "developer_key_file $CREDENTIALS_DIRECTORY/p8\ndeveloper_key_id A\ndeveloper_team_id B"
        for text in [tls + "tls_certificate_key $CREDENTIALS_DIRECTORY/key", tls + "tls_certificate_key", key] {
            let found = complaints(text)
            #expect(found.count == 1 && found[0].contains("_key"), "\(found)")
        }
    }

    private func errors(_ texts: [String: String], from path: String = "etc/proxy.conf") -> [String] {
        complaints(at: path, in: MemoryFiles(texts: texts).access)
    }

    @Test func isRelativeToTheFileThatIncludes() throws {
        let texts = [
            "etc/proxy.conf": "include parts/a.conf\nworkers 2",
            "etc/parts/a.conf": "include ../b.conf\nnext complete",
            "etc/b.conf": "compose off",
        ]
        let effective = try ConfigurationReader.read("etc/proxy.conf", files: MemoryFiles(texts: texts).access)
        let written = effective.lines.compactMap { $0.place?.description }
        #expect(Set(written) == ["etc/b.conf:1", "etc/parts/a.conf:2", "etc/proxy.conf:2"])
        #expect(ConfigurationReader.resolve("b", besides: "a") == "b")
        #expect(ConfigurationReader.resolve("./x/../b", besides: "/etc/a") == "/etc/b")
        #expect(ConfigurationReader.resolve("/b", besides: "/etc/a") == "/b")
        #expect(ConfigurationReader.resolve("../../b", besides: "etc/a") == "../b")
    }

    @Test func depthIsBounded() {
        func texts(_ count: Int) -> [String: String] {
            var texts = ["0": ""]
            for index in 1...count { texts["\(index)"] = "include \(index - 1)" }
            return texts
        }
        let most = ConfigurationReader.maxIncludeDepth
        #expect(errors(texts(most - 1), from: "\(most - 1)").isEmpty)
        #expect(errors(texts(most), from: "\(most)") == ["1:1: more than 16 files deep"])
    }

    @Test func wrongIncludesAreReportedWhereTheyAre() {
        #expect(
            errors(["etc/proxy.conf": "workers 1\ninclude a.conf", "etc/a.conf": "workers 1"])
                == ["etc/a.conf:1: workers is already set at etc/proxy.conf:1"])
        #expect(
            errors(["etc/proxy.conf": "\ninclude a.conf"])
                == ["etc/proxy.conf:2: cannot read etc/a.conf: No such file or directory"])
        let texts = [
            "etc/proxy.conf": "\ninclude a.conf", "etc/a.conf": "include ./b.conf",
            "etc/b.conf": "include ../etc/a.conf",
        ]
        #expect(errors(texts) == ["etc/b.conf:1: etc/a.conf includes itself: etc/a.conf -> etc/b.conf -> etc/a.conf"])
    }

    /// `record off` was a recording to a file of that name.
    @Test func aWordIsNoFileName() throws {
        #expect(try read("record off").configuration.recording == nil)
        #expect(complaints("access_log json").first?.contains(#"as in "stdout json""#) == true)
        #expect(complaints("access_log ./json").isEmpty)
    }

    @Test func theDirectoryOfCredentialsIsTheOneVariable() throws {
        var files = MemoryFiles(texts: [
            "proxy.conf": "developer_token_file $CREDENTIALS_DIRECTORY/token\naccess_log $CREDENTIALS_DIRECTORY/log"
        ]).access
        #expect(throws: CommandFailure.self) { try ConfigurationReader.read("proxy.conf", files: files) }
        files.credentialsDirectory = "/run/credentials/refrain.service"
        let configuration = try ConfigurationReader.read("proxy.conf", files: files).configuration
        #expect(configuration.developerTokenFile == "/run/credentials/refrain.service/token")
        #expect(configuration.accessLog.destination == .file("$CREDENTIALS_DIRECTORY/log"))
    }

    private func words(_ text: String) throws(ValueError) -> [String] {
        try ConfigurationLexer.words(of: Array(text.utf8)[...])
    }

    @Test func splitsWordsAndTakesOffQuotesAndComments() throws {
        #expect(try words("  listen\t 127.0.0.1:80  tls ") == ["listen", "127.0.0.1:80", "tls"])
        #expect(try words(" \t").isEmpty)
        #expect(try words("# all of it").isEmpty)
        #expect(try words("a b #c d") == ["a", "b"])
        #expect(try words("a b#c") == ["a", "b#c"])
        #expect(try words(#"f "a b#c" 'd "e" \'"#) == ["f", "a b#c", #"d "e" \"#])
        #expect(try words(#"f "a\"b\\c\n""#) == ["f", #"a"b\c\n"#])
        #expect(try words(#"f """#) == ["f", ""])
    }

    @Test func refusesWhatCannotBeMeant() {
        for text in [#"f "a"#, "f 'a\"", #"f "a"b"#, "f a\u{1}", "f \"a\u{0}\""] {
            #expect(throws: ValueError.self, "\(text)") { try words(text) }
        }
        #expect(throws: ValueError("not UTF-8")) { try ConfigurationLexer.words(of: [0x61, 0xFF]) }
    }

    @Test func countsLinesFromOneAndSurvivesOtherEditors() {
        var errors: [ConfigurationError] = []
        let bytes = [0xEF, 0xBB, 0xBF] + Array("a b\r\n\n# c\r\n'open\nd".utf8)
        let lines = ConfigurationLexer.lines(of: bytes, file: "f", errors: &errors)
        #expect(lines.map(\.words) == [["a", "b"], ["d"]])
        #expect(lines.map(\.place.description) == ["f:1", "f:5"])
        #expect(errors.map(\.description) == ["f:4: a quote is not closed"])
    }

    @Test func readsBackWhatItSpells() throws {
        var generator = SeededGenerator(seed: 1)
        let alphabet = Array(##"ab "'\#é/"##)
        for _ in 0..<200 {
            let written = (0..<3).map { _ in
                let count = Int.random(in: 0...6, using: &generator)
                return String((0..<count).map { _ in alphabet.randomElement(using: &generator)! })
            }
            let line = written.map(ConfigurationLexer.spelling).joined(separator: " ")
            #expect(try words(line) == written, "\(line)")
        }
    }

    /// Lines that are valid each by itself, and the complaint about them together; nil for none.
    private static let together: KeyValuePairs<String, String?> = [
        "listen 127.0.0.1:443 tls\ntls_certificate cert.pem\ntls_certificate_key k": nil,
        "listen 127.0.0.1:443 tls\ntls_certificate cert.pem": "1: listen: tls needs tls_certificate_key",
        "tls_certificate y": "1: tls_certificate: \"y\": No such file or directory",
        "upstream_ca_file x": "1: upstream_ca_file: \"x\": No such file or directory",
        // One address is taken once.
        "listen 127.0.0.1:1\nlisten localhost:1": "2: listen: 127.0.0.1:1 is already taken at proxy.conf:1",
        "admin_listen 127.0.0.1:8080":
            "1: admin_listen: 127.0.0.1:8080 is already taken by the default of listen",
        "listen 127.0.0.1:0\nlisten 127.0.0.1:0\nadmin_listen 127.0.0.1:0": nil,
        // `check` was silent, and `serve` ended with "Address already in use".
        "listen 0.0.0.0:1\nlisten 127.0.0.1:1":
            "2: listen: 127.0.0.1:1 is already taken by 0.0.0.0:1 at proxy.conf:1",
        "listen [::1]:1\nadmin_listen [::]:1\nadmin_token_file t":
            "2: admin_listen: [::]:1 is already taken by [::1]:1 at proxy.conf:1",
        "listen *:1\nlisten [::]:1\nlisten *:2": nil,
        // Listeners and accounts that the network reaches need a secret.
        "admin_listen 0.0.0.0:8081":
            "1: admin_listen: 0.0.0.0:8081 is not a loopback address and needs admin_token_file",
        "admin_listen 0.0.0.0:8081\nadmin_token_file t": nil, "admin_listen off": nil,
        "listen [::]:80\nlisten 127.0.0.1:80\nmusic_user_token_file t":
            "3: music_user_token_file: any client that reaches [::]:80 could use this account; set client_keys_file",
        "music_user_token_file t": nil, "listen [::]:80\nmusic_user_token_file t\nclient_keys_file k": nil,
        // Ways to a developer token.
        "developer_key_file k\ndeveloper_key_id A\ndeveloper_team_id B": nil, "developer_token_file t": nil,
        "\ndeveloper_key_file k": "2: developer_key_file: needs developer_key_id and developer_team_id as well",
        "developer_team_id B\ndeveloper_key_id A": "2: developer_key_id: needs developer_key_file as well",
        // Each is set once.
        "workers 1\n\nworkers 2": "3: workers is already set at proxy.conf:1",
        "ttl songs 1d\nttl albums 1d\nttl songs 2d": "3: ttl songs is already set at proxy.conf:1",
        // The tier.
        "shared_tier redis://cache\nshared_tier_ca_file ca.pem":
            "2: shared_tier_ca_file: applies only to a shared_tier with rediss://",
        "shared_tier rediss://a\nshared_tier_ca_file x":
            "2: shared_tier_ca_file: \"x\": No such file or directory",
    ]

    @Test func settingsHaveToGoTogether() {
        for (lines, complaint) in Self.together {
            #expect(complaints(lines) == (complaint.map { ["proxy.conf:" + $0] } ?? []), "\(lines)")
        }
    }

    @Test func oneAddressAndOneTokenAreTakenOnce() {
        // Where a machine has no IPv6, localhost has one address.
        let hasIPv6 = Listener.isOfThisMachine(SocketAddress(host: "::1", port: 0)!)
        #expect(
            complaints("listen localhost:1\nlisten 127.0.0.1:1\nlisten [0:0::1]:1")
                == ["proxy.conf:2: listen: 127.0.0.1:1 is already taken at proxy.conf:1"]
                + (hasIPv6 ? ["proxy.conf:3: listen: [::1]:1 is already taken at proxy.conf:1"] : []))
        let key = "developer_key_file k\ndeveloper_key_id A\ndeveloper_team_id B"
        let found = complaints("developer_token_file t\n" + key)
        #expect(found.count == 1 && found[0].hasPrefix("proxy.conf:2: developer_key_file: developer_token_file"))
    }

    @Test(arguments: [
        ("tls_certificate_key", ""), ("admin_token_file", ""), ("developer_token_file", ""),
        ("music_user_token_file", ""), ("client_keys_file", ""),
        ("developer_key_file", "\ndeveloper_key_id A\ndeveloper_team_id B"),
        ("shared_tier_auth_file", "\nshared_tier redis://cache"),
    ])
    func everySecretFileIsChecked(name: String, others: String) {
        #expect(
            complaints("\(name) 'my file'" + others, problems: ["my file": "open to group or others"])
                == ["proxy.conf:1: \(name): \"my file\": open to group or others"])
    }
}
