import Testing

@testable import Proxy

@Suite struct ShownTargetTests {
    private func shown(_ target: String, for user: NamedUser? = nil) -> String {
        String(decoding: ShownTarget.bytes(of: Array(target.utf8).span, for: user), as: UTF8.self)
    }

    @Test(arguments: [
        ("/v1/catalog/us/albums/1?include=artists&key=secret", "/v1/catalog/us/albums/1"),
        ("/v1/catalog/us/%61lbums/1", "/v1/catalog/us/albums/1"), ("", "/"), ("/.env?a=b", "other"),
        ("/v1/me/library/songs/i.private?l=en", "/v1/me/library/{type}/{id}"),
        ("/v1/catalog/us/songs/1?include=library", "/v1/catalog/{storefront}/songs/{id}"),
        ("/v1/new/private", "other"), ("/v1;x/me/library/songs/i.private", "other"),
        // Malformed: the mistake is shown where all before it is, and nothing after it.
        ("/v1/catalog/us/..%2f..%2fme%2fi.private", "/v1/catalog/us/..%2f..."),
        ("/v1/catalog/us/songs/1#private", "/v1/catalog/us/songs/1#..."), ("/private#private", "-"),
        ("/v1/catalog/us/%zz/1", "/v1/catalog/us/%zz/..."),
        ("/v1/catalog/us/../../me/i.private", "/v1/catalog/us/../..."),
        ("/v1/me/library/songs/i.private/%zz", "/v1/me/library/{type}/{id}"), ("/v1/me/%00", "/v1/me"),
        ("/v1/new/private/%zz", "other"), ("/%zz/me", "-"), ("a", "-"),
    ])
    func aTargetIsShownWithoutItsQueryAndAUsersByItsRoute(target: String, expected: String) {
        #expect(shown(target) == expected)
    }

    @Test func aPathOfNoRouteIsShownInBoundedAttempts() {
        #expect(shown("/.env?a=b", for: .nobody) == "/.env" && shown("/a/b/%zz", for: .nobody) == "/a/b/%zz")
        #expect(shown("/v1/new/private", for: .several) == "other")
        #expect(shown("/v1/me/library/songs/i.private", for: .nobody) == "/v1/me/library/{type}/{id}")
        // Each attempt reads all that is left.
        let segments = String(repeating: "/a", count: 4000)
        #expect(shown("/v1/catalog/us/songs/1" + segments + "/%zz") == "/v1/catalog/us/songs/1/a/a/a/a/...")
    }

    /// The malformed segment helps to find the sender; the rest may be anything.
    @Test(arguments: [
        ("/v1/catalog/us/%zz?key=secret", "/v1/catalog/us/%zz?..."), ("/v1/me/%00", "/v1/me"),
        ("/%zz/me", "/%zz/..."), ("a", "a"), ("/a%zzb/c", "/a%zzb/..."),
        ("/v1/catalog/us/songs/1?l=%zz", "/v1/catalog/us/songs/1?..."), ("/a/b/%zz", "/a/b/%zz"),
        ("/" + String(repeating: "%z", count: 100), "/" + String(repeating: "%z", count: 32) + "..."),
    ])
    func aMalformedSegmentIsShownAndCut(target: String, expected: String) {
        #expect(shown(target, for: .nobody) == expected)
    }
}
