import Foundation

/// An answer of a broken or hostile origin, from public test suites (`corpora/upstream.jsonl`).
public struct CorpusAnswer: Sendable {
    public let id: String
    public let method: String
    /// A word that tests judge by, such as `relay` or `bad-gateway`.
    public let expectation: String
    /// The content that the client gets, where the case says it.
    public let content: [UInt8]?
    /// Bytes that no client may see.
    public let secret: [UInt8]?
    public let isReusable: Bool
    /// The steps of the origin once it has the request.
    public let steps: [ScriptedOrigin.Step]
    /// The end of its connection: `fin`, `rst` or `hold`.
    public let end: String?
    /// Whether the answer has no end and its connection stays open: it has to be given up.
    public let isEndless: Bool

    public var bytes: [UInt8] { steps.flatMap { if case .send(let bytes) = $0 { bytes } else { [UInt8]() } } }

    /// The status in the first head.
    public var status: Int? { Int(String(decoding: bytes.dropFirst(9).prefix(3), as: UTF8.self)) }

    public static func all() throws -> [CorpusAnswer] {
        try SharedMaterial.lines(of: "corpora/upstream.jsonl").map(CorpusAnswer.init)
    }

    private init(_ object: [String: Any]) {
        id = object["id"] as? String ?? ""
        method = object["method"] as? String ?? "GET"
        expectation = object["expect"] as? String ?? ""
        content = Self.decode(object["body_b64"])
        let hidden = object["must_not_reach_client"] as? String
        secret = hidden.flatMap { $0.hasPrefix("on the") || $0.hasSuffix(":") ? nil : Array($0.utf8) }
        isReusable = object["reuse_connection"] as? Bool ?? false
        let sent = object["steps"] as? [[String: Any]] ?? [["send_b64": object["input_b64"] ?? ""]]
        end = object["end"] as? String
        isEndless = end == "hold" || sent.contains { $0["gap_ms"] != nil }
        let ends: [String: ScriptedOrigin.Step] = ["fin": .close, "rst": .reset, "hold": .hold]
        steps = sent.flatMap(Self.steps) + [end.flatMap { ends[$0] }].compactMap { $0 }
    }

    private static func steps(_ sent: [String: Any]) -> [ScriptedOrigin.Step] {
        let (first, repeated) = (decode(sent["send_b64"]) ?? [], decode(sent["repeat_b64"]) ?? [])
        let times = 0..<(sent["count"] as? Int ?? 0)
        guard let gap = sent["gap_ms"] as? Int else { return [.send(first + times.flatMap { _ in repeated })] }
        return [.send(first)] + times.flatMap { _ in [.send(repeated), .sleep(milliseconds: UInt32(gap))] }
    }

    private static func decode(_ value: Any?) -> [UInt8]? {
        (value as? String).flatMap { Data(base64Encoded: $0) }.map(Array.init)
    }
}
