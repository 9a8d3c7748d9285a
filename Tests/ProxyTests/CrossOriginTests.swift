import HTTP
import TestSupport
import Testing

@testable import Proxy

@Suite struct CrossOriginTests {
    @Test func crossOriginFieldsFollowTheRequest() throws {
        func fields(_ policy: CrossOrigin, _ origin: String) throws -> String {
            let request = try ParsedRequest("GET / HTTP/1.1\r\nHost: x\r\n\(origin)\r\n")
            var buffer = ByteBuffer(capacity: 64)
            policy.write(for: request.head, request.bytes.span, to: &buffer)
            return String(decoding: buffer.copyReadable(), as: UTF8.self)
        }
        let named = CrossOrigin.only([PageOrigin("https://a.example")])
        #expect(try fields(.any, "") == "")
        #expect(try fields(.any, "Origin: https://b.example\r\n").contains("Access-Control-Allow-Origin: *\r\n"))
        #expect(try fields(named, "") == "Vary: Origin\r\n")
        #expect(try fields(named, "Origin: https://b.example\r\n") == "Vary: Origin\r\n")
        for (policy, origin) in [
            (named, "https://a.example"), (.only([PageOrigin("https://*.example")]), "https://b.example"),
        ] {
            #expect(try fields(policy, "Origin: \(origin)\r\n").contains("Access-Control-Allow-Origin: \(origin)\r\n"))
        }
    }

    @Test(arguments: [
        ("https://a.example", "https://a.example", true), ("https://a.example", "https://a.example:8443", false),
        ("https://a.example", "https://a.example.evil", false), ("https://a.example", "", false),
        ("capacitor://localhost", "capacitor://localhost", true), ("capacitor://localhost", "ionic://localhost", false),
        ("capacitor://localhost", "https://localhost", false), ("file://", "file://", true), ("file://", "null", false),
        ("https://*.a.example", "https://b.a.example", true), ("https://*.a.example", "https://c.b.a.example", true),
        ("https://*.a.example", "https://a.example", false), ("https://*.a.example", "https://.a.example", false),
        ("https://*.a.example", "https://evila.example", false), ("https://*.a.example", "http://b.a.example", false),
        ("https://*.a.example", "https://b.a.example:1", false),
        ("https://*.a.example:1", "https://b.a.example:1", true),
        ("https://*.a.example", "https://evil.test/.a.example", false),
        ("https://*.a.example", "https://evil.test:80.a.example", false),
        ("https://*.a.example", "https://x@b.a.example", false), ("", "https://a.example", false),
        ("app://*", "app://a", true), ("app://*", "app://", false), ("*.a.example", "https://b.a.example", false),
    ])
    func anOriginNamesItselfOrAllHostsOfADomain(pattern: String, origin: String, matches: Bool) {
        #expect(PageOrigin(pattern).matches(Array(origin.utf8).span) == matches)
    }

    /// A page's developer saw an error in the browser and the operator a preflight like any other.
    @Test(
        arguments: [
            ("https://a.example", "PUT", "authorization, x-refrain-key,media-user-token", nil),
            ("https://a.example", "GET", "x-app", nil), ("https://a.example", "GET", "", nil),
            ("https://b.example", "GET", "", "origin-not-allowed"), ("null", "GET", "", "origin-not-allowed"),
            ("https://a.example", "PURGE", "", "method-not-allowed"),
            ("https://a.example", "GET", "authorization,x-other", "header-not-allowed"),
        ] as [(String, String, String, String?)])
    func aPreflightIsRefusedForAReason(origin: String, method: String, headers: String, reason: String?) throws {
        let request = try ParsedRequest(
            "OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: \(origin)\r\nAccess-Control-Request-Method: \(method)\r\n"
                + "Access-Control-Request-Headers: \(headers)\r\n\r\n")
        func refusal(_ policy: CrossOrigin, _ more: [String]) -> String? {
            policy.preflightRefusal(of: request.head, request.bytes.span, allowing: PageFields(more))?.description
        }
        #expect(refusal(CrossOrigin.only([PageOrigin("https://a.example")]), ["X-App", "X-Trace"]) == reason)
        #expect(refusal(.any, ["*"]) == (reason == "method-not-allowed" ? reason : nil))
    }

    /// All names were compared with each of 15,000 elements.
    @Test func aListLongerThanTheNamesIsReadNoFurther() throws {
        func include(_ list: String) throws -> Bool {
            let request = try ParsedRequest(
                "GET / HTTP/1.1\r\nHost: x\r\nAccess-Control-Request-Headers: \(list)\r\n\r\n")
            let field = try #require(request.head.fields.first(.accessControlRequestHeaders))
            return PageFields(["X-App"]).include(listedAt: field.value, request.bytes.span)
        }
        func repeated(_ count: Int) -> String { Array(repeating: "x-app", count: count).joined(separator: ",") }
        #expect(try include("x-app,range , AUTHORIZATION") && include(repeated(12)) && !include(repeated(13)))
        #expect(try !include("x-app,x-ap") && !include(String(repeating: "x", count: 1_000)))
    }
}
