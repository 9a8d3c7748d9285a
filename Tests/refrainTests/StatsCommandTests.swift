import TestSupport
import Testing
import Text

@testable import refrain

@Suite struct StatsCommandTests {
    private let body =
        #"{"requests":1000,"hits":905,"misses":7,"upstream_requests":8,"upstream_errors":1,"#
        + #""reasons":{"off":0,"stale":1,"method":2,"absent":2},"#
        + #""not_composed":{"item":{"not-held":4},"growth":{},"batch":{"over-age":5}}}"#

    /// Runs the command against a server that answers so.
    private func stats(
        _ words: [String] = [], status: String = "200 OK", files: MemoryFiles = MemoryFiles()
    ) -> (result: RunResult, request: String) {
        runAgainstServer("stats", body, words, status: status, files: files)
    }

    @Test func theBudgetIsShownByClassAndClient() {
        let spending =
            #"{"spending":{"class":[{"name":"songs","since_start":2},{"name":"personal","since_start":7}],"#
            + #""client":[{"name":"Unix sockets","kind":"socket","since_start":9}]}}"#
        #expect(
            runAgainstServer("stats", spending, []).result.standard == """
                sent to the origin, by class
                  personal      7
                  songs         2

                sent to the origin, by client
                  Unix sockets  9

                """)
    }

    @Test func showsATable() {
        let (result, request) = stats()
        #expect(result.status == 0 && result.error.isEmpty)
        #expect(
            result.standard == """
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
        #expect(request.hasPrefix("GET /stats HTTP/1.1\r\nHost: 127.0.0.1:"))
        #expect(!request.contains("Authorization"))
    }

    @Test func theTierHasASectionOfItsOwn() {
        let tier = #"{"tier":{"standing":"ready","last_error":null,"lookups":{"looks":10}}}"#
        let text = runAgainstServer("stats", tier, []).result.standard
        #expect(
            text == """
                shared tier
                  standing       ready
                  lookups looks     10

                """)
        #expect(runAgainstServer("stats", #"{"tier":null}"#, []).result.standard.isEmpty)
    }

    @Test func passesJSONOnAsItIs() {
        #expect(stats(["--json"]).result.standard == body + "\n")
    }

    @Test func presentsTheTokenOfTheFile() {
        let files = MemoryFiles(texts: ["t": "hush\n"])
        let request = stats(["--admin-token-file", "t"], files: files).request
        #expect(request.contains("\r\nAuthorization: Bearer hush\r\n"))
    }

    @Test(arguments: ["401 Unauthorized", "500 Internal Server Error"]) func otherStatusesFail(_ status: String) {
        let result = stats(status: status).result
        #expect(result.status == 1 && result.standard.isEmpty && result.error.contains(status.prefix(3)))
    }

    @Test func anAnswerThatIsNotJSONFails() {
        let result = runAgainstServer("stats", "no", []).result
        #expect(result.status == 1 && result.error.hasPrefix("refrain: the answer to GET /stats is not JSON"))
    }

    @Test func saysWhenNothingListens() throws {
        let port = try RawSocket.freePort()
        let result = run("stats", "--admin", "http://127.0.0.1:\(port)")
        #expect(result.status == 1)
        #expect(
            result.error.hasPrefix(
                "refrain: http://127.0.0.1:\(port): Connection refused; check that the proxy is running"))
    }

    @Test func theAdminURLIsChecked() {
        #expect(run("stats", "--admin", "https://127.0.0.1:1").status == 2)
        #expect(run("stats", "--admin", "127.0.0.1:8081").status == 2)
        #expect(run("stats", "--admin", "unix:").status == 2)
        #expect(run("stats", "--admin", "unix:/" + String(repeating: "x", count: 107)).status == 2)
        #expect(
            run("stats", "--admin", "unix:/nowhere/at/all").error.hasPrefix(
                "refrain: unix:/nowhere/at/all: No such file"))
        #expect(
            run("stats", "--admin-token-file", "absent").error
                == "refrain: cannot read absent: No such file or directory\n")
    }
}
