import Foundation
import HTTP
import TestSupport
import Testing

/// The raw responses of broken and hostile origins in the public corpus.
@Suite struct ResponseCorpusTests {
    struct Case {
        let id: String
        let bytes: [UInt8]
        let method: HTTP.Method
        let expect: String
        let closes: Bool
        let body: [UInt8]?

        /// Nil for a case that is a script with pauses: those need a socket.
        init?(_ object: [String: Any]) {
            guard object["steps"] == nil, let id = object["id"] as? String, let end = object["end"] as? String,
                let data = (object["input_b64"] as? String).flatMap({ Data(base64Encoded: $0) }),
                let expect = object["expect"] as? String, let method = object["method"] as? String
            else { return nil }
            self.id = id
            bytes = [UInt8](data)
            self.method = method == "HEAD" ? .head : .get
            self.expect = expect
            closes = end == "fin" || end == "rst"
            body = (object["body_b64"] as? String).flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) }
        }
    }

    /// Wanted as a 502, and a proper message all the same: the proxy refuses them for what they
    /// mean.
    static let refusedForTheirMeaning: Set = ["304-unsolicited", "304-body", "206-unsolicited"]

    static func cases() throws -> [Case] {
        try SharedMaterial.lines(of: "corpora/upstream.jsonl").compactMap(Case.init)
    }

    @Test(.requires(.sharedMaterial))
    func everyCaseGetsTheVerdictItWants() throws {
        let cases = try Self.cases()
        #expect(cases.count == 629)
        for item in cases {
            let verdict = MessageLoop.response(item.bytes, method: item.method, closes: item.closes)
            #expect(Self.isWanted(verdict, item), "\(item.id): wanted \(item.expect), got \(verdict)")
        }
    }

    @Test(.requires(.sharedMaterial))
    func aResponseCutAnywhereGetsTheVerdictOfTheWhole() throws {
        for item in try Self.cases() {
            expectCutsToChangeNothing(item.id, item.bytes.count) {
                MessageLoop.response(item.bytes, cuts: $0, method: item.method, closes: item.closes)
            }
        }
    }

    static func isWanted(_ verdict: Verdict, _ item: Case) -> Bool {
        let isRefused = verdict.messages == 0 && (verdict.error != nil || verdict.end == .incomplete)
        let isRelayed = verdict.messages == 1 && verdict.error == nil
        switch item.expect {
        case "relay": return isRelayed && (item.body == nil || verdict.contents[0] == item.body)
        case "relay-empty", "no-response-body": return isRelayed && verdict.contents[0].isEmpty
        case "bad-gateway", "bad-gateway-or-abort":
            if refusedForTheirMeaning.contains(item.id) { return !isRefused }
            return isRefused
        case "gateway-timeout": return isRefused
        case "relay-or-bad-gateway": return isRefused || isRelayed
        default: return false
        }
    }
}
