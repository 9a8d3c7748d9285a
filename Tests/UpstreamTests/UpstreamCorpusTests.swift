import HTTP
import TestSupport
import Testing

@testable import Upstream

/// Answers of broken and hostile origins, from public test suites, whole and cut into pieces.
@Suite(.requires(.sharedMaterial))
struct UpstreamCorpusTests {
    /// Not for this reader to judge: it does not know that the request had neither condition nor
    /// range, so that a 304 or 206 is a fault.
    private static let decidedByTheExchange: Set = ["304-body", "304-unsolicited", "206-unsolicited"]

    @Test func everyAnswerIsJudgedAsTheCorpusAsks() throws {
        let cases = try CorpusAnswer.all()
        #expect(cases.count > 600)
        for item in cases {
            check(item, ResponsePlayer(method: method(item)))
            check(item, ResponsePlayer(method: method(item), maxCollectedBytes: 3, pieceSize: 1000))
        }
    }

    @Test func everyAnswerIsJudgedTheSameInPieces() throws {
        for item in try CorpusAnswer.all() where item.bytes.count <= 20_000 {
            for pieceSize in item.bytes.count <= 2000 ? [1, 3] : [97] {
                check(item, ResponsePlayer(method: method(item), pieceSize: pieceSize, readsDirectly: pieceSize > 1))
            }
        }
    }

    private func method(_ item: CorpusAnswer) -> HTTP.Method { item.method == "HEAD" ? .head : .get }

    private func check(_ item: CorpusAnswer, _ player: ResponsePlayer) {
        let result = player.play(item.bytes, ending: item.end == "fin" ? .close : .silence)
        let name = Comment(rawValue: "\(item.id) in pieces of \(player.pieceSize): \(result.outcome)")
        // A reset is reported like an early end, unless the answer was complete before.
        let response = result.outcome.response
        switch item.expectation {
        case "relay":
            #expect(response != nil, name)
            if let content = item.content { #expect(response?.body == content, name) }
        case "relay-empty", "no-response-body":
            #expect(response?.body.isEmpty == true, name)
        case "bad-gateway" where Self.decidedByTheExchange.contains(item.id):
            #expect(response?.status == 304 || response?.status == 206, name)
        case "bad-gateway", "bad-gateway-or-abort", "gateway-timeout":
            #expect(response == nil, name)
            let isStreaming = player.maxCollectedBytes < 100
            if item.expectation == "bad-gateway", case .failed(_, let began) = result.outcome {
                #expect(!began || isStreaming, name)
            }
        default:
            break
        }
        if let response, let secret = item.secret {
            #expect(response.body.firstRange(of: secret) == nil, name)
            #expect(response.fields.bytes.firstRange(of: secret) == nil, name)
        }
        if response != nil, item.expectation.hasPrefix("relay"), item.isReusable {
            #expect(result.keepsAlive && result.surplus == 0, name)
        }
        if response != nil, !item.isReusable, !["fin", "rst"].contains(item.end) {
            #expect(!result.keepsAlive || result.surplus > 0, name)
        }
    }
}
