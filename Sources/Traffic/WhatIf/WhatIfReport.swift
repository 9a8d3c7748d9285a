import Text

/// Results of a recording under several configurations, side by side.
public struct WhatIfReport {
    let file: String
    let traffic: RecordedTraffic
    /// In the order of the configurations.
    let figures: [WhatIfFigures]

    public init(file: String, _ traffic: RecordedTraffic, _ figures: [WhatIfFigures]) {
        (self.file, self.traffic, self.figures) = (file, traffic, figures)
    }

    private var ended: Timestamp { traffic.started + traffic.duration }

    /// Lines with their ends.
    public var text: String {
        let rows = [[""] + figures.map(\.name)] + self.rows
        let lines =
            [head, ""] + TextTable.lines(rows, [.left, .right], indent: 0)
            + [""] + Self.explanations + (remarks.isEmpty ? [] : [""] + remarks)
        return lines.map { TextTable.printable($0) + "\n" }.joined()
    }

    var head: String {
        "what if: \(file), from \(traffic.started.text) to \(ended.text) (\(Figure.span(traffic.duration)))"
    }

    private var remarks: [String] {
        let leftOut = traffic.leftOut
        let left = leftOut == 1 ? "1 request" : "\(Figure.count(leftOut)) requests"
        let remarks: [(Bool, String)] = [
            (
                traffic.sampling < 1,
                "Only \(Figure.percent(traffic.sampling)) of the requests were recorded. All figures are for that sample; "
                    + "the full traffic has more hits."
            ),
            (leftOut > 0, "Left out: \(left) that the recording proxy refused or that cannot be sent."),
            (
                figures.contains { $0.notRecorded > 0 },
                "Requests that are not in the recording were made by the proxy only; they got a 404 or a partial "
                    + "answer."
            ),
            (
                figures.contains { $0.passes > 0 },
                "Personal requests pass under every configuration, because recordings do not identify users."
            ),
        ]
        return remarks.filter(\.0).map(\.1)
    }

    /// Meaning of the table's rows, for readers who do not know the words.
    static let explanations = [
        "Hits were answered without waiting for the origin; composed: built from stored resources; stale: past their "
            + "freshness.",
        "Misses waited for the origin; collapsed: for a request in flight; revalidated: the stored answer was "
            + "confirmed.",
        "Passes: a cache must not answer them; failed: no answer, or a status of 500 or above.",
        "Upstream requests reached the origin; the peak is within one second. Of its answers, assembled ones were "
            + "built from",
        "recorded resources, those without recorded content were padded, and those not in the recording were 404s or "
            + "partial.",
        "Evicted answers were removed to free space, in memory and in the cache file.",
    ]

    /// The figures of all configurations, as people read them: the name of each, and its values.
    private var rows: [[String]] {
        let ratio = ["hit ratio"] + figures.map { $0.hitRatio.map(Figure.percent) ?? Figure.none }
        let counts = WhatIfFigures.counted.map { counted in
            [counted.title] + figures.map { counted.text($0[keyPath: counted.count]) }
        }
        return [ratio] + counts
    }

    /// The report as a page of HTML: the figures side by side.
    public var page: String {
        ReportPage(
            title: "What if \(file)",
            facts: [
                "Recorded from \(Figure.moment(traffic.started)) to \(Figure.moment(ended)), "
                    + Figure.span(traffic.duration)
            ],
            tables: [
                ReportPage.Table(
                    title: "Figures", note: remarks.joined(separator: " "), head: [""] + figures.map(\.name),
                    rows: rows, hasNumbers: true)
            ], notes: Self.explanations
        ).html
    }

    /// The report as an object; durations in seconds.
    public var json: JSON {
        .object(members: [
            "recording": .string(file), "started": .string(traffic.started.text), "ended": .string(ended.text),
            "sampling": .number(String(traffic.sampling)), "left_out": .integer(traffic.leftOut),
            "configurations": .array(figures.map(\.json)),
        ])
    }
}

extension WhatIfFigures {
    fileprivate var json: JSON {
        let ratio: JSON = hitRatio.map { .number(String($0)) } ?? .null
        var object = JSONObject(["name": .string(name), "hit_ratio": ratio])
        for counted in Self.counted { object.append(counted.member, .integer(self[keyPath: counted.count])) }
        object.append(
            "intervals",
            .array(
                intervals.map { interval in
                    .object(members: [
                        "start": .number(interval.start.decimalSeconds),
                        "seconds": .number(interval.length.decimalSeconds), "hits": .integer(interval.hits),
                        "misses": .integer(interval.misses), "upstream_requests": .integer(interval.upstreamRequests),
                    ])
                }))
        return .object(object)
    }

    /// Counts, in the order of both reports: as the table names them, as the JSON does, and
    /// how people read it.
    fileprivate static var counted:
        [(title: String, member: String, count: KeyPath<WhatIfFigures, Int>, text: (Int) -> String)]
    {
        [
            ("requests", "requests", \.requests, Figure.count), ("hits", "hits", \.hits, Figure.count),
            ("  composed", "composed", \.composed, Figure.count), ("  stale", "stale", \.stale, Figure.count),
            ("misses", "misses", \.misses, Figure.count), ("  collapsed", "collapsed", \.collapsed, Figure.count),
            ("  revalidated", "revalidated", \.revalidated, Figure.count),
            ("passes", "passes", \.passes, Figure.count), ("failed", "failed", \.failed, Figure.count),
            ("upstream requests", "upstream_requests", \.upstreamRequests, Figure.count),
            ("  at most", "peak_upstream_rate", \.peakUpstreamRate, { Figure.count($0) + "/s" }),
            ("  assembled", "assembled", \.assembled, Figure.count),
            ("  without recorded content", "without_content", \.filled, Figure.count),
            ("  not in the recording", "not_recorded", \.notRecorded, Figure.count),
            ("bytes from upstream", "bytes_from_upstream", \.bytesFromUpstream, Figure.bytes),
            ("bytes to clients", "bytes_to_clients", \.bytesToClients, Figure.bytes),
            ("evicted from memory", "evicted_from_memory", \.evictedFromMemory, Figure.count),
            ("evicted from the file", "evicted_from_file", \.evictedFromFile, Figure.count),
        ]
    }
}
