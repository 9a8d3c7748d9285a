import Freshness
import Testing

@testable import refrain

@Suite struct ConfigurationReaderTests {
    @Test func anEmptyFileMeansTheDefaults() throws {
        let effective = try read("")
        let configuration = effective.configuration
        #expect(configuration.listeners.map(\.address.description) == ["127.0.0.1:8080"])
        #expect(configuration.adminListener?.description == "127.0.0.1:8081")
        #expect(configuration.upstream.description == "https://api.music.apple.com")
        #expect(configuration.upstreamConnections == 64 && configuration.upstreamRate == nil)
        #expect(configuration.developerTokenLifetime == .seconds(43_200))
        #expect(configuration.cacheFile == "refrain.sqlite")
        #expect(configuration.cacheSize == 1 << 30 && configuration.memorySize == 64 << 20)
        let composition = configuration.composition
        #expect(composition.compose == .on && composition.windows && composition.batch)
        #expect(!composition.completesNext && configuration.corsOrigins == ["*"])
        #expect(configuration.accessLog == AccessLogSetting(destination: .standardOutput, format: .combined))
        #expect(configuration.logLevel == .info && configuration.workers == nil && configuration.recording == nil)
        #expect(effective.lines.allSatisfy { $0.place == nil })
        #expect(try ConfigurationReader.standard().configuration == configuration)
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
        let effective = try read(
            """
            listen 127.0.0.1:80
            listen [::1]:443 tls
            tls_certificate cert.pem
            tls_certificate_key "my key.pem"
            http2 off
            admin_listen 0.0.0.0:9
            admin_token_file admin.token
            connections_per_address 7
            trusted_proxy 10.0.0.0/8
            request_memory 32MiB
            answer_memory 33MiB
            upstream http://127.0.0.1:8090
            upstream_ca_file ca.pem
            upstream_connections 7
            upstream_rate 20/s
            upstream_connect_timeout 1s
            upstream_response_timeout 2m
            upstream_content_timeout 500ms
            client_idle_timeout 75s
            client_head_timeout 1m
            forward_fields X-Gateway
            other refuse
            developer_key_file key.p8
            developer_key_id ABC123DEFG
            developer_team_id DEF123GHIJ
            developer_token_lifetime 15777000s
            music_user_token_file user.token
            client_keys_file keys
            cache_file off
            cache_file_locked memory
            cache_check 2MiB/s
            cache_size 10MiB
            memory_size 0
            ttl albums 2h
            ttl_speed 2
            shared_tier rediss://127.0.0.1
            shared_tier_auth_file tier.auth
            shared_tier_ca_file ca.pem
            shared_tier_name music
            shared_tier_timeout 70ms
            node_name node-7
            compose verify
            verify_sample 2%
            windows off
            batch off
            superset_includes off
            documented_forms on
            next complete
            cors_origin https://a.example http://localhost:3000
            cors_headers X-App
            access_log /var/log/refrain.log json
            log_level debug
            record traffic.rec
            workers 3
            """
        )
        let configuration = effective.configuration
        #expect(configuration.listeners.map(\.isTLS) == [false, true])
        #expect(configuration.tlsCertificateFile == "cert.pem")
        #expect(configuration.tlsCertificateKeyFile == "my key.pem")
        #expect(configuration.adminListener?.description.hasPrefix("0.0.0.0:") == true)
        #expect(configuration.adminTokenFile == "admin.token")
        #expect(configuration.upstream == ServerURL(isTLS: false, host: "127.0.0.1", port: 8090))
        #expect(configuration.upstreamCAFile == "ca.pem" && configuration.upstreamConnections == 7)
        #expect(configuration.upstreamTimeouts.connect == .seconds(1) && !configuration.servesOther)
        #expect(configuration.upstreamTimeouts.response == .seconds(120))
        #expect(configuration.upstreamTimeouts.content == .milliseconds(500))
        #expect(configuration.clientTimeouts.idle == .seconds(75) && configuration.clientTimeouts.head == .seconds(60))
        #expect(configuration.upstreamRate == 20 && configuration.developerTokenFile == nil)
        #expect(configuration.developerKeyFile == "key.p8" && configuration.developerKeyID == "ABC123DEFG")
        #expect(configuration.developerTeamID == "DEF123GHIJ")
        #expect(configuration.developerTokenLifetime == .seconds(15_777_000))
        #expect(configuration.musicUserTokenFile == "user.token" && configuration.clientKeysFile == "keys")
        #expect(configuration.cacheFile == nil && configuration.cacheSize == 10 << 20 && configuration.memorySize == 0)
        let composition = configuration.composition
        #expect(composition.compose == .verify && composition.completesNext)
        #expect(!composition.windows && !composition.batch)
        #expect(configuration.corsOrigins == ["https://a.example", "http://localhost:3000"])
        #expect(configuration.accessLog == AccessLogSetting(destination: .file("/var/log/refrain.log"), format: .json))
        #expect(configuration.logLevel == .debug && configuration.recording?.settings.path == "traffic.rec")
        #expect(configuration.workers == 3 && !configuration.http2 && configuration.connectionsPerAddress == 7)
        #expect(configuration.trustedProxies.count == 1 && configuration.forwardedFields == ["X-Gateway"])
        #expect(configuration.requestMemory == 32 << 20 && configuration.answerMemory == 33 << 20)
        #expect(!configuration.endsWithoutCacheFile && configuration.cacheCheck == 2 << 20)
        #expect(configuration.ttl(for: .albums) == .fixed(7200, stale: 0) && configuration.ttlSpeed == 2)
        #expect(configuration.sharedTier?.isTLS == true && configuration.sharedTierAuthFile == "tier.auth")
        #expect(configuration.sharedTierCAFile == "ca.pem" && configuration.sharedTierName == "music")
        #expect(configuration.sharedTierTimeout == .milliseconds(70) && configuration.writtenNodeName == "node-7")
        #expect(configuration.verifySample == 20_000 && !composition.supersets)
        #expect(configuration.documentedForms == .on && configuration.corsHeaders == ["X-App"])
        // A signing key and a ready token are two ways to one thing.
        let ready = try read("developer_token_file ready.token")
        #expect(ready.configuration.developerTokenFile == "ready.token")
        let (written, standard) = (effective.lines + ready.lines, try ConfigurationReader.standard().configuration)
        // Other tests read what is included.
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
                "proxy.conf:5: a quote that is never closed",
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

    @Test func aSecondLineNamesTheFirst() {
        #expect(complaints("workers 1\n\nworkers 2") == ["proxy.conf:3: workers is already set at proxy.conf:1"])
        #expect(
            complaints("ttl songs 1d\nttl albums 1d\nttl songs 2d")
                == ["proxy.conf:3: ttl songs is already set at proxy.conf:1"])
    }

