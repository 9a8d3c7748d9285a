import TestSupport
import Testing

@testable import HTTP

@Suite struct HeadParserTests {
    @Test func aRequestIsTakenApart() throws {
        let request = try ParsedRequest(
            "GET /v1/catalog/us/albums/1?include=artists HTTP/1.1\r\nHost: a.example:8080\r\nAccept:  */* \t\r\nX-Own: \r\n\r\n"
        )
        #expect(request.head.method == .get)
        #expect(request[request.head.methodText] == "GET")
        #expect(request[request.head.target] == "/v1/catalog/us/albums/1?include=artists")
        #expect(request.head.authority == nil && request.head.version == .http11)
        #expect(request.head.byteCount == request.bytes.count)
        #expect(request.head.fields.map { request[$0.name] } == ["Host", "Accept", "X-Own"])
        #expect(request.head.fields.map { request[$0.value] } == ["a.example:8080", "*/*", ""])
        #expect(request.head.fields.map(\.id) == [.host, .accept, .other])
    }

    @Test func theHeadEndsWhereTheNextMessageBegins() throws {
        let request = try ParsedRequest("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\nGET /next")
        #expect(request.head.byteCount == request.bytes.count - "GET /next".utf8.count)
    }

    @Test(arguments: [
        ("POST http://a/x HTTP/1.0\r\nHost: a\r\nContent-Length: 3\r\nConnection: keep-alive\r\n\r\n", true),
        ("POST http://a/x HTTP/1.0\r\nHost: a\r\nContent-Length: 3\r\nX", false),
    ])
    func anEarlierHeadLeavesNoTrace(text: String, isWhole: Bool) throws {
        var parser = HeadParser(limits: .request)
        let head = RequestHead()
        let first = [UInt8](text.utf8)
        #expect(try parser.parse(first.span, into: head) == isWhole)
        if !isWhole { parser.reset() }
        let second = [UInt8]("GET / HTTP/1.1\r\nHost: b\r\n\r\n".utf8)
        #expect(try parser.parse(second.span, into: head))
        #expect(head.method == .get && head.authority == nil && head.fields.count == 1)
        #expect(!head.fields.contains(.contentLength) && head.fields.first(.connection) == nil)
        #expect(head.version == .http11 && !head.expectsContinue)
    }

    @Test func aHeadThatTricklesInEqualsTheWhole() throws {
        let whole = try ParsedRequest(
            "\r\nPUT /a%20b?c=d HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nIf-Match: \"x\"\r\n\r\n")
        let bytes = whole.bytes
        var parser = HeadParser(limits: .request)
        let head = RequestHead()
        for count in 0...bytes.count {
            #expect(try parser.parse(bytes.span.extracting(0..<count), into: head) == (count == bytes.count))
        }
        #expect(head.target == whole.head.target && head.byteCount == whole.head.byteCount)
        #expect(Array(head.fields) == Array(whole.head.fields))
    }

