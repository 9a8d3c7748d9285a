import TestSupport
import Testing
import Text

@testable import refrain

/// The commands that ask a running proxy, against a server with a prepared answer.
@Suite struct AdminCommandsTests {
    private static let stats =
        #"{"requests":1000,"hits":905,"misses":7,"upstream_requests":8,"upstream_errors":1,"#
        + #""reasons":{"off":0,"stale":1,"method":2,"absent":2},"#
        + #""not_composed":{"item":{"not-held":4},"growth":{},"batch":{"over-age":5}}}"#
    private static let nodes = """
        {"standing":"ready","words":"ready","namesake":null,"alive":2,"nodes":[\
        {"name":"a","address":"127.0.0.1:8080","version":"1.0","state":"ready","ready":true,"alive":true,"lag":0,"last_seen":0,"self":true,"upstream":"https://one"},\
        {"name":"b","address":"127.0.0.2:8080","version":"1.1","state":"catching up","ready":false,"alive":true,"lag":3,"last_seen":1,"self":false,"upstream":"https://two"},\
        {"name":"c","address":"c","version":"1.0","state":"missing","ready":true,"alive":false,"lag":null,"last_seen":100,"self":false}]}
        """
    private static let recording =
        #"{"on":true,"file":"/var/traffic","since":"2026-11-22T00:00:00.000000Z","sampling":0.5,"size":1,"files":2,"#
        + #""exchanges":7,"bytes":800,"dropped":9,"problem":"disk full"}"#

    /// Expects success and this text without a complaint; gives the request.
    @discardableResult private func expect(
        _ words: String..., at body: String, shows text: String, place: SourceLocation = #_sourceLocation
    ) -> String {
        let (result, request) = runAgainstServer(words[0], body, Array(words.dropFirst()))
        #expect(result.status == 0 && result.error.isEmpty && result.standard == text, sourceLocation: place)
        return request
    }

    @Test func theBudgetIsShownByClassAndClient() {
        let spending =
            #"{"spending":{"class":[{"name":"songs","since_start":2},{"name":"personal","since_start":7}],"#
            + #""client":[{"name":"Unix sockets","kind":"socket","since_start":9}]}}"#
        expect(
            "stats", at: spending,
            shows: """
                sent to the origin, by class
                  personal      7
                  songs         2

                sent to the origin, by client
                  Unix sockets  9

                """)
    }

    /// How full the cache was had to be reckoned, and the end of the certificate was in no command.
    @Test func theCacheIsShownBesideItsLimitAndTheCertificateWithItsEnd() {
        expect(
            "stats",
            at: #"{"cache_bytes":296960,"cache_limit_bytes":10737418240,"memory_bytes":512,"memory_limit_bytes":0,"#
                + #""time":1800000000,"certificate_expires":1800864000}"#,
            shows: """
                storage
                  cache_bytes   296960  290.0 KiB of 10.0 GiB
                  memory_bytes     512

                certificate of the TLS listeners
                  ends in          10d  2027-01-25T08:00:00Z

                """)
    }

    @Test func statsAreATable() {
        let request = expect(
            "stats", at: Self.stats,
            shows: """
                requests
                  requests           1000
                  hits                905  90.5 % of requests
                  misses                7  0.7 % of requests

                origin
                  upstream_requests     8
                  upstream_errors       1  12.5 % of upstream_requests

                reasons
                  absent                2
                  method                2
                  stale                 1

                not composed, by rule and reason
                  batch: over-age       5
                  item: not-held        4

                """)
        #expect(request.hasPrefix("GET /stats HTTP/1.1\r\nHost: 127.0.0.1:") && !request.contains("Authorization"))
    }