    @Test func saysWhatIsWrongWithASemicolon() {
        #expect(complaints("workers 1;") == ["proxy.conf:1: workers: a directive ends with its line, not with \";\""])
    }

    @Test func aListenLineReplacesTheDefault() throws {
        let lines = try read("listen 127.0.0.1:1\nlisten 127.0.0.1:2").lines.filter { $0.directive.name == "listen" }
        #expect(lines.map(\.words) == [["127.0.0.1:1"], ["127.0.0.1:2"]])
        #expect(lines.map(\.place?.line) == [1, 2])
    }

    @Test func aFileThatCannotBeReadIsAnError() {
        #expect(throws: ConfigurationErrors.self) {
            try ConfigurationReader.read("absent.conf", files: MemoryFiles().access)
        }
    }

    @Test func doesNotRepeatAWholeSecretPastedByMistake() {
        let token = "eyJ" + String(repeating: "x", count: 300) + "SIGNATURE"
        #expect(!complaints("developer_key_id \(token)").joined().contains("SIGNATURE"))
        #expect(!complaints("\(token)").joined().contains("SIGNATURE"))
    }
}

@Suite struct ConfigurationIncludeTests {
    private func errors(_ texts: [String: String], from path: String = "etc/proxy.conf") -> [String] {
        do throws(ConfigurationErrors) {
            _ = try ConfigurationReader.read(path, files: MemoryFiles(texts: texts).access)
            return []
        } catch {
            return error.errors.map(\.description)
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

    @Test func aMissingOneIsReportedWhereItIsNamed() {
        #expect(
            errors(["etc/proxy.conf": "\ninclude a.conf"])
                == ["etc/proxy.conf:2: cannot read etc/a.conf: No such file or directory"])
    }

    @Test func aDirectiveCannotBeSetInTwoFiles() {
        #expect(
            errors(["etc/proxy.conf": "workers 1\ninclude a.conf", "etc/a.conf": "workers 1"])
                == ["etc/a.conf:1: workers is already set at etc/proxy.conf:1"])
    }

    @Test func pathsAreResolved() {
        #expect(ConfigurationReader.resolve("b", besides: "a") == "b")
        #expect(ConfigurationReader.resolve("./x/../b", besides: "/etc/a") == "/etc/b")
        #expect(ConfigurationReader.resolve("/b", besides: "/etc/a") == "/b")
        #expect(ConfigurationReader.resolve("../../b", besides: "etc/a") == "../b")
    }

    /// It was a recording to a file of that name.
    @Test func recordOffRecordsNothing() throws {
        let files = MemoryFiles(texts: ["proxy.conf": "record off"]).access
        #expect(try ConfigurationReader.read("proxy.conf", files: files).configuration.recording == nil)
    }

    /// `check` accepted what `serve` refuses.
    @Test func checkLooksWhetherARecordingCouldBegin() {
        let files = MemoryFiles(texts: ["proxy.conf": "record /nowhere/a.jsonl"]).access
        var looking = files
        looking.recordingProblem = FileAccess.system.recordingProblem
        #expect(throws: Never.self) { try ConfigurationReader.read("proxy.conf", files: files) }
        do {
            _ = try ConfigurationReader.read("proxy.conf", files: looking)
            Issue.record("a directory that is not there was accepted")
        } catch {
            #expect("\(error)".contains("proxy.conf:1: record: /nowhere/a.jsonl: "))
        }
    }

    @Test func aFormatIsNotTakenForTheNameOfALogFile() throws {
        func problem(_ line: String) -> String? {
            do {
                _ = try ConfigurationReader.read("proxy.conf", files: MemoryFiles(texts: ["proxy.conf": line]).access)
                return nil
            } catch { return "\(error)" }
        }
        #expect(problem("access_log json")?.contains(#"as in "stdout json""#) == true)
        #expect(problem("access_log ./json") == nil)
    }

    @Test func theDirectoryOfCredentialsIsTheOneVariable() throws {
        var files = MemoryFiles(texts: [
            "proxy.conf": "developer_token_file $CREDENTIALS_DIRECTORY/token\naccess_log $CREDENTIALS_DIRECTORY/log"
        ]).access
        #expect(throws: ConfigurationErrors.self) { try ConfigurationReader.read("proxy.conf", files: files) }
        files.credentialsDirectory = "/run/credentials/refrain.service"
        let configuration = try ConfigurationReader.read("proxy.conf", files: files).configuration
        #expect(configuration.developerTokenFile == "/run/credentials/refrain.service/token")
        #expect(configuration.accessLog.destination == .file("$CREDENTIALS_DIRECTORY/log"))
    }
}
