import Glibc
import TestSupport
import Testing
import Text

@testable import EventLoop
@testable import refrain

@Suite struct CheckCommandTests {
    private let files = MemoryFiles(texts: [
        "proxy.conf": "workers 2\ninclude more.conf",
        "more.conf": "\nttl songs 2h\ndeveloper_token_file 'my token'",
    ])

    @Test func showsEachSettingWithItsSource() throws {
        let result = run("check", files: files)
        #expect(result.status == 0)
        let lines = result.standard.split(separator: "\n")
        #expect(lines.contains("listen 127.0.0.1:8080 # default"))
        #expect(lines.contains("workers 2 # proxy.conf:1"))
        #expect(lines.contains("ttl songs 2h # more.conf:2"))
        #expect(lines.contains("ttl catalog 1d stale 7d # default"))
        #expect(lines.contains("developer_token_file \"my token\" # more.conf:3"))
        #expect(lines.contains("# record FILE [off] [sample SHARE%] [size SIZE] [files N] # unset"))
        let written = try ConfigurationReader.read("proxy.conf", files: files.access).configuration
        #expect(try read(result.standard).configuration == written)
        let json = try JSON.parse(Array(run("check", "--json", files: files).standard.utf8))
        let settings = try #require(json["settings"]?.arrayValue)
        #expect(settings.contains(["directive": "workers", "arguments": ["2"], "source": "proxy.conf:1"]))
        #expect(settings.contains(["directive": "compose", "arguments": ["on"], "source": "default"]))
    }

    /// `check` said nothing of what `serve` warned of a moment later.
    @Test func warnsOfWhatServeWarnsOf() throws {
        let files = MemoryFiles(texts: ["proxy.conf": "tls_certificate cert.pem", "cert.pem": ""])
        let warnings = try ConfigurationReader.read("proxy.conf", files: files.access).configuration.warnings
        #expect(warnings.contains("tls_certificate is set, but no listen line has tls"))
        #expect(warnings.contains { $0.hasPrefix("no developer_token_file or developer_key_file") })
        for words in [["check"], ["check", "--json"]] {
            let result = run(words, files: files.access)
            #expect(result.status == 0)
            #expect(result.error == warnings.map { "refrain: warn: \($0)\n" }.joined())
        }
    }

    /// A key in place of its identifier was a 401 from Apple, hours later.
    @Test(arguments: [("ABC123DEFG", false), ("ABC123DEF", true), ("ABC123DEFGH", true), ("ABC-23DEFG", true)])
    func warnsOfIdentifiersThatAppleDoesNotGiveOut(identifier: String, warns: Bool) throws {
        for (name, other) in [("key", "team"), ("team", "key")] {
            let lines = "developer_key_file k\ndeveloper_\(name)_id \(identifier)\ndeveloper_\(other)_id DEF123GHIJ"
            let warnings = try read(lines).configuration.warnings
            #expect(warnings.contains { $0.hasPrefix("developer_\(name)_id \(identifier): ") } == warns)
            #expect(!warnings.contains { $0.hasPrefix("developer_\(other)_id") })
        }
    }