    @Test func theTierHasASectionOfItsOwn() {
        let tier = #"{"tier":{"standing":"ready","last_error":null,"lookups":{"looks":10}}}"#
        expect("stats", at: tier, shows: "shared tier\n  standing       ready\n  lookups looks     10\n")
        expect("stats", at: #"{"requests":1,"tier":null}"#, shows: "requests\n  requests  1\n")
    }

    @Test func eachNodeHasALine() {
        let request = expect(
            "nodes", at: Self.nodes,
            shows: """
                name          state        lag   last seen  version  address         upstream
                a (this one)  ready          0         now  1.0      127.0.0.1:8080  https://one
                b             catching up    3      1s ago  1.1      127.0.0.2:8080  https://two
                c             missing        -  1m 40s ago  1.0      c               -

                """)
        #expect(request.hasPrefix("GET /nodes HTTP/1.1\r\n"))
    }

    /// Nodes looked as they had when the engine was heard of last, and this one as though it caught
    /// up.
    @Test func anEngineThatIsAwayAndANamesakeAreSaid() {
        let body = """
            {"standing":"engine-away","words":"engine away since 2026-01-01T00:00:00Z","namesake":"process 2 at a:1",\
            "alive":1,"nodes":[{"name":"a","state":"engine away","self":true},{"name":"b","state":"unknown","last_seen":9}]}
            """
        let result = runAgainstServer("nodes", body).result
        #expect(result.status == 0 && result.standard.contains("engine away") && result.standard.contains("unknown"))
        #expect(
            result.error == """
                refrain: engine away since 2026-01-01T00:00:00Z: the rows of other nodes are as old as that
                refrain: process 2 at a:1 uses this node name too: give each node its own name (node_name)

                """)
    }

    @Test func aRecordingIsShown() {
        let request = expect(
            "record", "status", at: Self.recording,
            shows: """
                on         yes
                file       /var/traffic
                since      2026-11-22T00:00:00.000000Z
                sampling   0.5
                size       1
                files      2
                exchanges  7
                bytes      800
                dropped    9
                problem    disk full

                """)
        #expect(request.hasPrefix("GET /recording HTTP/1.1\r\n"))
    }

    @Test(arguments: [("on", "true"), ("off", "false")]) func aRecordingIsSwitched(word: String, value: String) {
        let (result, request) = runAgainstServer("record", Self.recording, [word])
        #expect(result.status == 0 && result.standard.hasPrefix("on         yes\n"))
        #expect(request.hasPrefix("POST /recording HTTP/1.1\r\n") && request.hasSuffix("{\"on\":\(value)}"))
    }

