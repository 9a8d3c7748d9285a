import Foundation
import Proxy
import TestSupport
import Testing

/// The promise of TRUST 3 on what Apple gets of a client's fields, with real sockets.
@Suite(.timeLimit(.minutes(10))) struct ForwardedFieldsTests {
    /// The fields that the proxy writes itself, and the client's that the API needs.
    private static let promised: Set = [
        "host", "accept-encoding", "authorization", "music-user-token", "media-user-token", "cookie", "user-agent",
        "via", "content-length", "accept", "content-type", "content-encoding", "cache-control", "range", "if-range",
        "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "traceparent", "tracestate",
    ]

    private static let names = [
        "Accept", "Accept-Language", "Accept-Charset", "Accept-Encoding", "Referer", "User-Agent", "Origin", "From",
        "DNT", "Cookie", "X-Forwarded-For", "Forwarded", "X-Real-IP", "True-Client-IP", "CF-Connecting-IP",
        "CF-IPCountry", "X-App-Version", "X-Device-Id", "X-Apple-Store-Front", "X-Requested-With", "Sec-CH-UA",
        "Sec-Fetch-Mode", "Pragma", "Cache-Control", "Content-Type", "Content-Encoding", "Content-Language",
        "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range", "Priority",
        "Prefer", "X-Request-Id", "X-B3-TraceId", "traceparent", "tracestate", "baggage", "Via", "Save-Data",
        "X-HTTP-Method-Override", "Proxy-Authorization", "X-Refrain-Key", "Date", "Warning", "Music_User_Token",
    ]

    /// Not bound to a site: `Origin` does not go along with it.
    private static let token = "Bearer eyJhbGciOiJFUzI1NiJ9.e30.c2ln"

    private static func fields(_ random: inout SeededGenerator) -> [(String, String)] {
        var fields = [("Authorization", token)]
        if Bool.random(using: &random) { fields.append(("Music-User-Token", "anna")) }
        for number in 0..<Int.random(in: 1..<14, using: &random) {
            var name = names.randomElement(using: &random)!
            if number % 5 == 4 { name = "X-\(UInt32.random(in: 0...(.max), using: &random))" }
            let isCookie = name == "Cookie"
            fields.append((name, isCookie ? "a=b; media-user-token=anna; refrain_session=canary" : "canary-\(number)"))
        }
        return fields
    }

    private static let policies = [
        Policy(), Policy(.songs, .upstream), Policy(.songs, .off), Policy(.personal, .fixed(600, stale: 600)),
    ]

    /// Cookies, `Referer`, `User-Agent`, `Accept-Language`, `X-*` went to Apple beside a token.
    @Test(arguments: 0..<4) func theAPIGetsPromisedFieldsAlone(policy: Int) throws {
        let origin = try FakeOrigin(.init(fields: [("Cache-Control", "max-age=600")]))
        let proxy = try ProxyUnderTest(before: origin, policy: Self.policies[policy])
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let targets = ["/v1/me/library/songs", "/v1/catalog/us/songs/1?include=library", "/v1/unknown"]
        for number in 0..<TestSize.of(150, release: 1_500) {
            let method = ["GET", "GET", "HEAD", "POST", "PUT", "DELETE"].randomElement(using: &random)!
            let isRead = method == "GET" || method == "HEAD"
            let more = isRead ? "/v1/catalog/us/songs/\(number)" : "/elsewhere"
            _ = try proxy.client.send(
                method, (targets + [more]).randomElement(using: &random)!, fields: Self.fields(&random),
                body: method == "POST" ? Data("{}".utf8) : nil)
        }
        #expect(origin.requests.count > 40)
        for request in origin.requests {
            let unpromised = Set(request.fields.map(\.name)).subtracting(Self.promised)
            #expect(unpromised.isEmpty, "\(request.method) \(request.target), seed \(seed)")
            #expect(request.field("user-agent") == "refrain" && request.field("authorization") == Self.token)
            #expect(["media-user-token=anna", nil].contains(request.field("cookie")), "seed \(seed)")
        }
        #expect(origin.requests.contains { $0.field("accept")?.hasPrefix("canary") == true }, "some go along")
    }

    /// A field that does not go along chose among the stored answers, and none was ever found.
    @Test func varyingByAFieldNotForwardedIsOneAnswer() throws {
        let fields = [("Cache-Control", "max-age=600"), ("Vary", "Accept-Language, User-Agent, Accept")]
        let origin = try FakeOrigin(.init(fields: fields))
        let proxy = try ProxyUnderTest(before: origin, policy: Policy(.songs, .upstream))
        func ask(_ fields: (String, String)...) throws {
            _ = try proxy.client.send("GET", "/v1/catalog/us/songs/1", fields: fields)
        }
        try ask(("Accept-Language", "de"), ("User-Agent", "one"))
        try ask(("Accept-Language", "en"), ("User-Agent", "two"))
        #expect(origin.requests.count == 1)
        try ask(("Accept", "text/html"))
        #expect(origin.requests.count == 2, "this one goes along")
        try proxy.adopt { $0.service.forwardedFields = NamedFields(["Accept-Language"]) }
        try ask(("Accept-Language", "de"))
        #expect(origin.requests.count == 3 && origin.requests.last?.field("accept-language") == "de")
    }
}
