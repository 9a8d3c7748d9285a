import Foundation
import HTTP
import TestSupport
import Testing

@Suite struct FieldNameTests {
    private func recognise(_ name: String) throws -> FieldName {
        let request = try ParsedRequest("GET / HTTP/1.0\r\n\(name): a\r\n\r\n")
        return try #require(request.head.fields.first).id
    }

    @Test func namesAreRecognisedInAnyCase() throws {
        for name in FieldName.allCases where ![.other, .connection, .hostPolicy].contains(name) {
            let text = name.spelling
            #expect(try recognise(text) == name)
            #expect(try recognise(text.capitalized) == name)
            #expect(try recognise(text.uppercased()) == name)
        }
    }

    @Test func namesThatAreAlmostKnownAreOther() throws {
        for name in FieldName.allCases where name != .other {
            let text = name.spelling
            #expect(try recognise(text + "s") == .other)
            #expect(try recognise("x" + text) == .other)
            #expect(try recognise(text.dropLast() + "~") == .other, "\(text)")
            #expect(try recognise("1" + text.dropFirst()) == .other)
            if text.contains("-") {
                #expect(try recognise(text.replacing("-", with: "_")) == .other)
                #expect(try recognise(text.replacing("-", with: "%")) == .other)
            }
        }
        #expect(try recognise(String(repeating: "a", count: 256)) == .other)
        #expect(try recognise("Content-Length" + String(repeating: "x", count: 242)) == .other)
    }

    /// A web player's name for it was a field like any other.
    @Test(arguments: ["media-user-token", "Media-User-Token", "MEDIA-USER-TOKEN"])
    func aUsersTokenHasTwoNames(name: String) throws { #expect(try recognise(name) == .musicUserToken) }

    /// Such fields were like any other, and reached clients under the proxy's host.
    @Test func fieldsAboutAHostAreRecognisedInAnyCase() throws {
        for name in HostFields.names {
            for spelling in [name, name.capitalized, name.uppercased()] {
                #expect(try recognise(spelling).isAboutHost, "\(spelling)")
            }
            for almost in ["x" + name, name + "s", String(name.dropLast() + "~"), String("1" + name.dropFirst())] {
                #expect(try recognise(almost) == .other, "\(almost)")
            }
        }
        for name in HostFields.policies { #expect(try recognise(name) == .hostPolicy) }
        let about = FieldName.allCases.filter(\.isAboutHost)
        #expect(about.count == HostFields.names.count - HostFields.policies.count + 1)
        for name in [
            "Content-Security-Policy", "Permissions-Policy", "Link", "Server-Timing", "SourceMap", "Proxy-Status",
            "Set-Cookie", "Cross-Origin-Resource-Policy", "X-Frame-Options", "x-apple-request-uuid",
        ] {
            #expect(try !recognise(name).isAboutHost, "about the answer alone: \(name)")
        }
    }

    @Test func aSetOfNamesFitsOneWord() {
        #expect(FieldName.allCases.count <= 64)
        #expect(Set(FieldName.allCases.map(\.spelling)).count == FieldName.allCases.count)
    }

    @Test func fieldsAreFoundByName() throws {
        let request = try ParsedRequest("GET / HTTP/1.1\r\nHost: a\r\nVary: b\r\nX: c\r\nvary: d\r\nY:\r\n\r\n")
        #expect(request.head.fields.count(.vary) == 2 && request.value(.vary) == "b")
        #expect(request.head.fields.count(.other) == 2 && request.head.fields.contains(.host))
        #expect(!request.head.fields.contains(.etag) && request.head.fields.first(.etag) == nil)
        #expect(request.head.fields.count(.etag) == 0)
        #expect(request.head.fields.last.map { $0.value.isEmpty } == true)
    }
}