    @Test func aReloadSaysWhatChanged() {
        let changed = #"{"changed":["ttl","compose"]}"#
        let request = expect("reload", at: changed, shows: "reloaded; changed: ttl, compose\n")
        #expect(request.hasPrefix("POST /reload HTTP/1.1\r\n") && request.hasSuffix("{}"))
        expect("reload", at: #"{"changed":[]}"#, shows: "reloaded; no setting has changed\n")
        expect(
            "reload", at: #"{"changed":["listen"],"ending_connections":3}"#,
            shows: "reloaded; changed: listen; 3 connections of changed listeners end\n")
    }

    @Test func everySelectorAndModeOfAPurgeIsPassedOn() {
        let storefront = expect(
            "purge", "--storefront", "us", at: #"{"purged":12}"#, shows: "purged 12 entries (soft)\n")
        #expect(storefront.hasPrefix("POST /purge HTTP/1.1\r\n"))
        #expect(storefront.hasSuffix("Content-Length: 19\r\n\r\n{\"storefront\":\"us\"}"))
        let all = expect(
            "purge", "--url", "/a?b=1", "--prefix", "/a", "--resource", "songs:1", "--hard", "--dry-run",
            at: #"{"purged":1}"#, shows: "would purge 1 entry (hard)\n")
        #expect(all.hasSuffix(#"{"url":"/a?b=1","prefix":"/a","resource":"songs:1","hard":true,"dry_run":true}"#))
        #expect(runAgainstServer("purge", #"{"purged":0}"#, ["--all"]).request.hasSuffix(#"{"all":true}"#))
    }

    /// Where the other nodes are unknown, no numbers are printed. As JSON the answer is passed on
    /// as it is, with the same status.
    @Test func whatTheOthersPurgeIsSaidAndIsTheStatus() {
        let entry = "purged 1 entry (soft)"
        let away = "the shared tier is unavailable: the other nodes purge when it is back; repeat the purge then\n"
        let full = "OOM command not allowed when used memory > 'maxmemory'."
        let widened = "too many purges wait for the shared tier: the other nodes will make all their answers stale\n"
        let unknown = "\(entry) on this node; the engine is unavailable, so the other nodes are unknown"
        let cases: [(reach: String, status: Int32, standard: String, problems: [String])] = [
            ("", 0, entry, []),
            (#","nodes":3,"reached":3,"missing":[],"logged":true"#, 0, "\(entry) on 3 of 3 nodes", []),
            (
                #","nodes":3,"reached":2,"missing":[{"name":"c","last_seen":100}],"logged":true"#, 1,
                "\(entry) on 2 of 3 nodes; missing: c (last seen 1m 40s ago)", []
            ),
            (#","nodes":1,"reached":1,"missing":[],"logged":false"#, 1, "\(entry) on 1 of 1 nodes", [away]),
            // It was called unavailable.
            (
                #","nodes":1,"reached":1,"missing":[],"logged":false,"refused":"\#(full)""#, 1,
                "\(entry) on 1 of 1 nodes",
                ["the engine refused the purge (\(full)): the other nodes purge when it accepts it\n"]
            ),
            (#","nodes":null,"reached":null,"missing":[],"logged":false"#, 1, unknown, [away]),
            (#","nodes":null,"reached":null,"missing":[],"logged":true"#, 1, unknown, []),
            (
                #","nodes":2,"reached":1,"missing":[],"logged":false,"widened":true"#, 1,
                "\(entry) on 1 of 2 nodes", [away, widened]
            ),
        ]
        for (reach, status, standard, problems) in cases {
            let body = #"{"purged":1\#(reach)}"#
            let said = runAgainstServer("purge", body, ["--all"]).result
            #expect(said.status == status && said.standard == standard + "\n", "\(reach)")
            #expect(said.error == problems.map { "refrain: \($0)" }.joined(), "\(reach)")
            let json = runAgainstServer("purge", body, ["--all", "--json"]).result
            #expect(json.status == status && json.standard == body + "\n" && json.error.isEmpty, "\(reach)")
        }
    }

    @Test func programsGetWhatTheProxySays() {
        expect("stats", "--json", at: Self.stats, shows: Self.stats + "\n")
        expect("nodes", "--json", at: Self.nodes, shows: Self.nodes + "\n")
        expect("record", "status", "--json", at: Self.recording, shows: Self.recording + "\n")
    }

    /// `systemctl reload` said 0 though the file was refused.
    @Test(arguments: [
        (["stats"], "401 Unauthorized", "401"), (["stats"], "500 Internal Server Error", "500"),
        (["top"], "503 Service Unavailable", "503"),
        (["purge", "--all"], "503 Service Unavailable", "/purge: status 503: The file cannot be used now.\n"),
        (["nodes"], "404 Not Found", "/nodes: status 404: `shared_tier` is not configured.\n"),
        (["nodes", "--json"], "404 Not Found", "/nodes: status 404: `shared_tier` is not configured.\n"),
        (["reload"], "409 Conflict", "/reload: status 409: nothing was changed: proxy.conf:7: unknown directive\n"),
    ])
    func aRefusalFailsInTheProxysWords(words: [String], status: String, said: String) {
        let detail = said.dropLast().split(separator: ": ", maxSplits: 2).dropFirst(2).first ?? ""
        let body = #"{"errors":[{"detail":"\#(detail)"}]}"#
        let result = runAgainstServer(words[0], body, Array(words.dropFirst()), status: status).result
        #expect(result.status == 1 && result.standard.isEmpty && result.error.contains(said), "\(result.error)")
    }

    @Test func anAnswerThatIsNotUnderstoodFails() {
        for (command, words) in [
            ("list", []), ("inspect", ["/a"]), ("explain", ["/a"]), ("purge", ["--all"]), ("nodes", []),
        ] {
            let result = runAgainstServer(command, "{}", words).result
            #expect(result.status == 1 && result.error.hasPrefix("refrain: the answer to "), "\(result.error)")
        }
        let result = runAgainstServer("stats", "no").result
        #expect(result.status == 1 && result.error.hasPrefix("refrain: the answer to GET /stats is not JSON"))
    }

    /// A server that is no admin listener may have a `/stats` too.
    @Test func statsOfAnotherServerPrintedNothing() {
        for body in [#"{"uptime":7}"#, "[]", "{}"] {
            let result = runAgainstServer("stats", body).result
            #expect(result.status == 1 && result.standard.isEmpty)
            #expect(result.error.hasPrefix("refrain: the answer to GET /stats has no counters; "), "\(result.error)")
        }
    }

    @Test func theTokenOfTheFileIsPresented() {
        let files = MemoryFiles(texts: ["t": "hush\n"])
        let request = runAgainstServer("stats", Self.stats, ["--admin-token-file", "t"], files: files).request
        #expect(request.contains("\r\nAuthorization: Bearer hush\r\n"))
    }

    @Test func theURLGoesEncoded() {
        let request = runAgainstServer("inspect", "", ["/v1/a?b=1&c=x+y%C3%A4"], status: "404 Not Found").request
        #expect(request.hasPrefix("GET /entry?url=/v1/a%3Fb%3D1%26c%3Dx%2By%25C3%25A4 HTTP/1.1\r\n"), "\(request)")
    }

    @Test func aServerThatIsNotThereIsSaid() throws {
        let port = try RawSocket.freePort()
        let refused = "http://127.0.0.1:\(port): Connection refused; check that the proxy is running"
        for (words, error) in [
            (["--admin", "http://127.0.0.1:\(port)"], refused),
            (["--admin", "unix:/nowhere/at/all"], "unix:/nowhere/at/all: No such file"),
            (["--admin-token-file", "absent"], "cannot read absent: No such file or directory\n"),
        ] {
            let result = run(["stats"] + words)
            #expect(result.status == 1 && result.error.hasPrefix("refrain: \(error)"), "\(result.error)")
        }
    }

    private static let tooLong = "unix:/" + String(repeating: "x", count: 107)
    private static let misuses: [([String], String)] = [
        (["list", "--class", "song"], "list: --class: \"song\" is not a class; did you mean \"songs\"?\n"),
        (["list", "--limit", "0"], "list: --limit: \"0\" is not a number from 1 to 10000"),
        (["list", "--sort", "bytes"], "list: --sort: \"bytes\" is not size, age or use\n"),
        (["inspect"], "inspect: expected a URL or a path (see \"refrain help inspect\")"),
        (["inspect", "songs"], "inspect: url: expected a URL or a path"),
        (["explain"], "explain: expected a URL or a path (see \"refrain help explain\")"),
        (["explain", "ftp://x/a"], "explain: url: expected a URL or a path"),
        (["explain", "/a", "--admin", "nowhere"], "explain: --admin: \"nowhere\" is not a URL"),
        (
            ["stats", "--admin", "x"],
            "stats: --admin: \"x\" is not a URL that begins with https:// or http://; a Unix socket is written unix:PATH"
        ),
        (["stats", "--admin", "https://127.0.0.1:1"], "stats: --admin: "),
        (["stats", "--admin", "127.0.0.1:8081"], "stats: --admin: "),
        (["stats", "--admin", "unix:"], "stats: --admin: "),
        (["stats", "--admin", tooLong], "stats: --admin: "),
        (
            ["purge"],
            "purge: needs --url, --prefix, --match, --storefront, --resource or --all (see \"refrain help purge\")\n"
        ),
        (["purge", "--hard"], "purge: needs --url"),
        (["purge", "--all", "--url", "/a"], "purge: --all cannot be combined with another"),
        (["purge", "--resource", "songs"], "purge: --resource: expected TYPE:ID, such as songs:1440935467\n"),
        (["purge", "--match", "/v1/a"], "purge: --match: expected a path that begins with / and has * in it"),
        (["purge", "--resource", "song:1"], "purge: --resource: unknown type; did you mean songs?"),
        (["purge", "--url", "nonsense"], "purge: --url: "),
        (["record"], "record: expected on, off, status or export (see \"refrain help record\")\n"),
        (["record", "statsu"], "record: \"statsu\" is not on, off, status or export; did you mean \"status\"?\n"),
        (["record", "on", "/tmp/a"], "record: "), (["record", "export"], "record: "),
        (["record", "export", "f"], "record: "), (["record", "export", "--har", "o"], "record: "),
        (["record", "exprt", "f", "--har", "-"], "record: "),
        (["top", "--interval", "50ms", "--once"], "top: --interval"),
        (["top", "--interval", "2h", "--once"], "top: --interval"),
        (["top", "--interval", "1", "--once"], "top: --interval"),
    ]

    @Test(arguments: misuses) func wrongArgumentsAreUsageErrors(words: [String], beginning: String) {
        let result = run(words)
        #expect(result.status == 2 && result.error.hasPrefix("refrain: " + beginning), "\(result.error)")
    }
}
