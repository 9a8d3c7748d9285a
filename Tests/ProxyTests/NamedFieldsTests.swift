import Testing

@testable import AppleMusic
@testable import Proxy

@Suite struct NamedFieldsTests {
    private func besideToken(_ name: String) throws -> Bool {
        let fields = NamedFields([name])
        #expect(try !fields.names(for: CanonicalTarget("/v1/catalog/us/songs/1")).isEmpty)
        return try !fields.names(for: CanonicalTarget("/v1/me/library/songs")).isEmpty
    }

    /// A user's address went to Apple with the user's token, where the operator had named a field.
    @Test(arguments: [
        "X-Forwarded-For", "x_forwarded_for", "Forwarded", "X-Real-IP", "True-Client-IP", "CF-Connecting-IP",
        "CF-Connecting-IPv6", "CF-IPCountry", "X-Client-IP", "X-Cluster-Client-IP", "Fastly-Client-IP", "Referer",
        "From", "X-AppEngine-User-IP", "X-AppEngine-City", "CloudFront-Viewer-Address", "Fly-Client-IP",
        "X-Vercel-Forwarded-For", "X-Original-Forwarded-For", "X-Remote-User", "X-Auth-Request-Email", "X-User-ID",
        "X-Device-Id", "X-Geo-Country", "X-Azure-SocketIP", "X-Userip", "WL-Proxy-Client-IP",
        "X-Envoy-External-Address", "X-Customer-Id", "X-CustomerId", "X-Member", "X-Member-Number", "X-Login",
        "X-Tenant-Id", "X-Phone-Number", "X_Phone", "X-Mail", "X-Lat", "X-Lon", "X-Lng", "X-GeoLocation", "X-AccountId",
        "X-UserEmail", "X-Profile-Id", "X-Subscriber", "X-Zip-Code", "X-GPS",
    ])
    func identifyingFieldsAreNotSentBesideAToken(name: String) throws { #expect(try !besideToken(name)) }

    @Test(arguments: [
        "X-App-Version", "User-Agent", "Accept-Language", "X-Request-Id", "X-Apple-Store-Front", "DNT",
        "X-HTTP-Method-Override", "X-Client-Version", "X-Latency", "X-Long-Poll", "X-Telemetry", "X-Zipped",
    ])
    func otherFieldsAreSentBesideAToken(name: String) throws { #expect(try besideToken(name)) }

    @Test func fieldsOfTheProxyCannotBeNamed() {
        for name in [
            "Cookie", "Authorization", "Music-User-Token", "media_user_token", "X-Refrain-Key", "Host", "Connection",
            "Content-Length", "Transfer-Encoding", "Via", "Origin", "Accept-Encoding", "Proxy-Authorization",
        ] {
            #expect(!NamedFields.canGoAlong(name), "\(name)")
        }
        for name in ["X-Forwarded-For", "User-Agent", "Cookies", "Accept-Language"] {
            #expect(NamedFields.canGoAlong(name), "\(name)")
        }
    }
}
