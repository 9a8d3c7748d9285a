import Foundation

/// A raw request of the public attack suites (`corpora/http1.jsonl`, FRAMING 9.1).
public struct CorpusRequest: Sendable {
    public let id: String
    public let bytes: [UInt8]
    /// A word that `RequestCorpusTests` judge by, such as `accept` or `reject-or-close`.
    public let expectation: String
    public let requests: Int
    /// With which it may be refused.
    public let statuses: Set<Int>
    public let mustClose: Bool
    /// The target that must not be taken for that of a request.
    public let never: String?

    /// Statuses of a refusal, where a case does not say.
    private static let refusals: Set = [400, 403, 405, 408, 411, 413, 414, 417, 421, 422, 426, 431, 501, 505]

    /// Wanted refused, and not refused here: their method is an unknown token, and the contract has
    /// unknown methods forwarded and treated as unsafe (RFC 9110 9.1; the origin's answer decides).
    private static let unknownMethods: Set = [
        "rl-track", "llhttp-invalid-http-protocol-and-announce-method", "llhttp-invalid-invalid-method",
        "gunicorn-invalid-003c", "gunicorn-valid-031", "ats-badfmt-xyzxyz",
    ]

    public var hasUnknownMethod: Bool { Self.unknownMethods.contains(id) }

    public static func all() throws -> [CorpusRequest] {
        try SharedMaterial.lines(of: "corpora/http1.jsonl").compactMap(CorpusRequest.init)
    }

    private init?(_ object: [String: Any]) {
        guard let id = object["id"] as? String, let encoded = object["input_b64"] as? String,
            let data = Data(base64Encoded: encoded), let expectation = object["expect"] as? String,
            let requests = object["requests"] as? Int
        else { return nil }
        (self.id, bytes, self.expectation, self.requests) = (id, [UInt8](data), expectation, requests)
        statuses = (object["status"] as? [Int]).map { Set($0) } ?? Self.refusals
        mustClose = object["close"] as? Bool ?? false
        never = object["never"] as? String
    }
}
