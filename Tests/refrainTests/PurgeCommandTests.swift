import Testing

@testable import refrain

@Suite struct PurgeCommandTests {
    /// Runs the command against a server that answers so.
    private func purge(
        _ body: String, _ words: String..., status: String = "200 OK"
    ) -> (result: RunResult, request: String) {
        runAgainstServer("purge", body, words, status: status)
    }

    @Test func saysHowManyInASentence() {
        let (result, request) = purge(#"{"purged":12}"#, "--storefront", "us")
        #expect(result.status == 0 && result.standard == "purged 12 entries (soft)\n" && result.error.isEmpty)
        #expect(request.hasPrefix("POST /purge HTTP/1.1\r\n"))
        #expect(request.hasSuffix("Content-Length: 19\r\n\r\n{\"storefront\":\"us\"}"))
    }

    @Test func everySelectorAndModeIsPassedOn() {
        let (result, request) = purge(
            #"{"purged":1}"#, "--url", "/a?b=1", "--prefix", "/a", "--resource", "songs:1", "--hard",
            "--dry-run")
        #expect(result.standard == "would purge 1 entry (hard)\n")
        #expect(
            request.hasSuffix(
                #"{"url":"/a?b=1","prefix":"/a","resource":"songs:1","hard":true,"dry_run":true}"#))
        #expect(purge(#"{"purged":0}"#, "--all").request.hasSuffix(#"{"all":true}"#))
    }

    /// Where the other nodes are unknown, no numbers are printed. As JSON the answer is passed on
    /// as it is, with the same status.
    @Test func whatTheOthersDoIsSaidAndIsTheStatus() {
        let entry = "purged 1 entry (soft)"
        let away = "the shared tier is unavailable: the other nodes purge when it is back; repeat the purge then\n"
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
            (#","nodes":null,"reached":null,"missing":[],"logged":false"#, 1, unknown, [away]),
            (#","nodes":null,"reached":null,"missing":[],"logged":true"#, 1, unknown, []),
            (
                #","nodes":2,"reached":1,"missing":[],"logged":false,"widened":true"#, 1,
                "\(entry) on 1 of 2 nodes", [away, widened]
            ),
        ]
        for (reach, status, standard, problems) in cases {
            let body = #"{"purged":1\#(reach)}"#
            let said = purge(body, "--all").result
            #expect(said.status == status && said.standard == standard + "\n", "\(reach)")
            #expect(said.error == problems.map { "refrain: \($0)" }.joined(), "\(reach)")
            let json = purge(body, "--all", "--json").result
            #expect(json.status == status && json.standard == body + "\n" && json.error.isEmpty, "\(reach)")
        }
    }

    @Test func aRefusalIsShownInTheProxysWords() {
        let body = #"{"errors":[{"detail":"The cache file cannot be used now."}]}"#
        let (result, _) = purge(body, "--all", status: "503 Service Unavailable")
        #expect(result.status == 1 && result.standard.isEmpty)
        #expect(result.error.hasSuffix("/purge: status 503: The cache file cannot be used now.\n"))
        #expect(purge("{}", "--all").result.status == 1)
    }

    @Test func wrongArgumentsAreUsageErrors() {
        let cases: [([String], String)] = [
            (
                [],
                "refrain: purge: needs --url, --prefix, --match, --storefront, --resource or --all (see \"refrain help purge\")\n"
            ),
            (["--hard"], "refrain: purge: needs --url"),
            (["--all", "--url", "/a"], "refrain: purge: --all cannot be combined with another"),
            (["--resource", "songs"], "refrain: purge: --resource: expected TYPE:ID, such as songs:1440935467.\n"),
            (["--storefront", "USA"], "refrain: purge: --storefront: expected two lower-case letters"),
            (["--prefix", "v1"], "refrain: purge: --prefix: expected"),
            (["--match", "/v1/a"], "refrain: purge: --match: expected a path that begins with / and has * in it"),
            (["--resource", "song:1"], "refrain: purge: --resource: unknown type; did you mean songs?"),
            (["--url", "nonsense"], "refrain: purge: --url: "),
        ]
        for (words, beginning) in cases { expectUsageError(["purge"] + words, beginning) }
    }
}
