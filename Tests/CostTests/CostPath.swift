/// A kind of request whose cost is watched.
enum CostPath: String, CaseIterable, Sendable, CustomStringConvertible {
    /// The same request again.
    case hit
    /// The same request again, by a client that accepts gzip.
    case gzipHit
    /// The same request again, while traffic is recorded.
    case recordedHit
    /// Requests that never came before, for answers in memory.
    case parsedHit
    /// A megabyte from memory.
    case largeHit
    /// A hit from the file, of an answer that memory no longer holds.
    case fileHit
    /// The same request again, over TLS.
    case secureHit
    /// The same request again, by HTTP/2, one stream after the other.
    case framedHit
    /// Asked of the origin, and stored.
    case miss
    /// A single resource out of a stored batch.
    case reduced
    /// A batch out of single stored resources.
    case split

    var description: String { rawValue }

    struct Request {
        let target: String
        var fields: [(String, String)] = [
            ("User-Agent", "Music/4.0 iOS/18.0"), ("Accept", "*/*"), ("Accept-Language", "en-GB,en;q=0.9"),
            ("Accept-Encoding", "identity"),
        ]
        var acceptsGzip: Bool { fields.contains { $0.1.hasPrefix("gzip") } }
    }

    /// The number of measured requests: enough to spread occasional work thin.
    var requests: Int {
        switch self {
        case .hit, .gzipHit, .recordedHit, .parsedHit, .secureHit, .framedHit: 2_000
        case .fileHit, .miss, .reduced, .split: 500
        case .largeHit: 200
        }
    }

    /// The part of `Cache-Status` that every measured answer has.
    var status: String {
        switch self {
        case .hit, .gzipHit, .recordedHit, .parsedHit, .largeHit, .fileHit, .secureHit, .framedHit: "hit; ttl="
        case .miss: "fwd=uri-miss; fwd-status=200; stored"
        case .reduced: "detail=reduced"
        case .split: "detail=split"
        }
    }

    /// The measured answers that may have another status: those that are fetched so that evidence
    /// grows with what is composed, one for some thirty (DECISIONS 9.20).
    var mostOthers: Int { self == .reduced || self == .split ? requests / 20 : 0 }

    /// The memory limit; hits come from the file where it is a third of the requested answers.
    var memorySize: String { self == .fileHit ? "256KiB" : "64MiB" }

    var isSecure: Bool { self == .secureHit || self == .framedHit }

    /// Targets that are asked for beforehand.
    var material: [String] {
        switch self {
        case .hit, .gzipHit, .recordedHit, .largeHit, .secureHit, .framedHit: [request(0).target]
        case .parsedHit: Self.ids(0..<Self.distinct).map(Self.song)
        case .fileHit: Self.ids(0..<Self.stored).map(Self.song)
        case .miss: []
        // Singles that show how those look, and batches.
        case .reduced: Self.ids(0..<Self.shown).map(Self.song) + Self.batches(0..<600 + Self.shown, of: 25)
        case .split:
            Self.ids(0..<Self.distinct).map(Self.song) + (0..<12).flatMap { Self.batches($0..<48 + $0, of: 12) }
        }
    }

    func request(_ number: Int) -> Request {
        switch self {
        case .hit, .recordedHit, .secureHit, .framedHit: Request(target: Self.song("1440000000"))
        case .gzipHit:
            Request(
                target: Self.song("1440000000"),
                fields: Request(target: "").fields.dropLast() + [("Accept-Encoding", "gzip, deflate, br")])
        case .largeHit: Request(target: Self.song(CatalogOrigin.large))
        case .parsedHit:
            Request(
                target: Self.song(Self.id(number % Self.distinct)),
                fields: Request(target: "").fields + [("X-Request-ID", "\(100_000 + number)")])
        case .fileHit: Request(target: Self.song(Self.id(number % Self.stored)))
        case .miss: Request(target: Self.song(Self.id(number)))
        case .reduced: Request(target: Self.song(Self.id(number + Self.shown)))
        case .split: Request(target: Self.batch(Self.triple(number)))
        }
    }

    /// Resources that are asked for in turns.
    private static let distinct = 60
    /// Resources that were seen alone and in batches.
    private static let shown = 100
    /// Resources of 4 KB that are asked for in turns and that memory does not hold together.
    private static let stored = 180

    private static func id(_ number: Int) -> String { "\(1_440_000_000 + number)" }
    private static func ids(_ numbers: Range<Int>) -> [String] { numbers.map(id) }
    private static func song(_ id: String) -> String { "/v1/catalog/us/songs/\(id)" }
    private static func batch(_ ids: [String]) -> String { "/v1/catalog/us/songs?ids=" + ids.joined(separator: ",") }

    private static func batches(_ numbers: Range<Int>, of size: Int) -> [String] {
        stride(from: numbers.lowerBound, to: numbers.upperBound, by: size).map { batch(ids($0..<$0 + size)) }
    }

    /// Three of the resources, never the same three for two numbers.
    private static func triple(_ number: Int) -> [String] {
        let (first, round) = (number % distinct, number / distinct)
        return [first, first + 1 + round, first + 25 + 2 * round].map { id($0 % distinct) }
    }
}
