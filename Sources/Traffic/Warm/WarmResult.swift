import Proxy
import Text

/// What came of a warming.
public struct WarmResult: Sendable, Equatable {
    /// The recording, as it was named.
    let file: String
    /// The URL of the cache.
    let target: String
    let rate: RequestRate
    let connections: Int
    /// Distinct requests of the recording.
    let distinct: Int
    /// By the monotonic clock.
    var elapsed = Duration.zero

    /// Answers that were no refusals. All of them are in exactly one of the four counts behind.
    public var asked: Int { stored + present + notStored + unknown }
    /// Fetched for this request, and the cache says that it keeps the answer.
    public internal(set) var stored = 0
    /// The cache had the answer, or what it could be made of.
    public internal(set) var present = 0
    /// The cache says that it does not keep the answer.
    public internal(set) var notStored = 0
    /// Answers that do not say what a cache did (no `Cache-Status`), or not whether it keeps them.
    public internal(set) var unknown = 0
    /// Answers of 429 and 503. Their requests were asked again unless the warming stopped.
    var refusals = 0
    /// Requests that were sent twice, because their connection ended without a byte of an answer.
    var resets = 0
    /// Requests without a whole answer, by what happened.
    var failures: [String: Int] = [:]
    /// By status code, the refusals too.
    var statuses: [Int: Int] = [:]
    /// Exchanges of the recording that were left out, by why.
    var skipped: [String: Int] = [:]
    /// A sentence; nil: it asked for everything.
    public internal(set) var stoppedBecause: String?

    init(file: String, target: String, rate: RequestRate, connections: Int, distinct: Int) {
        (self.file, self.target, self.rate) = (file, target, rate)
        (self.connections, self.distinct) = (connections, distinct)
    }

    var failed: Int { failures.values.reduce(0, +) }

    /// Counts an answer that was no refusal.
    /// - Parameters:
    ///   - outcome: nil where the answer says none.
    ///   - isStored: whether `Cache-Status` says so.
    mutating func note(_ outcome: Outcome?, isStored: Bool) {
        switch (outcome?.side, isStored) {
        case (_, true): stored += 1
        case (.hit, false): present += 1
        case (nil, false): unknown += 1
        case (.miss, false), (.neither, false): notStored += 1
        }
    }
}

extension WarmResult {
    /// Of the format.
    private static let version = 1

    public var json: JSON {
        func object(_ counts: [String: Int]) -> JSON {
            let members = counts.sorted { $0.key < $1.key }
            return .object(JSONObject(members: members.map { .init(key: $0.key, value: .integer($0.value)) }))
        }
        return .object(
            JSONObject([
                "refrain_warm": .integer(Self.version), "file": .string(file), "target": .string(target),
                "rate": .number(Figure.shortest(rate.perSecond, decimals: 6, isGrouped: false)),
                "connections": .integer(connections),
                "elapsed_seconds": .number(elapsed.decimalSeconds), "distinct": .integer(distinct),
                "asked": .integer(asked), "stored": .integer(stored), "hits": .integer(present),
                "not_stored": .integer(notStored), "unknown": .integer(unknown), "refusals": .integer(refusals),
                "resets": .integer(resets),
                "failed": .integer(failed), "failures": object(failures),
                "statuses": object(
                    Dictionary(uniqueKeysWithValues: statuses.map { (String($0.key), $0.value) })),
                "skipped": object(skipped), "stopped": stoppedBecause.map { .string($0) } ?? .null,
            ]))
    }

    /// Lines with their ends, for a terminal.
    public var text: String {
        let counts: [(name: String, count: Int, meaning: String)] = [
            ("stored", stored, "fetched, and kept by the cache"),
            ("hits", present, "the cache had them"),
            ("not stored", notStored, "answered, and not kept"),
            ("unknown", unknown, "the answer does not say what a cache did"),
            ("refusals", refusals, "429 or 503: waited, and asked again more slowly"),
            ("resets", resets, "sent twice, because the connection was closed or reset"),
            ("failed", failed, "without a whole answer"),
        ]
        let rows = counts.filter { $0.count > 0 }.map { [$0.name, Figure.count($0.count), $0.meaning] }
        var lines = [
            "warmed \(target) from \(file)",
            "  at most \(rate.text), \(connections) at once, in \(Figure.span(elapsed))",
            "", "asked \(Figure.count(asked)) of \(Figure.count(distinct)) distinct requests",
        ]
        lines += TextTable.lines(rows, [.left, .right, .left])
        let byStatus = statuses.sorted { $0.key < $1.key }.map { [String($0.key), Figure.count($0.value)] }
        let lists = [
            ("statuses", byStatus), ("failures", Self.rows(failures)),
            ("left out of the recording", Self.rows(skipped)),
        ]
        for (title, rows) in lists where !rows.isEmpty {
            lines += ["", title] + TextTable.lines(rows, [.left, .right])
        }
        if let stoppedBecause { lines += ["", "STOPPED: \(stoppedBecause)"] }
        return lines.map { TextTable.printable($0) + "\n" }.joined()
    }

    private static func rows(_ counts: [String: Int]) -> [[String]] {
        ReplayResult.ranked(counts).map { [$0.name, Figure.count($0.count)] }
    }
}
