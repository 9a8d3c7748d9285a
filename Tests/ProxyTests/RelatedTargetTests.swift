import Testing

@testable import Proxy

@Suite struct RelatedTargetTests {
    private func resolve(_ reference: String) -> String? {
        RelatedTarget.resolve(
            Array(reference.utf8)[...], against: Array("/v1/a/b?x=1".utf8), authority: Array("origin.test:8080".utf8)
        ).map { String(decoding: $0, as: UTF8.self) }
    }

    /// RFC 9111 4.4: a write invalidates no entries of another origin.
    @Test(
        arguments: [
            ("/v1/c", "/v1/c"), ("/v1/c?z=1&a=2", "/v1/c?a=2&z=1"), ("c", "/v1/a/c"), ("?y=2", "/v1/a/b?y=2"),
            ("", "/v1/a/b?x=1"), ("#part", "/v1/a/b?x=1"), ("http://origin.test:8080/v1/c", "/v1/c"),
            ("HTTPS://Origin.Test:8080/v1/c", "/v1/c"), ("//origin.test:8080/v1/c", "/v1/c"),
            ("http://origin.test:8080", "/"), ("http://origin.test:8080?q=1", "/?q=1"),
            ("http://other.test/v1/c", nil), ("//other.test/v1/c", nil), ("http://origin.test/v1/c", nil),
            ("mailto:a@b", nil), ("a:b/c", nil),
        ] as [(String, String?)])
    func onlyReferencesToThisOriginLeadToATarget(reference: String, target: String?) {
        #expect(resolve(reference) == target)
    }
}
