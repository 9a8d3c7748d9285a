import Foundation
import Proxy
import TestSupport
import Testing

@testable import EventLoop

/// Paths outside of the API, which scanners ask for.
@Suite(.timeLimit(.minutes(10))) struct OtherPathsTests {
    /// Each of them went to the origin with the operator's token.
    @Test func pathsOutsideOfTheAPIAreRefusedWhereTheOperatorSaysSo() throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply() }
        let proxy = try ProxyUnderTest(originPort: origin.port)
        defer { proxy.stop() }
        #expect(try proxy.client.send("GET", "/.env").status == 200)
        try proxy.adopt { $0.shared.servesOther = false }
        for target in ["/.env", "/v1", "/v10/catalog", "/", "/v2/me", "/wp-login.php?a=b"] {
            let answer = try proxy.client.send("GET", target)
            #expect(answer.status == 404, "\(target)")
            #expect(String(decoding: answer.body, as: UTF8.self).contains("under /v1/"))
            #expect(answer.field("Cache-Status") == "refrain; detail=off", "as it is explained")
        }
        #expect(try proxy.client.send("POST", "/.git/config", body: Data([1])).status == 404)
        #expect(try proxy.client.send("GET", "/v1/catalog/us/songs/1").status == 200)
        #expect(origin.requests.map(\.target) == ["/.env", "/v1/catalog/us/songs/1"])
        let explained = proxy.explain("/.env")
        #expect(explained?.action == .refuse && explained?.reason == .off && explained?.asksOrigin == .never)
    }
}