    /// Any peer of such a listener can claim any client address.
    @Test(arguments: [
        ("0.0.0.0", true), ("[::]", true), ("203.0.113.1", true), ("[2001:db8::1]", true), ("172.32.0.1", true),
        ("127.0.0.1", false), ("10.0.0.1", false), ("172.31.0.1", false), ("192.168.1.1", false), ("[::1]", false),
        ("[fd00::1]", false),
    ])
    func warnsOfHeadersOnAnAddressThatOthersMayReach(host: String, warns: Bool) throws {
        let warnings = try read("listen \(host):8080 proxy_protocol").configuration.warnings
        #expect(
            warnings.contains { $0.hasPrefix("listen \(host):8080 proxy_protocol: any peer that reaches this address") }
                == warns)
        let others = try read("listen \(host):8080").configuration.warnings
        #expect(!others.contains { $0.contains("proxy_protocol") })
    }

    /// Requests went round until something broke them off, and only then the log said so.
    @Test func warnsOfAnUpstreamThatIsItsOwnListener() throws {
        func found(_ lines: String) throws -> [String] {
            try read(lines).configuration.warnings.filter { $0.contains("is an address of this proxy") }
        }
        for listen in ["127.0.0.1:9000", "0.0.0.0:9000", "localhost:9000"] {
            let warnings = try found("upstream http://127.0.0.1:9000\nlisten \(listen)")
            #expect(warnings.count == 1 && warnings[0].hasPrefix("upstream http://127.0.0.1:9000 is"), "\(warnings)")
        }
        #expect(try found("upstream http://localhost:8081").isEmpty, "the admin listener does not answer 508")
        for upstream in ["http://127.0.0.1:9001", "http://10.0.0.1:9000", "http://[::1]:9000", "http://a.test:9000"] {
            #expect(try found("upstream \(upstream)\nlisten 0.0.0.0:9000").isEmpty, "\(upstream)")
        }
    }

    /// A folder of that name was looked for, and answers were kept in memory only.
    @Test func warnsOfAPathThatAShellWouldChange() throws {
        func found(_ line: String) throws -> [String] {
            try read(line).configuration.warnings.filter { $0.contains(LiteralPath.words) }
        }
        let lines = [
            "cache_file $HOME/a.sqlite", "access_log ~/access.log", "record ${HOME}/traffic",
            "admin_listen unix:$XDG_RUNTIME_DIR/admin",
        ]
        for line in lines {
            let warnings = try found(line)
            #expect(warnings.count == 1 && warnings[0].hasPrefix(line.prefix { $0 != " " }), "\(warnings)")
        }
        for path in ["./$HOME/a.sqlite", "./~/a.sqlite", "a$b/c.sqlite", "~a.sqlite"] {
            #expect(try found("cache_file \(path)").isEmpty, "\(path)")
        }
        #expect(complaints("tls_certificate ~/a.pem").first?.hasSuffix(LiteralPath.words) == true)
    }

    /// A misspelt name logged nothing, or everything, without a word.
    @Test func warnsOfClientsInConditionsThatNoKeyIsOf() throws {
        func found(_ lines: String) throws -> [String] {
            try read(lines).configuration.warnings.filter { $0.hasPrefix("access_log: client ") }
        }
        let folder = try TemporaryFolder()
        let keys = try folder.put("web 0123456789abcdef\n", "keys", mode: 0o600)
        let log = "access_log stdout if client=web or client!=nosuch or status>=400"
        #expect(
            try found("client_keys_file \(keys)\n\(log)") == ["access_log: client nosuch: \(keys) has no such name"])
        #expect(try found("client_keys_file \(keys)\naccess_log stdout if client=web").isEmpty)
        #expect(try found("client_keys_file \(keys).not-there\n\(log)").isEmpty, "a mistake of its own")
        #expect(try found(log).count == 2)
    }

    /// A script that read the JSON took a configuration with warnings for one without, and
    /// `memory_size 1` had none.
    @Test func theJSONHadNoWarningsAndNoNotes() throws {
        let text = "cache_file a.sqlite\ndeveloper_token_file t\nmemory_size 1"
        var access = MemoryFiles(texts: ["proxy.conf": text]).access
        access.cacheHolder = { _ in 4711 }
        let result = run(["check", "--json"], files: access)
        let json = try JSON.parse(Array(result.standard.utf8))
        #expect(json["notes"]?.arrayValue == ["cache_file: a.sqlite is in use by process 4711"])
        let warnings = (json["warnings"]?.arrayValue ?? []).compactMap(\.stringValue)
        #expect(warnings.contains { $0.hasPrefix("memory_size: 1 B keep hardly an answer in memory") })
        #expect(warnings.allSatisfy { result.error.contains("warn: \($0)\n") }, "\(result.error)")
        let none = run(["check"], files: MemoryFiles(texts: ["proxy.conf": "memory_size 0"]).access)
        #expect(!none.error.contains("memory_size"), "0 switches it off")
    }

    @Test func saysWhoUsesTheCacheFile() {
        var access = MemoryFiles(texts: ["proxy.conf": "cache_file a.sqlite\ndeveloper_token_file t"]).access
        access.cacheHolder = { path in path == "a.sqlite" ? 4711 : nil }
        let result = run(["check"], files: access)
        #expect(result.status == 0)
        #expect(result.error.hasSuffix("refrain: note: cache_file: a.sqlite is in use by process 4711\n"))
    }

    /// Every setting that bounds memory counts with its value.
    @Test func endsWithTheMostMemory() throws {
        func most(_ lines: String) throws -> Int {
            let files = MemoryFiles(texts: ["proxy.conf": "workers 2\n" + lines])
            let json = try JSON.parse(Array(run("check", "--json", files: files).standard.utf8))
            let parts = json["memory"]?["parts"]?.arrayValue ?? []
            let sizes: [Int] = parts.compactMap { $0["bytes"]?.intValue }
            let sum = sizes.reduce(0, +)
            #expect(json["memory"]?["most"]?.intValue == sum)
            return sum
        }
        let plain = try most("")
        for line in ["memory_size 164MiB", "request_memory 164MiB", "answer_memory 228MiB"] {
            let more = try most(line) - plain
            #expect(more == 100 << 20, "\(line)")
        }
        let withOneMore = try most("upstream_connections 65")
        #expect((7 << 20..<9 << 20).contains(withOneMore - plain))
        for line in ["cache_file off", "access_log off", "admin_listen off"] {
            let less = try most(line)
            #expect(less < plain, "\(line)")
        }
        #expect(try most("shared_tier redis://127.0.0.1") > plain)
        let text = run("check", files: files).standard
        #expect(text.contains("\n# memory: ") && text.contains("64.0 MiB  memory_size: answers"))
    }

    @Test func saysHowManyClientsFit() throws {
        let files = MemoryFiles(texts: ["proxy.conf": "connections_per_address 3\n"])
        let text = run("check", files: files).standard
        #expect(text.contains("\n# clients at once: "))
        #expect(text.contains("\n# clients at once of one address: 3 (connections_per_address)\n"))
        #expect(text.contains("\n# refuses first: connections_per_address for one address; "))
        let clients = try JSON.parse(Array(run("check", "--json", files: files).standard.utf8))["clients"]
        #expect(clients?["per_address"]?.intValue == 3 && clients?["most"]?.intValue ?? 0 > 3)
        #expect(clients?["per_address_by"]?.stringValue == "connections_per_address")
    }

    @Test func everyErrorIsOneLineAndTheStatusSaysConfiguration() {
        let result = run("check", "--config", "bad", files: MemoryFiles(texts: ["bad": "wrokers 2\nnext never"]))
        #expect(result.status == 78 && result.standard.isEmpty)
        #expect(
            result.error == """
                refrain: bad:1: unknown directive "wrokers"; did you mean "workers"?
                refrain: bad:2: next: "never" is not keep or complete

                """)
    }

    @Test func looksForTheStandardFiles() {
        let system = MemoryFiles(texts: ["/etc/refrain/proxy.conf": "workers 3"])
        #expect(run("check", files: system).standard.contains("workers 3 # /etc/refrain/proxy.conf:1\n"))
        let none = run("check")
        #expect(none.status == 78)
        #expect(none.error.contains("neither proxy.conf nor /etc/refrain/proxy.conf exists"))
        let files = MemoryFiles(texts: ["/etc/refrain/proxy.conf": ""], problems: ["proxy.conf": "Permission denied"])
        #expect(run("check", files: files).status == 78)
        #expect(run("check", files: files).error.hasPrefix("refrain: cannot read proxy.conf: "))
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func check(_ lines: [String]) throws -> RunResult {
        let path = try folder.put(quiet(lines.joined(separator: "\n")), "proxy.conf", mode: 0o600)
        return run(["check", "--config", path], files: .system)
    }

    private func expectError(_ lines: String..., saying words: String) throws {
        let result = try check(lines)
        #expect(result.status == 78 && result.standard.isEmpty, "\(lines)")
        let name = lines[0].prefix { $0 != " " }
        #expect(result.error.hasPrefix("refrain: \(folder.file("proxy.conf")):1: \(name): "), "\(result.error)")
        #expect(result.error.contains(words), "\(result.error)")
    }

    /// `check` called right what `serve` refused a moment later.
    @Test func whatAStartRefusesIsAnError() throws {
        let missing = folder.file("no/access.log")
        try expectError("access_log \(missing)", saying: "\"\(missing)\": open: No such file or directory")
        try expectError("access_log \(folder.url.path)", saying: "Is a directory")
        #expect(try check(["access_log \(folder.file("access.log"))"]).status == 0)
        #expect(access(folder.file("access.log"), F_OK) != 0, "nothing is left of the trial")
        try expectError("listen 192.0.2.1:0", saying: "192.0.2.1:0: bind: Cannot assign requested address")
        try expectError("admin_listen unix:\(folder.file("no/admin"))", saying: "bind: No such file or directory")
        _ = try folder.put("text".utf8, "regular")
        try expectError("admin_listen unix:\(folder.file("regular"))", saying: "bind: File exists")
        #expect(try check(["admin_listen unix:\(folder.file("admin"))"]).status == 0)
        #expect(access(folder.file("admin"), F_OK) != 0)
        let junk = try folder.put("junk".utf8, "ca.pem")
        try expectError("upstream_ca_file \(junk)", saying: "no certificate")
        try expectError("shared_tier_ca_file \(junk)", "shared_tier rediss://127.0.0.1:1", saying: "no certificate")
        let authority = try folder.put(ThrowawayAuthority().certificatePEM().utf8, "ca.pem")
        #expect(try check(["upstream_ca_file \(authority)"]).status == 0)
    }

    /// A mistake that only a trial shows was told when all others were mended.
    @Test func mistakesOfTheStartAreToldWithTheOthers() throws {
        let (folder, missing) = (folder.file("proxy.conf"), folder.file("no/file"))
        let lines = [
            "access_log \(missing)", "listen 192.0.2.1:0", "upstream_ca_file \(missing)", "record \(missing)",
            "frobnicate 1",
        ]
        for lines in [lines, Array(lines.prefix(2)) + [lines[4]]] {
            let result = try check(lines)
            let found = result.error.split(separator: "\n")
            #expect(result.status == 78 && found.count == lines.count, "\(result.error)")
            for (number, line) in found.enumerated() {
                #expect(line.hasPrefix("refrain: \(folder):\(number + 1): "), "\(line)")
            }
        }
    }

    /// The proxy that it is for may have it.
    @Test func whatMayPassIsANoteOrAWarning() throws {
        let listening = try RawListener()
        let result = try check(["listen 127.0.0.1:\(listening.port)"])
        withExtendedLifetime(listening) { #expect(result.status == 0) }
        #expect(result.error.contains("note: listen: 127.0.0.1:\(listening.port) is in use;"))
        let other = try check(["cache_file \(folder.file("no/cache.sqlite"))"])
        #expect(other.status == 0)
        #expect(other.error.contains("warn: cache_file: \(folder.file("no"))/: No such file or directory; "))
    }

    /// The line said no more than "Permission denied".
    @Test func aPrivilegedPortNamesTheRemedy() throws {
        let denied = SystemError(call: "bind", errno: EACCES)
        let privileged = try #require(SocketAddress("0.0.0.0:443"))
        #expect(privileged.remedy(for: denied).contains("refrain.socket"))
        #expect(privileged.remedy(for: SystemError(call: "bind", errno: EADDRINUSE)).isEmpty)
        #expect(privileged.with(port: 1024).remedy(for: denied).isEmpty)
        #expect(try #require(SocketAddress(path: "/run/admin")).remedy(for: denied).isEmpty)
    }
}
