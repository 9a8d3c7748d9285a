import EventLoop
import TestSupport
import Testing

@testable import HTTP
@testable import Upstream

/// The time of all events: these tests are about bytes.
private let start = Instant(nanoseconds: 0)

@Suite struct ResponseReaderTests {
    private func play(
        _ text: String, _ player: ResponsePlayer = ResponsePlayer(), ending: ResponsePlayer.Ending = .silence
    ) -> ResponsePlayer.Result {
        player.play(Array(text.utf8), ending: ending)
    }

    private func body(_ result: ResponsePlayer.Result) -> String? {
        result.outcome.response.map { String(decoding: $0.body, as: UTF8.self) }
    }

    // MARK: Framing

    @Test func countedContentIsAWholeAnswerOnAKeptConnection() {
        let result = play("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"a\"\r\n\r\nhelloHTTP/1.1 200 OK\r\n")
        #expect(body(result) == "hello")
        #expect(result.keepsAlive && result.surplus == 17, "what follows is not this answer's")
        #expect(result.outcome.response?.declaredLength == 5)
        #expect(result.outcome.response?.fields.lines.count == 1)
    }

    @Test func chunkedContentIsDecodedAndItsTrailersAreDropped() {
        let result = play(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nCache-Control: public\r\n\r\n"
        )
        #expect(body(result) == "hello")
        #expect(result.keepsAlive && result.surplus == 0)
        #expect(result.outcome.response?.fields.lines.isEmpty == true)
        #expect(result.outcome.response?.declaredLength == nil)
    }

    @Test func answersThatEndTheConnectionDoNotKeepIt() {
        let text = "HTTP/1.1 200 OK\r\n\r\nhello"
        #expect(body(play(text)) == nil)
        let result = play(text, ending: .close)
        #expect(body(result) == "hello")
        #expect(!result.keepsAlive)
        #expect(!play("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n").keepsAlive)
        #expect(!play("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n").keepsAlive)
    }

    @Test(arguments: [(Method.head, 200), (.get, 204), (.get, 304)])
    func answersWithoutContentEndWithTheirHead(method: Method, status: Int) {
        let result = play("HTTP/1.1 \(status) X\r\nContent-Length: 5\r\n\r\nhello", ResponsePlayer(method: method))
        #expect(result.outcome.response?.body.isEmpty == true)
        #expect(result.outcome.response?.declaredLength == 5)
        #expect(result.surplus == 5, "what follows is not this answer's")
    }

    // MARK: Interim responses