    @Test(arguments: [
        "GET / HTTP/1.1\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\n",
        "GET / HTTP/1.1\rHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n",
    ])
    func onlyCRLFEndsALine(text: String) { #expect(refusal(text) == .lineEnd) }

    @Test(arguments: (0..<256).map { UInt8($0) })
    func aFieldNameIsAToken(byte: UInt8) {
        let tokens = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        let bytes = [UInt8]("GET / HTTP/1.1\r\nHost: a\r\nX".utf8) + [byte] + [UInt8]("Y: c\r\n\r\n".utf8)
        let error = thrown { () throws(ParseError) in try ParsedRequest(bytes) }
        // A colon ends the name, and the value follows it.
        #expect((error == nil) == (tokens.contains(byte) || byte == UInt8(ascii: ":")), "\(byte)")
    }

    @Test(arguments: [
        // White space around a name, and folded lines.
        ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", ParseError.fieldName),
        ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .foldedField),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n\t2\r\n\r\n", .foldedField),
        ("GET / HTTP/1.1\r\nHost: a\r\n: 1\r\n\r\n", .fieldName),
        ("GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", .fieldName),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: b\u{1}c\r\n\r\n", .controlCharacter),
        // Garbage, before its line ends.
        ("\u{16}\u{3}\u{1}", .method), ("{\"a\":", .method), (" GET", .method),
        // Fields that frame, declared hop-by-hop.
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: host\r\n\r\n", .connectionOption),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: Content-Length\r\n\r\n", .connectionOption),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, TRANSFER-ENCODING\r\n\r\n", .connectionOption),
        // A method in the wrong case, a tunnel, and other versions.
        ("get / HTTP/1.1\r\nHost: a\r\n\r\n", .method), ("Delete / HTTP/1.1\r\nHost: a\r\n\r\n", .method),
        ("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", .connect),
        ("CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n", .connect),
        ("GET / HTTP/0.9\r\n\r\n", .version), ("GET / HTTP/1.2\r\n\r\n", .version),
        ("GET / HTTP/2.0\r\n\r\n", .version), ("GET / HTTP/9.9\r\n\r\n", .version),
        // No host, and two.
        ("GET / HTTP/1.1\r\n\r\n", .hostMissing), ("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", .hostRepeated),
        ("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", .hostRepeated),
    ])
    func headsAreRefused(text: String, error: ParseError) { #expect(refusal(text) == error) }

    @Test func persistenceFollowsVersionAndConnection() throws {
        for (version, connection, keeps) in [
            ("1.1", "x", true), ("1.1", "close", false), ("1.1", "keep-alive, Close", false),
            ("1.1", "a , CLOSE", false),
            ("1.0", "x", false), ("1.0", "Keep-Alive", true), ("1.0", "keep-alive, close", false),
        ] {
            let request = try ParsedRequest("GET / HTTP/\(version)\r\nHost: a\r\nConnection: \(connection)\r\n\r\n")
            #expect(request.head.keepsAlive == keeps, "\(version) \(connection)")
            let response = try ParsedResponse("HTTP/\(version) 200 OK\r\nConnection: \(connection)\r\n\r\n")
            #expect(response.head.keepsAlive == keeps, "\(version) \(connection)")
        }
    }

    @Test func otherFieldsMayBeDeclaredHopByHop() {
        #expect(refusal("GET / HTTP/1.1\r\nHost: a\r\nConnection: authorization\r\n\r\n") == nil)
    }

    /// 28 kB of options were compared with each of a hundred fields: 10 ms for one request.
    @Test func optionsOfAConnectionAreBounded() throws {
        for (count, isTaken) in [(32, true), (33, false)] {
            let names = (0..<count).map { "x-\($0)" }
            for lines in [["Connection: " + names.joined(separator: ",")], names.map { "Connection: \($0)" }] {
                let fields = lines.map { $0 + "\r\n" }.joined()
                let refused: ParseError? = isTaken ? nil : .connectionOption
                #expect(refusal("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n") == refused, "\(count)")
                let response = "HTTP/1.1 200 OK\r\n\(fields)\r\n"
                #expect(thrown { () throws(ParseError) in try ParsedResponse(response) } == refused, "\(count)")
            }
        }
    }

    /// Thirty long ones were compared with each of eighty fields: as much as reading 400 kB.
    @Test func bytesOfOptionsAreBounded() {
        for (length, refused) in [(512, nil), (513, .connectionOption)] as [(Int, ParseError?)] {
            let options = String(repeating: "a", count: 512) + "," + String(repeating: "b", count: length)
            #expect(refusal("GET / HTTP/1.1\r\nHost: a\r\nConnection: \(options)\r\n\r\n") == refused)
        }
    }

    @Test func theOnlyExpectationIsContinue() throws {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: "
        #expect(try ParsedRequest(head + "100-Continue\r\n\r\n").head.expectsContinue)
        #expect(refusal(head + "100-continue, x\r\n\r\n") == .expectation)
        #expect(refusal(head + "x\r\n\r\n")?.status == 417)
        #expect(try !ParsedRequest("POST / HTTP/1.0\r\nExpect: x\r\n\r\n").head.expectsContinue)
    }

    @Test func aStatusLineIsTakenApart() throws {
        #expect(try ParsedResponse("HTTP/1.1 200 OK\r\n\r\n").head.status == 200)
        #expect(try ParsedResponse("HTTP/1.0 404 \r\n\r\n").head.version == .http10)
        #expect(try ParsedResponse("HTTP/1.1 503\r\n\r\n").head.status == 503)
        #expect(try ParsedResponse("HTTP/1.1 103 Early Hints\r\n\r\n").head.isInterim)
        for line in [
            "HTTP/1.1 099 x", "HTTP/1.1 600 x", "HTTP/1.1 20 x", "HTTP/1.1 2000 x", "HTTP/1.1  200 x", "HTTP/1.2 200 x",
            "HTTP/2 200", "http/1.1 200 x", "HTTP/1.1 2x0 x", "HTTP/1.1\t200 x", "HTTP/1.1 200x", "HTTP/1.1", "",
        ] {
            let error = thrown { () throws(ParseError) in try ParsedResponse(line + "\r\n\r\n") }
            #expect(error == .statusLine, "\(line)")
        }
        #expect(thrown { () throws(ParseError) in try ParsedResponse("SSH-2") } == .statusLine, "before its line ends")
    }
}
