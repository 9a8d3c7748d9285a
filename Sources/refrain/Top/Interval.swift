import Proxy
import Text

// Figures between two looks at `/stats`. Pure: two answers in, figures out.

/// How many answers took how long, as under `latency` in `/stats`.
struct BucketCounts: Equatable {
    /// By the bucket's end in microseconds, as it is spelt.
    private(set) var counts: [Double: Int] = [:]

    var total: Int { counts.values.reduce(0, +) }

    /// Adds the counts of `{"buckets":[[END,COUNT],...]}`; a value of another shape counts nothing.
    mutating func add(_ latency: JSON?) {
        for pair in latency?["buckets"]?.arrayValue ?? [] {
            guard case .number(let end)? = pair[0], let end = Double(end), let count = pair[1]?.countValue else {
                continue
            }
            counts[end, default: 0] += count
        }
    }

    func since(_ earlier: BucketCounts) -> BucketCounts {
        var result = BucketCounts()
        for (end, count) in counts {
            let more = count - (earlier.counts[end] ?? 0)
            if more > 0 { result.counts[end] = more }
        }
        return result
    }

    /// Microseconds that this share did not exceed, by the end of its bucket; nil where nothing was
    /// counted.
    func quantile(_ share: Double) -> Double? {
        let buckets = counts.sorted { $0.key < $1.key }
        return buckets.map(\.value)[...].bucket(ofShare: share, of: total).map { buckets[$0].key }
    }
}

/// The figures of one interval.
struct Interval {
    /// In which the proxy lists outcomes, and which of them are hits and misses.
    static let hits = names(.hit)
    static let misses = names(.miss)

    private static func names(_ side: Outcome.Side) -> [String] {
        Outcome.allCases.filter { $0.side == side }.map(\.name)
    }

    let seconds: Double
    private let isSinceStart: Bool
    /// Answers by outcome, in the proxy's order.
    let outcomes: [(name: String, count: Int)]
    /// Answers by status, in order.
    let statuses: [(name: String, count: Int)]
    let upstream: Int
    /// Requests that came by HTTP/2.
    let http2: Int
    let hitTimes: BucketCounts
    let missTimes: BucketCounts

    /// The figures since the proxy began; in its first second, of which `/stats` says 0, of that
    /// second.
    init(_ stats: JSON) { self.init(stats, since: nil, seconds: Double(max(1, stats.uptime))) }

    /// - Parameter seconds: the time between the two answers.
    init(_ stats: JSON, since earlier: JSON?, seconds: Double) {
        func difference(_ figure: (JSON) -> Int?) -> Int {
            max(0, (figure(stats) ?? 0) - (earlier.flatMap(figure) ?? 0))
        }
        func times(_ names: [String]) -> BucketCounts {
            func sum(_ stats: JSON?) -> BucketCounts {
                names.reduce(into: BucketCounts()) { $0.add(stats?["latency"]?[$1]) }
            }
            return sum(stats).since(sum(earlier))
        }
        self.seconds = max(0.001, seconds)
        isSinceStart = earlier == nil
        outcomes = (stats["outcomes"]?.objectValue?.keys ?? []).map { name in
            (name, difference { $0["outcomes"]?[name]?.countValue })
        }
        statuses = (stats["answers"]?["statuses"]?.objectValue?.keys ?? []).map { name in
            (name, difference { $0["answers"]?["statuses"]?[name]?.countValue })
        }
        upstream = difference { $0["upstream_requests"]?.countValue }
        http2 = difference { $0["http2_requests"]?.countValue }
        hitTimes = times(Self.hits)
        missTimes = times(Self.misses)
    }

    var requests: Int { outcomes.reduce(0) { $0 + $1.count } }

    /// Hits of hits and misses, from 0 to 1; nil where nothing came.
    var hitRatio: Double? {
        HitRatio { outcome in outcomes.first { $0.name == outcome.name }?.count ?? 0 }.shown
    }

    /// The name of the interval: the same figure of another one is another number.
    var name: String { isSinceStart ? "since start" : "last \(Figure.shortest(seconds, decimals: 1)) s" }

    func perSecond(_ count: Int) -> Double { Double(count) / seconds }

    /// Members of `/stats` that the screen shows beside the interval: they count since the start.
    private static let sinceStart = ["savings", "spending", "clients"]

    /// The interval as a JSON object, for programs.
    /// - Parameter stats: the later of the two answers.
    func json(with stats: JSON) -> JSON {
        func number(_ value: Double?) -> JSON { value.map { .number(String(($0 * 1000).rounded() / 1000)) } ?? .null }
        func times(_ counts: BucketCounts) -> JSON {
            [
                "count": .integer(counts.total), "p50_us": number(counts.quantile(0.5)),
                "p99_us": number(counts.quantile(0.99)),
            ]
        }
        let counts = outcomes.map { ($0.name, JSON.integer($0.count)) }
        let answers = statuses.filter { $0.count > 0 }.map { ($0.name, JSON.integer($0.count)) }
        var object = JSONObject([
            "time": stats["time"] ?? .null, "seconds": number(seconds), "requests": .integer(requests),
            "upstream_requests": .integer(upstream), "hit_ratio": number(hitRatio), "outcomes": .object(pairs: counts),
            "statuses": .object(pairs: answers),
            "hits": times(hitTimes), "misses": times(missTimes),
        ])
        for name in Self.sinceStart {
            if let value = stats[name] { object.append(name, value) }
        }
        return .object(object)
    }
}

extension JSON {
    /// The seconds since the proxy began, in an answer to `GET /stats`.
    var uptime: Int { (self["time"]?.countValue ?? 0) - (self["started_at"]?.countValue ?? 0) }
}