    @Test(arguments: [Int.max, 1]) func interimResponsesAreReportedInTheirOrder(pieceSize: Int) {
        let result = play(
            "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\nConnection: X-Y\r\nX-Y: 1\r\nContent-Length: 9\r\n\r\n"
                + "HTTP/1.1 100 Continue\r\nC: d\r\n\r\nHTTP/1.1 102 X\r\n\r\nHTTP/1.1 199 Y\r\nA: b\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            ResponsePlayer(pieceSize: pieceSize))
        #expect(body(result) == "ok")
        #expect(result.outcome.response?.fields.lines.isEmpty == true)
        #expect(result.interim.map(\.status) == [103, 102, 199], "100 is of this connection alone")
        let found = result.interim.map { String(decoding: $0.fields.bytes, as: UTF8.self) }
        #expect(found == ["Link: <x>\r\n", "", "A: b\r\n"])
    }

    @Test func interimResponsesAreBoundedInNumberAndBytes() {
        let empty = "HTTP/1.1 102 Processing\r\n\r\n"
        let final = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        #expect(body(play(String(repeating: empty, count: 32) + final)) == "ok")
        #expect(play(String(repeating: empty, count: 33) + final).outcome.failure == .tooManyInterimResponses)
        func interim(_ bytes: Int) -> String {
            let bare = "HTTP/1.1 103 X\r\nLink: \r\n\r\n"
            return "HTTP/1.1 103 X\r\nLink: \(String(repeating: "a", count: bytes - bare.utf8.count))\r\n\r\n"
        }
        #expect(body(play(interim(8192) + interim(8192) + final)) == "ok")
        #expect(play(interim(8192) + interim(8193) + final).outcome.failure == .tooManyInterimResponses)
    }

    // MARK: Early ends and faults

    @Test(arguments: [
        ("", UpstreamFailure.closedEarly(.nothing(isReused: false))),
        ("HTTP/1.1 20", .closedEarly(.head)),
        ("HTTP/1.1 100 Continue\r\n\r\n", .closedEarly(.head)),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", .closedEarly(.content)),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", .closedEarly(.content)),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n", .closedEarly(.content)),
        ("HTTP/1.1 101 X\r\nUpgrade: foo\r\n\r\nINJECTED", .switchedProtocols),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n+3\r\ndef\r\n0\r\n\r\n",
            .malformed(.chunkSize)
        ),
    ])
    func earlyEndsAndFaultsAreFailuresOfTheirKind(text: String, failure: UpstreamFailure) {
        #expect(play(text, ending: .close).outcome.failure == failure)
    }

    @Test func headOverItsLimitIsMalformed() {
        func head(_ bytes: Int) -> String {
            let empty = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: \r\n\r\n"
            return
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: \(String(repeating: "a", count: bytes - empty.utf8.count))\r\n\r\n"
        }
        let limit = MessageLimits.response.maxHeadBytes
        #expect(play(head(limit)).outcome.response != nil)
        #expect(play(head(limit + 1)).outcome.failure == .malformed(.headTooLarge))
        #expect(play(String(head(limit + 1).prefix(limit))).outcome.failure == .malformed(.headTooLarge))
    }

    // MARK: Large answers

    @Test func contentAtTheBoundIsHandedOverWholeAndOneByteMoreIsStreamed() {
        for size in [1000, 1001] {
            let content = String(repeating: "x", count: size)
            for rest in [
                "Content-Length: \(size)\r\n\r\n\(content)", "\r\n\(content)",
                "Transfer-Encoding: chunked\r\n\r\n\(String(size, radix: 16))\r\n\(content)\r\n0\r\n\r\n",
            ] {
                let player = ResponsePlayer(maxCollectedBytes: 1000, pieceSize: 100)
                let result = play("HTTP/1.1 200 OK\r\n" + rest, player, ending: .close)
                #expect(body(result) == content)
                if case .streamed = result.outcome { #expect(size == 1001) } else { #expect(size == 1000) }
            }
        }
    }

    @Test func declaredLengthOverTheBoundIsStreamedFromTheHeadOn() {
        let content = String(repeating: "x", count: 5000)
        let result = play(
            "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n\(content)",
            ResponsePlayer(maxCollectedBytes: 1000, pieceSize: 500))
        #expect(body(result) == content)
        #expect(result.pieces.count == 10)
        #expect(result.pieces.allSatisfy { $0 <= 500 })
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n\(String(repeating: "x", count: 4999))"
        let outcome = play(text, ResponsePlayer(maxCollectedBytes: 1000), ending: .close).outcome
        if case .failed(.closedEarly(.content), began: true) = outcome {} else { Issue.record("\(outcome)") }
    }

    @Test func answerIsStreamedFromWhereThatIsSaid() throws {
        let site = SiteAddress(isTLS: true, host: "a", port: 443)
        var reader = ResponseReader(from: site, limits: .response, maxCollectedBytes: 1 << 20)
        reader.begin(answering: .get, isReused: false, at: start)
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\nab".utf8)
        #expect(try reader.read(head.span, at: start).event == nil && reader.response?.declaredLength == 200_000)
        reader.streamContent()
        let nothing: [UInt8] = []
        guard case .began(let response) = try reader.read(nothing.span, at: start).event else {
            throw UnexpectedEvent()
        }
        #expect(response.body == Array("ab".utf8))
        // No piece gets pages of its own, and none keeps much more room than it fills.
        #expect(reader.directRoom == 112 << 10)
        for count in [114_688, 1, 85_309] {
            reader.readDirectly(reader.directRoom) { _ in count }
            guard case .received(let piece) = try reader.read(nothing.span, at: start).event else {
                throw UnexpectedEvent()
            }
            #expect(piece.count == count && piece.capacity <= 2 * count + 32)
        }
        guard case .finished = try reader.read(nothing.span, at: start).event else { throw UnexpectedEvent() }
    }

    // MARK: Any split

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 11\r\nX-A: b\r\n\r\n{\"data\":[]}",
        "HTTP/1.1 103 X\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"d\r\n8;a=\"b\"\r\nata\":[]}\r\n0\r\nA: b\r\n\r\n",
    ])
    func anySplitGivesTheSameAnswer(text: String) {
        for pieceSize in 1...text.utf8.count {
            for readsDirectly in [false, true] {
                for maxCollectedBytes in [4, 100] {
                    let player = ResponsePlayer(
                        maxCollectedBytes: maxCollectedBytes, pieceSize: pieceSize, readsDirectly: readsDirectly)
                    let result = play(text, player)
                    #expect(body(result) == "{\"data\":[]}", "pieces of \(pieceSize)")
                    #expect(result.keepsAlive && result.surplus == 0)
                }
            }
        }
    }

    @Test func directReadTakesNotOneByteTooMany() {
        let player = ResponsePlayer(pieceSize: 50, readsDirectly: true)
        let content = String(repeating: "x", count: 120)
        let result = play("HTTP/1.1 200 OK\r\nContent-Length: 120\r\n\r\n\(content)SURPLUS", player)
        #expect(body(result) == content)
        #expect(result.surplus == 7)
    }
}

private struct UnexpectedEvent: Error {}
