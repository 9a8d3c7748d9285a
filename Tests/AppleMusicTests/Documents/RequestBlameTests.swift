import Testing

@testable import AppleMusic

@Suite struct RequestBlameTests {
    private func isOnTarget(_ body: String) -> Bool { RequestBlame.isOnTarget(Array(body.utf8)) }

    @Test(arguments: ["40003", "40005", "40008"]) func aWrongPathOrParameterIsTheTargets(code: String) {
        #expect(isOnTarget(#"{"errors":[{"status":"400","code":"\#(code)"}]}"#))
        #expect(isOnTarget("\u{FEFF}" + #"{"errors":[{"code":"\#(code)"}]}"#))
        #expect(isOnTarget(#"{"errors":[{"code":"\#(code)"},{"code":"40005","source":{"parameter":"limit"}}]}"#))
    }

    @Test(arguments: [
        "", "Bad Request", "<html>", "[]", "{}", #"{"errors":[]}"#, #"{"errors":{}}"#, #"{"errors":[{}]}"#,
        #"{"errors":[{"code":40005}]}"#, #"{"errors":[{"code":"40015"}]}"#, #"{"errors":[{"code":"40006"}]}"#,
        #"{"errors":[{"code":"40005"},{"code":"40015"}]}"#,
    ])
    func othersAreNot(body: String) { #expect(!isOnTarget(body)) }

    @Test func aLongBodyIsNotRead() {
        let error = #"{"errors":[{"code":"40005"}]}"#
        let most = RequestBlame.mostBytes
        #expect(isOnTarget(error + String(repeating: " ", count: most - error.utf8.count)))
        #expect(!isOnTarget(error + String(repeating: " ", count: most - error.utf8.count + 1)))
    }
}
