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

    @Test func passesJSONOnAsItIs() {
        #expect(purge(#"{"purged":3}"#, "--all", "--json").result.standard == "{\"purged\":3}\n")
    }

    private static let missing =
        #"{"purged":3,"nodes":3,"reached":2,"missing":[{"name":"c","last_seen":100}],"replicated":false,"logged":true}"#

    @Test func allNodesOrNotIsSaidAndIsTheStatus() {
        let whole = #"{"purged":3,"nodes":3,"reached":3,"missing":[],"replicated":false,"logged":true}"#
        let done = purge(whole, "--all").result
        #expect(done.status == 0 && done.standard == "purged 3 entries (soft) on 3 of 3 nodes\n" && done.error.isEmpty)
        let partial = purge(Self.missing, "--all").result
        #expect(partial.status == 1 && partial.error.isEmpty)
        #expect(
            partial.standard == "purged 3 entries (soft) on 2 of 3 nodes; missing: c (last seen 1m 40s ago)\n")
        let json = purge(Self.missing, "--all", "--json").result
        #expect(json.status == 1 && json.standard == Self.missing + "\n")
    }

    @Test func aPurgeThatTheOthersWillNotHearOfFails() {
        let body = #"{"purged":1,"nodes":1,"reached":1,"missing":[],"replicated":false,"logged":false}"#
        let result = purge(body, "--all").result
        #expect(result.status == 1 && result.standard == "purged 1 entry (soft) on 1 of 1 nodes\n")
        #expect(
            result.error
                == "refrain: the shared tier did not take it: others hear of it when it is back; purge again then\n")
        #expect(purge(body, "--all", "--json").result.status == 1)
    }

    /// It said "on 1 of 1 nodes".
    @Test func whereTheEngineWasNeverSeenOthersAreUnknown() {
        let body = #"{"purged":1,"nodes":null,"reached":null,"missing":[],"replicated":false,"logged":false}"#
        let result = purge(body, "--all").result
        #expect(
            result.status == 1
                && result.standard
                    == "purged 1 entry (soft) on this node; the engine is away, and which others there are is not known\n"
        )
        let logged = #"{"purged":1,"nodes":null,"reached":null,"missing":[],"replicated":false,"logged":true}"#
        #expect(purge(logged, "--all").result.status == 1)
    }

    @Test func thatOthersWillPurgeEverythingIsSaid() {
        let body =
            #"{"purged":1,"nodes":2,"reached":1,"missing":[],"replicated":false,"logged":false,"widened":true}"#
        let result = purge(body, "--all").result
        #expect(result.status == 1 && result.error.hasSuffix("others take all that they have for stale then\n"))
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
            (["--all", "--url", "/a"], "refrain: purge: --all takes no other"),
            (["--resource", "songs"], "refrain: purge: --resource: expected TYPE:ID, such as songs:1440935467.\n"),
            (["--storefront", "USA"], "refrain: purge: --storefront: expected two lower-case letters"),
            (["--prefix", "v1"], "refrain: purge: --prefix: expected"),
            (["--match", "/v1/a"], "refrain: purge: --match: expected a path that begins with / and has * in it"),
            (["--resource", "song:1"], "refrain: purge: --resource: there is no such type; did you mean songs?"),
            (["--url", "nonsense"], "refrain: purge: --url: "),
        ]
        for (words, beginning) in cases { expectUsageError(["purge"] + words, beginning) }
    }
}
