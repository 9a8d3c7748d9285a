import HTTP
import Text

// Writing HAR 1.2: an entry at a time, so that a recording of any size can be written without being
// held.
// All members that the specification requires are there; the others are in `_refrain`.

public struct HARWriter: Sendable {
    /// Targets have no host; the programs that read the file want whole addresses.
    private static let origin = "https://api.music.apple.com"
    private var isFirst = true

    /// In bytes: a larger file is one for other programs, since `RecordingReader` has to hold a HAR
    /// file as a whole.
    public static let mostReadable = InputFile.mostWhole

    public init() {}

    /// Everything before the entries.
    /// - Parameter version: of this program.
    public func beginning(of header: RecordingHeader, version: String) -> [UInt8] {
        let log: JSON = .object(members: [
            "version": "1.2", "creator": ["name": "refrain", "version": .string(version)],
            "_refrain": [
                "started": .string(header.started.text), "program": .string(header.program),
                "sampling": .number(String(header.sampling)),
            ],
        ])
        return Array("{\"log\":".utf8) + log.bytes.dropLast() + Array(",\"entries\":[".utf8)
    }

    /// - Parameter body: nil where it was not recorded.
    public mutating func entry(_ exchange: RecordedExchange, body: [UInt8]?) -> [UInt8] {
        let entry: JSON = .object(members: [
            "startedDateTime": .string(exchange.time.text), "time": Self.milliseconds(exchange.latency),
            "request": Self.request(exchange), "response": Self.response(exchange, body),
            "cache": .object(JSONObject()),
            "timings": Self.timings(exchange), "_refrain": Self.own(exchange),
        ])
        defer { isFirst = false }
        return (isFirst ? [0x0A] : [UInt8(ascii: ","), 0x0A]) + entry.bytes
    }

    /// Everything after the entries.
    public static let end = Array("\n]}}\n".utf8)

    private static func request(_ exchange: RecordedExchange) -> JSON {
        let query = exchange.target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let parameters = query.split(separator: "&").map { pair in
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return named(String(halves[0]), halves.count > 1 ? String(halves[1]) : "")
        }
        return [
            "method": .string(exchange.method), "url": .string(origin + exchange.target),
            "httpVersion": version(exchange), "cookies": [], "headers": list(exchange.requestFields),
            "queryString": .array(parameters),
            "headersSize": -1, "bodySize": ["GET", "HEAD"].contains(exchange.method) ? 0 : -1,
        ]
    }

    private static func version(_ exchange: RecordedExchange) -> JSON { .string(exchange.protocolName ?? "HTTP/1.1") }

    private static func response(_ exchange: RecordedExchange, _ body: [UInt8]?) -> JSON {
        [
            "status": .integer(exchange.status), "statusText": .string("\(reasonPhrase(exchange.status))"),
            "httpVersion": version(exchange), "cookies": [], "headers": list(exchange.fields),
            "content": content(exchange, body), "redirectURL": "", "headersSize": -1,
            "bodySize": .integer(exchange.length ?? -1),
        ]
    }

    private static func content(_ exchange: RecordedExchange, _ body: [UInt8]?) -> JSON {
        var content = JSONObject([
            "size": .integer(body?.count ?? exchange.length ?? -1),
            "mimeType": .string(exchange.field("content-type") ?? "x-unknown"),
        ])
        if let body {
            if let text = String(validating: body, as: UTF8.self) {
                content.append("text", .string(text))
            } else {
                content.append("text", .string(String(decoding: Base64.standard.encode(body), as: UTF8.self)))
                content.append("encoding", "base64")
            }
        } else if exchange.isPersonal {
            content.append("comment", "one user's: not recorded")
        }
        return .object(content)
    }

    private static func timings(_ exchange: RecordedExchange) -> JSON {
        [
            "blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": milliseconds(exchange.latency),
            "receive": 0,
        ]
    }

    private static func own(_ exchange: RecordedExchange) -> JSON {
        var own = JSONObject(["offset": .number(exchange.offset.decimalSeconds)])
        if let length = exchange.length { own.append("bytes", .integer(length)) }
        if let upstream = exchange.upstreamLatency {
            own.append("upstream_seconds", .number(upstream.decimalSeconds))
        }
        if let outcome = exchange.outcome { own.append("outcome", .string(outcome)) }
        if let reason = exchange.reason { own.append("reason", .string(reason)) }
        if exchange.isPersonal { own.append("personal", true) }
        return .object(own)
    }

    private static func list(_ fields: [RecordedField]) -> JSON {
        .array(fields.map { named($0.name, $0.value) })
    }

    private static func named(_ name: String, _ value: String) -> JSON {
        ["name": .string(name), "value": .string(value)]
    }

    /// To the nanosecond, without floating point.
    private static func milliseconds(_ span: Duration) -> JSON { .number((span * 1000).decimalSeconds) }
}
