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

    @Test func aRefusalIsShownInTheProxysWords() {
        let body = #"{"errors":[{"detail":"The cache file cannot be used now."}]}"#
        let (result, _) = purge(body, "--all", status: "503 Service Unavailable")
        #expect(result.status == 1 && result.standard.isEmpty)
        #expect(result.error.hasSuffix("/purge: status 503: The cache file cannot be used now.\n"))
        #expect(purge("{}", "--all").result.status == 1)
    }

    @Test func whatIsWrongOnTheCommandLineIsAUsageError() {
        let cases: [([String], String)] = [
            (
                [],
                "refrain: purge: needs --url, --prefix, --storefront, --resource or --all (see \"refrain help purge\")\n"
            ),
            (["--hard"], "refrain: purge: needs --url"),
            (["--all", "--url", "/a"], "refrain: purge: --all takes no other"),
            (["--resource", "songs"], "refrain: purge: --resource: expected TYPE:ID, such as songs:1440935467.\n"),
            (["--storefront", "USA"], "refrain: purge: --storefront: expected two lower-case letters"),
            (["--prefix", "v1"], "refrain: purge: --prefix: expected"),
            (["--url", "nonsense"], "refrain: purge: --url: "),
            (["--al"], "refrain: purge: unknown option \"--al\"; did you mean \"--all\"?\n"),
            (["--dryrun", "--all"], "refrain: purge: unknown option \"--dryrun\"; did you mean \"--dry-run\"?\n"),
        ]
        for (words, beginning) in cases { expectUsageError(["purge"] + words, beginning) }
    }
}
