import TestSupport
import Testing

@testable import AppleMusic
@testable import Proxy

@Suite struct BatchesTests {
    /// A list went on with the chain of its first member alone.
    @Test func requestsThatHavePassedOtherProxiesAreNotJoined() throws {
        let target = try CanonicalTarget("/v1/catalog/us/songs/1")
        func kind(_ via: String) throws -> Batches.Kind {
            let request = try ParsedRequest("GET / HTTP/1.1\r\nHost: p\r\nVia: \(via)\r\n\r\n")
            let chain = ViaChain(request.head, request.bytes.span)
            let wanted = try #require(CatalogRequest(target))
            let forwarded = ForwardedRequest(for: target, authorization: nil, via: chain)
            return Batches.Kind(wanted, question: forwarded.questionOfAnyName(signs: true), of: .none, nil)
        }
        let edge = "1.1 refrain-000000000000000b"
        #expect(try kind("1.1 other") == kind("1.0 another"), "of these nothing goes along")
        #expect(try kind(edge) == kind(edge) && kind(edge) != kind("1.1 other"))
    }
}
