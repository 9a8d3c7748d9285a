import TestSupport
import Testing

@testable import HTTP

@Suite struct BodyFramingTests {
    private func framing(_ fields: String, version: String = "1.1", method: String = "POST") throws(ParseError)
        -> BodyFraming
    {
        try ParsedRequest("\(method) / HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n").framing()
    }

    private func refusal(_ fields: String, version: String = "1.1", method: String = "POST") -> ParseError? {
        thrown { () throws(ParseError) in try framing(fields, version: version, method: method) }
    }

    @Test func aRequestIsFramedByOneField() throws {
        #expect(try framing("") == .none)
        #expect(try framing("Content-Length: 0\r\n") == .length(0))
        #expect(try framing("content-LENGTH:\t0042 \r\n") == .length(42))
        #expect(try framing("Transfer-Encoding: chunked\r\n") == .chunked)
        #expect(try framing("TRANSFER-encoding:CHUNKED\r\n") == .chunked)
        #expect(try framing("Content-Length: 3\r\n", version: "1.0") == .length(3))
    }

    @Test func twoWaysToFrameAreRefused() {
        #expect(refusal("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n") == .conflictingFraming)
        #expect(refusal("Transfer-Encoding: x\r\nContent-Length: 0\r\n") == .conflictingFraming)
        #expect(refusal("Content-Length: 3\r\nContent-Length: 4\r\n") == .contentLength)
        #expect(refusal("Content-Length: 3\r\ncontent-length: 3\r\n") == .contentLength)
        #expect(refusal("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n") == .transferEncoding)
        #expect(refusal("Transfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n") == .transferEncoding)
    }

    @Test(arguments: ["", "3, 3", "+3", "-0", "3 4", "0x3", "3.0", "3e0", "\"3\"", "3;", "\u{663}", "three", "3_0"])
    func aLengthIsOnlyDigits(value: String) {
        #expect(refusal("Content-Length: \(value)\r\n") == .contentLength)
    }

    @Test(arguments: [
        "gzip, chunked", "chunked, identity", "chunked, chunked", ", chunked", "chunked;q=1", "\"chunked\"", "chun ked",
        "",
    ])
    func aCodingIsOnlyChunked(value: String) {
        #expect(refusal("Transfer-Encoding: \(value)\r\n") == .transferEncoding)
    }

    @Test func oneUnknownCodingIsNotImplemented() {
        for coding in ["gzip", "identity", "xchunked", "chunked1"] {
            #expect(refusal("Transfer-Encoding: \(coding)\r\n")?.status == 501)
        }
    }

    @Test func anOldVersionHasNoTransferCoding() {
        #expect(refusal("Transfer-Encoding: chunked\r\n", version: "1.0") == .transferEncoding)
    }

    @Test func lengthsAreBoundedAndDoNotOverflow() throws {
        let max = MessageLimits.request.maxBodyBytes
        #expect(try framing("Content-Length: \(max)\r\n") == .length(max))
        #expect(refusal("Content-Length: \(max + 1)\r\n") == .contentTooLarge)
        #expect(refusal("Content-Length: \(Int.max)\r\n") == .contentTooLarge)
        #expect(refusal("Content-Length: 18446744073709551621\r\n") == .contentTooLarge)  // 2^64 + 5
    }

    @Test func traceHasNoContent() {
        #expect(refusal("Content-Length: 2\r\n", method: "TRACE") == .traceContent)
        #expect(refusal("Transfer-Encoding: chunked\r\n", method: "TRACE") == .traceContent)
        #expect(refusal("Content-Length: 0\r\n", method: "TRACE") == nil)
    }

    @Test func aResponseIsFramedByItsFieldsOrItsEnd() throws {
        #expect(try ParsedResponse("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n").framing() == .length(7))
        #expect(try ParsedResponse("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").framing() == .chunked)
        #expect(try ParsedResponse("HTTP/1.0 200 OK\r\n\r\n").framing() == .untilClose)
        #expect(try ParsedResponse("HTTP/1.1 200 OK\r\nContent-Length: \(Int.max)\r\n\r\n").framing() == .length(.max))
    }

    @Test func someResponsesNeverHaveContent() throws {
        let fields = "Content-Length: 7\r\n\r\n"
        #expect(try ParsedResponse("HTTP/1.1 200 OK\r\n" + fields).framing(answering: .head) == .none)
        for status in ["100", "199", "204", "304"] {
            #expect(try ParsedResponse("HTTP/1.1 \(status) x\r\n" + fields).framing() == .none)
            #expect(try ParsedResponse("HTTP/1.1 \(status) x\r\nTransfer-Encoding: x\r\n\r\n").framing() == .none)
        }
    }

    @Test func aResponseThatLeavesAChoiceIsRefused() {
        for (fields, error) in [
            ("Content-Length: 1\r\nContent-Length: 1\r\n", ParseError.contentLength),
            ("Content-Length: 9223372036854775808\r\n", .contentLength),
            ("Content-Length: 1, 1\r\n", .contentLength),
            ("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n", .conflictingFraming),
            ("Transfer-Encoding: gzip, chunked\r\n", .transferEncoding),
            ("Transfer-Encoding: gzip\r\n", .transferCoding),
        ] {
            let found = thrown { () throws(ParseError) in
                try ParsedResponse("HTTP/1.1 200 OK\r\n\(fields)\r\n").framing()
            }
            #expect(found == error, "\(fields)")
        }
    }
}
