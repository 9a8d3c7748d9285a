import AppleMusic
import Testing

@testable import Proxy
@testable import Upstream

@Suite struct StorableResponseTests {
    private func response(_ fields: [String]) -> UpstreamResponse {
        var response = ExchangeScript.response(200, fields.map { $0 + "\r\n" }.joined())
        response.body = Array("{\"type\":\"a\",\"id\":\"1\"}".utf8)
        return response
    }

    @Test(
        arguments: [
            ([], false), (["Content-Encoding: identity"], false),
            (["Content-Encoding: identity", "content-encoding: identity"], false), (["Content-Encoding: gzip"], true),
            (["Content-Encoding: identity", "Content-Encoding: gzip"], true),
            (["Content-Encoding: identity, gzip"], true),
        ] as [([String], Bool)])
    func codedContentMayNameAnyResource(fields: [String], isCoded: Bool) {
        let response = response(fields)
        let named = isCoded ? ResourceMention.everything : ResourceMention.number(type: "a", id: "1")
        #expect(response.hasContentCoding == isCoded && response.scan.mentions == [named])
    }
}
