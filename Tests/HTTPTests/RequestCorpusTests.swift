import Foundation
import HTTP
import TestSupport
import Testing

/// The raw requests of the public corpus. A verdict on the wire needs a proxy; here it is what the
/// message loop says.
@Suite struct RequestCorpusTests {
    struct Case {
        let id: String
        let bytes: [UInt8]
        let expect: String
        let requests: Int
        let statuses: Set<Int>
        let closes: Bool
        let never: String?

        init?(_ object: [String: Any]) {
            guard let id = object["id"] as? String, let encoded = object["input_b64"] as? String,
                let data = Data(base64Encoded: encoded), let expect = object["expect"] as? String,
                let requests = object["requests"] as? Int
            else { return nil }
            self.id = id
            bytes = [UInt8](data)
            self.expect = expect
            self.requests = requests
            closes = object["close"] as? Bool ?? false
            never = object["never"] as? String
            statuses = Set(object["status"] as? [Int] ?? [])
        }
    }

    /// What a server may answer to a request it refuses, where a case does not say.
    static let refusals: Set = [400, 403, 405, 408, 411, 413, 414, 417, 421, 422, 426, 431, 501, 505]

    /// Wanted refused, and not refused here: their method is an unknown token, and the contract
    /// has unknown methods forwarded and treated as unsafe (RFC 9110 9.1; what the origin answers
    /// decides).
    static let unknownMethods: Set = [
        "rl-track", "llhttp-invalid-http-protocol-and-announce-method", "llhttp-invalid-invalid-method",
        "gunicorn-invalid-003c", "gunicorn-valid-031", "ats-badfmt-xyzxyz",
    ]

    static func cases() throws -> [Case] {
        try SharedMaterial.lines(of: "corpora/http1.jsonl").compactMap(Case.init)
    }

    @Test(.requires(.sharedMaterial))
    func everyCaseGetsTheVerdictItWants() throws {
        let cases = try Self.cases()
        #expect(cases.count == 965)
        for item in cases {
            let verdict = MessageLoop.requests(item.bytes)
            if Self.unknownMethods.contains(item.id) {
                #expect(verdict.messages == 1 && verdict.error == nil, "\(item.id): \(verdict)")
            } else {
                #expect(Self.isWanted(verdict, item), "\(item.id): wanted \(item.expect), got \(verdict)")
            }
        }
    }

    @Test(.requires(.sharedMaterial))
    func aRequestCutAnywhereGetsTheVerdictOfTheWhole() throws {
        for item in try Self.cases() {
            expectCutsToChangeNothing(item.id, item.bytes.count) {
                MessageLoop.requests(item.bytes, cuts: $0)
            }
        }
    }

    static func isWanted(_ verdict: Verdict, _ item: Case) -> Bool {
        let allowed = item.statuses.isEmpty ? refusals : item.statuses
        if let never = item.never, verdict.targets.contains(never) { return false }
        let isRefused = verdict.messages == 0 && verdict.error.map { allowed.contains($0.status) } == true
        switch item.expect {
        case "accept", "two-requests", "three-requests":
            return verdict.messages == item.requests && verdict.error == nil
        case "reject": return isRefused
        case "reject-or-close": return verdict.messages == 0 && verdict.error != nil
        case "accept-or-reject": return isRefused || verdict.messages <= item.requests
        case "at-most-one":
            return verdict.messages <= item.requests && (!item.closes || verdict.error != nil || verdict.end == .closed)
        case "accept-then-close": return verdict.messages == 1 && verdict.end == .closed
        case "accept-then-reject": return verdict.messages == 1 && verdict.error != nil
        case "wait": return verdict.messages == 0 && verdict.end == .incomplete
        case "wait-or-reject": return verdict.messages == 0 && verdict.end != .clean
        default: return false
        }
    }
}
