import TestSupport
import Testing

@testable import HTTP

/// Heads of HTTP/2, as heads of HTTP/1.1 or refused.
@Suite struct HTTP2RequestHeadTests {
    private static let get = HTTP2Frame.get("/v1/catalog/us/albums/1", authority: "a.example")

    private func written(
        _ fields: [(String, String)], isLast: Bool = true, serverName: String? = nil
    ) throws(ParseError) -> (text: String, content: HTTP2RequestHead.Content) {
        var head = HTTP2RequestHead(limits: .request)
        head.reset()
        var buffer = ByteBuffer(capacity: 64)
        for (name, value) in fields { head.add(name, value, to: &buffer) }
        let content = try head.end(isLast: isLast, serverName: serverName.map { Array($0.utf8) }, to: &buffer)
        return (String(decoding: buffer.copyReadable(), as: UTF8.self), content)
    }

    private func refusal(
        _ fields: [(String, String)], isLast: Bool = true, serverName: String? = nil
    ) -> ParseError? {
        thrown { () throws(ParseError) in try written(fields, isLast: isLast, serverName: serverName) }
    }

    /// With one pseudo-field changed, or left out.
    private func changed(_ name: String, to value: String?) -> [(String, String)] {
        Self.get.compactMap { $0.0 == name ? value.map { (name, $0) } : $0 }
    }

    @Test func aGetIsWrittenAsHTTP11HasIt() throws {
        let (text, content) = try written(Self.get + [("accept", "*/*"), ("x-y", "z")])
        #expect(
            text == "GET /v1/catalog/us/albums/1 HTTP/1.1\r\nhost: a.example\r\naccept: */*\r\nx-y: z\r\n\r\n")
        #expect(content == .none && refusal(Self.get + [("te", "trailers")]) == nil)
    }

    @Test func oneValueServesManyHeads() throws {
        var head = HTTP2RequestHead(limits: .request)
        for path in ["/a", "/b"] {
            head.reset()
            var buffer = ByteBuffer(capacity: 64)
            for (name, value) in HTTP2Frame.get(path) + [("cookie", "a=1"), ("cookie", "b=2")] {
                head.add(name, value, to: &buffer)
            }
            _ = try head.end(isLast: true, serverName: nil, to: &buffer)
            #expect(
                String(decoding: buffer.copyReadable(), as: UTF8.self)
                    == "GET \(path) HTTP/1.1\r\nhost: localhost\r\ncookie: a=1; b=2\r\n\r\n")
        }
    }

    @Test func contentIsFramedByItsLengthOrAsChunks() throws {
        let post = changed(":method", to: "POST")
        #expect(try written(post + [("content-length", "3")], isLast: false).content == .counted)
        let (text, content) = try written(post, isLast: false)
        #expect(text.hasSuffix("\r\ntransfer-encoding: chunked\r\n\r\n") && content == .chunked)
        #expect(try written(post + [("content-length", "0")]).content == .none)
        #expect(refusal(post + [("content-length", "3")]) == .contentLength)
    }

    @Test func pseudoFieldsComeOnceFirstAndAreKnown() {
        for name in [":method", ":scheme", ":path"] {
            #expect(refusal(changed(name, to: nil)) == .pseudoField, "no \(name)")
        }
        for name in [":method", ":scheme", ":path", ":authority"] {
            #expect(refusal(Self.get + [(name, "/")]) == .pseudoField)
        }
        #expect(refusal(Self.get + [("a", "b"), (":path", "/")]) == .pseudoField)
        #expect(refusal(Self.get + [(":status", "200")]) == .pseudoField)
        #expect(refusal(Self.get + [(":protocol", "websocket")]) == .pseudoField)
    }

    @Test func aTargetCannotSmuggleALineOrAnAuthority() {
        for path in ["", "*", "v1", "http://b.example/", "//x y", "/a HTTP/1.1\r\nx: y", "/a\tb", "/a\u{0}"] {
            #expect(refusal(changed(":path", to: path)) != nil, "\(path)")
        }
        #expect(refusal(changed(":method", to: "GE T")) == .method)
        #expect(refusal(changed(":method", to: "CONNECT")) == .connect)
        #expect(refusal(changed(":scheme", to: "ftp")) == .pseudoField)
    }

    @Test(arguments: [
        ("connection", "close"), ("keep-alive", "1"), ("proxy-connection", "close"), ("transfer-encoding", "chunked"),
        ("upgrade", "h2c"), ("te", "gzip"),
    ])
    func fieldsOfAConnectionAreRefused(name: String, value: String) {
        #expect(refusal(Self.get + [(name, value)]) == .connectionField)
    }

    @Test func namesAreTokensInLowerCase() {
        for name in ["", "Accept", "a b", "a:", "a\r\nb", "ä"] {
            #expect(refusal(Self.get + [(name, "v")]) == .fieldName, "\(name)")
        }
    }

    @Test func valuesEndNoLine() {
        for value in ["a\r\nb: c", "a\nb", "a\rb", "a\u{0}b", "a\u{7F}"] {
            #expect(refusal(Self.get + [("x", value)]) == .controlCharacter)
            #expect(refusal(changed(":authority", to: value)) == .controlCharacter)
        }
    }

    @Test func valuesHaveNoWhiteSpaceAroundThem() throws {
        for value in [" a", "a ", "\ta", " "] { #expect(refusal(Self.get + [("x", value)]) == .fieldWhitespace) }
        #expect(try written(Self.get + [("x", "a b"), ("y", "")]).text.contains("\r\nx: a b\r\ny: \r\n"))
    }

    @Test func hostMayOnlyRepeatTheAuthority() throws {
        #expect(try written(Self.get + [("host", "A.example")]).text.ranges(of: "\r\nhost").count == 1)
        #expect(refusal(Self.get + [("host", "b.example")]) == .authorityMismatch)
        let alone = changed(":authority", to: nil) + [("host", "a.example")]
        #expect(try written(alone).text.contains("\r\nhost: a.example\r\n"))
    }

    @Test func theAuthorityIsTheHostOfTheHandshake() throws {
        #expect(refusal(Self.get, serverName: "a.example") == nil)
        #expect(refusal(changed(":authority", to: "A.Example:8443"), serverName: "a.example") == nil)
        // The dot that ends an absolute name was another host, and 421.
        #expect(refusal(changed(":authority", to: "a.example.:443"), serverName: "a.example") == nil)
        #expect(refusal(changed(":authority", to: "a.example.."), serverName: "a.example") == .misdirected)
        #expect(refusal(Self.get, serverName: "b.example") == .misdirected)
        let alone = changed(":authority", to: nil) + [("host", "a.example")]
        #expect(refusal(alone, serverName: "b.example") == .misdirected)
        #expect(ParseError.misdirected.status == 421)
    }

    @Test func aHeadIsAsLargeAsInHTTP11() {
        let half = String(repeating: "a", count: MessageLimits.request.maxHeadBytes / 2)
        #expect(refusal(Self.get + [("a", half)]) == nil)
        #expect(refusal(Self.get + [("a", half), ("b", half)]) == .headTooLarge)
    }
}

extension HTTP2RequestHead {
    fileprivate mutating func add(_ name: String, _ value: String, to head: inout ByteBuffer) {
        let (name, value) = (Array(name.utf8), Array(value.utf8))
        add(name.span, value.span, to: &head)
    }
}
