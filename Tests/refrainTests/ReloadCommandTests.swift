import Testing

@testable import refrain

@Suite struct ReloadCommandTests {
    @Test func saysWhatChanged() {
        let (result, request) = runAgainstServer("reload", #"{"changed":["ttl","compose"]}"#, [])
        #expect(result.status == 0 && result.standard == "reloaded; changed: ttl, compose\n")
        #expect(request.hasPrefix("POST /reload HTTP/1.1\r\n") && request.hasSuffix("{}"))
        let nothing = runAgainstServer("reload", #"{"changed":[]}"#, []).result
        #expect(nothing.standard == "reloaded; no setting has changed\n")
    }

    /// `systemctl reload` said 0 though the file was refused.
    @Test func aBadFileFailsWithItsLines() {
        let body = #"{"errors":[{"detail":"nothing was changed: proxy.conf:7: unknown directive"}]}"#
        let (result, _) = runAgainstServer("reload", body, [], status: "409 Conflict")
        #expect(result.status == 1 && result.standard.isEmpty)
        #expect(result.error.contains("nothing was changed: proxy.conf:7: unknown directive"))
    }
}
