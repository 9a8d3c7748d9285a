import EventLoop
import Freshness
import Testing

@testable import refrain

@Suite struct ConfigurationReaderTests {
    /// `ExampleFileTests` and the page of directives hold the defaults to their descriptions.
    @Test func anEmptyFileMeansTheDefaults() throws {
        let effective = try read("")
        #expect(effective.lines.allSatisfy { $0.place == nil })
        #expect(try ConfigurationReader.standard().configuration == effective.configuration)
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

    @Test func saysWhatIsWrongWithASemicolon() {
        #expect(complaints("workers 1;") == ["proxy.conf:1: workers: a directive ends with its line, not with \";\""])
    }

    @Test func aListenLineReplacesTheDefault() throws {
        let lines = try read("listen 127.0.0.1:1\nlisten 127.0.0.1:2").lines.filter { $0.directive.name == "listen" }
        #expect(lines.map(\.words) == [["127.0.0.1:1"], ["127.0.0.1:2"]])
        #expect(lines.map(\.place?.line) == [1, 2])
    }

    @Test func doesNotRepeatAWholeSecretPastedByMistake() {
        let token = "eyJ" + String(repeating: "x", count: 300) + "SIGNATURE"
        #expect(!complaints("developer_key_id \(token)").joined().contains("SIGNATURE"))
        #expect(!complaints("\(token)").joined().contains("SIGNATURE"))
    }
}

@Suite struct ConfigurationIncludeTests {
    private func errors(_ texts: [String: String], from path: String = "etc/proxy.conf") -> [String] {
        do throws(CommandFailure) {
            _ = try ConfigurationReader.read(path, files: MemoryFiles(texts: texts).access)
            return []
        } catch {
            return error.messages
        }
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
    }

    @Test func aCycleIsAnError() {
        let texts = [
            "etc/proxy.conf": "\ninclude a.conf", "etc/a.conf": "include ./b.conf",
            "etc/b.conf": "include ../etc/a.conf",
        ]
        #expect(
            errors(texts) == ["etc/b.conf:1: etc/a.conf includes itself: etc/a.conf -> etc/b.conf -> etc/a.conf"])
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

    @Test func aDirectiveCannotBeSetInTwoFiles() {
        #expect(
            errors(["etc/proxy.conf": "workers 1\ninclude a.conf", "etc/a.conf": "workers 1"])
                == ["etc/a.conf:1: workers is already set at etc/proxy.conf:1"])
    }

    @Test func aMissingOneIsReportedWhereItIsNamed() {
        #expect(
            errors(["etc/proxy.conf": "\ninclude a.conf"])
                == ["etc/proxy.conf:2: cannot read etc/a.conf: No such file or directory"])
    }

    @Test func pathsAreResolved() {
        #expect(ConfigurationReader.resolve("b", besides: "a") == "b")
        #expect(ConfigurationReader.resolve("./x/../b", besides: "/etc/a") == "/etc/b")
        #expect(ConfigurationReader.resolve("/b", besides: "/etc/a") == "/b")
        #expect(ConfigurationReader.resolve("../../b", besides: "etc/a") == "../b")
    }

    /// `record off` was a recording to a file of that name.
    @Test func recordOffRecordsNothing() throws {
        #expect(try read("record off").configuration.recording == nil)
    }

    @Test func aFormatIsNoLogFileName() {
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
}
