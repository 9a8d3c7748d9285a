import Testing

@testable import refrain

@Suite struct RecordCommandTests {
    private let body =
        #"{"on":true,"file":"/var/traffic","since":"2026-11-22T00:00:00.000000Z","sampling":0.5,"size":1,"files":2,"#
        + #""exchanges":7,"bytes":800,"dropped":9,"problem":"disk full"}"#

    private func record(_ word: String..., status: String = "200 OK") -> (result: RunResult, request: String) {
        runAgainstServer("record", body, word, status: status)
    }

    @Test func showsHowItFares() {
        let (result, request) = record("status")
        #expect(result.status == 0 && request.hasPrefix("GET /recording HTTP/1.1\r\n"))
        #expect(
            result.standard == """
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
        #expect(record("status", "--json").result.standard == body + "\n")
    }

    @Test(arguments: [("on", "true"), ("off", "false")]) func switchesIt(word: String, value: String) {
        let (result, request) = record(word)
        #expect(result.status == 0 && result.standard.hasPrefix("on         yes\n"))
        #expect(request.hasPrefix("POST /recording HTTP/1.1\r\n") && request.hasSuffix("{\"on\":\(value)}"))
    }

    @Test func wrongArgumentsAreUsageErrors() {
        #expect(run("record").error == "refrain: record: on, off, status or export? (see \"refrain help record\")\n")
        #expect(run("record", "statsu").error == "refrain: record: unknown \"statsu\"; did you mean \"status\"?\n")
        #expect(run("record", "on", "/tmp/a").status == 2)
    }
}
