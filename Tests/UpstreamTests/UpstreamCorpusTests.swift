import Foundation
import HTTP
import TestSupport
import Testing

@testable import Upstream

/// Answers of broken and hostile origins, from public test suites, whole and cut into pieces.
@Suite(.requires(.sharedMaterial))
struct UpstreamCorpusTests {
    private struct Case {
        let id: String
        let method: HTTP.Method
        let bytes: [UInt8]
        let isClosed: Bool
        let isReset: Bool
        let expect: String
        let content: [UInt8]?
        let secret: [UInt8]?
        let isReusable: Bool

        init(_ object: [String: Any]) {
            func decode(_ value: Any?) -> [UInt8]? {
                (value as? String).flatMap { Data(base64Encoded: $0) }.map(Array.init)
            }
            id = object["id"] as? String ?? ""
            method = object["method"] as? String == "HEAD" ? .head : .get
            var bytes: [UInt8] = []
            for step in object["steps"] as? [[String: Any]] ?? [["send_b64": object["input_b64"] ?? ""]] {
                bytes += decode(step["send_b64"]) ?? []
                let repeated = decode(step["repeat_b64"]) ?? []
                for _ in 0..<(step["count"] as? Int ?? 0) { bytes += repeated }
            }
            self.bytes = bytes
            let end = object["end"] as? String
            isClosed = end == "fin"
            isReset = end == "rst"
            expect = object["expect"] as? String ?? ""
            content = decode(object["body_b64"])
            let hidden = object["must_not_reach_client"] as? String
            secret = hidden.flatMap { $0.hasPrefix("on the") || $0.hasSuffix(":") ? nil : Array($0.utf8) }
            isReusable = object["reuse_connection"] as? Bool ?? false
        }
    }

    /// Not for this reader to judge: it does not know that the request had neither condition nor
    /// range, so that a 304 or 206 is a fault.
    private static let decidedByTheExchange: Set = ["304-body", "304-unsolicited", "206-unsolicited"]

    private static func cases() throws -> [Case] {
        try SharedMaterial.lines(of: "corpora/upstream.jsonl").map(Case.init)
    }

    @Test func everyAnswerIsJudgedAsTheCorpusAsks() throws {
        let cases = try Self.cases()
        #expect(cases.count > 600)
        for item in cases {
            check(item, ResponsePlayer(method: item.method))
            check(item, ResponsePlayer(method: item.method, maxCollectedBytes: 3, pieceSize: 1000))
        }
    }

    @Test func everyAnswerIsJudgedTheSameInPieces() throws {
        for item in try Self.cases() where item.bytes.count <= 20_000 {
            for pieceSize in item.bytes.count <= 2000 ? [1, 3] : [97] {
                check(item, ResponsePlayer(method: item.method, pieceSize: pieceSize, readsDirectly: pieceSize > 1))
            }
        }
    }

    private func check(_ item: Case, _ player: ResponsePlayer) {
        let result = player.play(item.bytes, ending: item.isClosed ? .close : .silence)
        let name = Comment(rawValue: "\(item.id) in pieces of \(player.pieceSize): \(result.outcome)")
        // A reset is reported like an early end, unless the answer was complete before.
        let response = result.outcome.response
        switch item.expect {
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
            if item.expect == "bad-gateway", case .failed(_, let began) = result.outcome {
                #expect(!began || isStreaming, name)
            }
        default:
            break
        }
        if let response, let secret = item.secret {
            #expect(response.body.firstRange(of: secret) == nil, name)
            #expect(response.fields.bytes.firstRange(of: secret) == nil, name)
        }
        if response != nil, item.expect.hasPrefix("relay"), item.isReusable {
            #expect(result.keepsAlive && result.surplus == 0, name)
        }
        if response != nil, !item.isReusable, !item.isClosed, !item.isReset {
            #expect(!result.keepsAlive || result.surplus > 0, name)
        }
    }
}
