import Proxy
import Text

/// The counters of `GET /stats` for people: in groups, with shares where they say more than the
/// numbers. Figures that need a screen of their own are left to `refrain top` and the dashboard.
enum StatsTable {
    /// A counter, and which one it is a part of.
    private typealias Line = (name: String, of: String?)

    private static let groups: [(title: String, lines: [Line])] = [
        group(
            "requests",
            """
            requests hits/requests stale/requests composed/requests misses/requests collapsed/misses
            shared bypassed/requests refused/requests revalidated stored http2_requests/requests
            connections tls_handshakes headers_refused compression_skipped
            """),
        group(
            "origin",
            """
            upstream_requests upstream_errors/upstream_requests uncacheable/upstream_requests
            refresh_refused rate_limited/upstream_requests retried/upstream_requests upstream_saved queued lacked_share queue_refused upstream_in_flight
            upstream_waiting upstream_rate
            """),
        group(
            "storage",
            """
            entries cache_bytes/cache_limit_bytes memory_bytes/memory_limit_bytes store_written
            store_evicted store_dropped store_failures store_damaged store_checked store_lost
            purges_remembered purges_pending purges_forgotten purges_widened
            """),
        group(
            "composing",
            """
            built contradictions forms_resting verified verified_equal/verified verified_older/verified
            verify_mismatches/verified verify_undecided verify_skipped
            """),
    ]

    /// - Parameter names: `PART/WHOLE`, or a name alone.
    private static func group(_ title: String, _ names: String) -> (title: String, lines: [Line]) {
        let words = names.split { $0.isWhitespace }.map { $0.split(separator: "/").map(String.init) }
        return (title, words.map { ($0[0], $0.count > 1 ? $0[1] : nil) })
    }

    static func text(of stats: JSON) -> String {
        var sections: [(title: String, rows: [[String]])] = groups.map { group in
            (group.title, group.lines.compactMap { row($0, in: stats) })
        }
        sections[0].rows += hitRatio(in: stats)
        sections.append(("answers to clients, by class and status", answers(in: stats)))
        sections.append(("answers to clients, by client", clients(in: stats)))
        sections.append(("requests to Apple", savings(in: stats)))
        sections.append(("certificate of the TLS listeners", certificate(in: stats)))
        let tier = stats["tier"]?.rows() ?? []
        sections.append(("shared tier", tier.map { [$0.name, $0.value, ""] }))
        for axis in SpendingAxis.allCases {
            let counts = spenders(axis, in: stats, "since_start")
            sections.append(("sent to the origin, by \(axis.rawValue)", frequencies(counts)))
        }
        sections.append(("refused, by limit", frequencies(counts(in: stats["refused_by_limit"]))))
        sections.append(("failed TLS handshakes", frequencies(counts(in: stats["tls_handshakes_failed"]))))
        sections.append(("reasons", frequencies(counts(in: stats["reasons"]))))
        sections.append(("not composed, by rule and reason", frequencies(refusals(in: stats))))
        let filled = sections.filter { !$0.rows.isEmpty }
        // One table, so that the numbers of all sections are aligned.
        let rows = filled.flatMap(\.rows).map { $0.map(TextTable.printable) }
        var lines = TextTable.lines(rows, [.left, .right, .left])[...]
        return filled.map { section in
            defer { lines = lines.dropFirst(section.rows.count) }
            let own = lines.prefix(section.rows.count)
            return section.title + "\n" + own.map { $0 + "\n" }.joined()
        }.joined(separator: "\n")
    }

    private static func row(_ line: Line, in stats: JSON) -> [String]? {
        guard let value = stats[line.name]?.countValue else { return nil }
        let part = line.of.flatMap { whole in
            stats[whole]?.countValue.flatMap {
                line.name.hasSuffix("_bytes") ? fill(value, of: $0) : share(value, of: $0, whole)
            }
        }
        // Nothing limits the rate.
        let isOff = line.name == "upstream_rate" && value == 0
        return [line.name, isOff ? "off" : "\(value)", part ?? ""]
    }

    /// `290.0 KiB of 10.0 GiB`; nil without a limit.
    private static func fill(_ bytes: Int, of limit: Int) -> String? {
        limit > 0 ? "\(Figure.bytes(bytes)) of \(Figure.bytes(limit))" : nil
    }

    /// The end of the certificate of the TLS listeners, and how far away it is.
    private static func certificate(in stats: JSON) -> [[String]] {
        guard let end = stats["certificate_expires"]?.countValue, let now = stats["time"]?.countValue else { return [] }
        let distance = SpanOfTime.text(abs(end - now))
        let date = LogTime.rfc3339(Int64(end))
        return [end > now ? ["ends in", distance, date] : ["ended", distance, "ago: \(date)"]]
    }

    private static func share(_ part: Int, of whole: Int, _ name: String) -> String? {
        whole > 0 && part >= 0 ? "\(Figure.percent(part, of: whole)) of \(name)" : nil
    }

    /// A share that was rounded to a thousandth.
    static func percent(_ share: Double?) -> String {
        share.map { Figure.percent(Int(clamping: ($0 * 1000).rounded()), of: 1000) } ?? Figure.none
    }

    private static func hitRatio(in stats: JSON) -> [[String]] {
        guard case .number(let text)? = stats["hit_ratio"], let ratio = Double(text) else { return [] }
        return [["hit ratio", percent(ratio), "hits of hits and misses"]]
    }

    /// Rows of the answers: a class, then its statuses.
    private static func answers(in stats: JSON) -> [[String]] {
        let statuses = counts(in: stats["answers"]?["statuses"])
        let whole = statuses.reduce(0) { $0 + $1.count }
        func row(_ each: (name: String, count: Int)) -> [String] {
            [each.name, "\(each.count)", share(each.count, of: whole, "answers") ?? ""]
        }
        let classes = counts(in: stats["answers"]?["classes"]).filter { $0.count > 0 }
        let gone = statuses.filter { $0.name == "none" }.map { row(("client had left", $0.count)) }
        return classes.flatMap { each in
            [row(each)] + statuses.filter { $0.name.first == each.name.first && $0.name != each.name }.map(row)
        } + gone
    }

    /// Clients with keys, with the classes of their answers.
    private static func clients(in stats: JSON) -> [[String]] {
        (stats["clients"]?.arrayValue ?? []).map { client in
            let classes = counts(in: client["answers"]).filter { $0.count > 0 }.map { "\($0.name) \($0.count)" }
            let name = client["name"]?.stringValue ?? ""
            return [name, "\(client["requests"]?.countValue ?? 0)", classes.joined(separator: ", ")]
        }
    }

    /// The requests that Apple would have got, got, and was spared, in the order of
    /// `OriginSavings.Figure`.
    private static func savings(in stats: JSON) -> [[String]] {
        guard let savings = stats["savings"] else { return [] }
        let whole = savings[OriginSavings.Figure.withoutProxy.name]?.countValue ?? 0
        return OriginSavings.Figure.allCases.map { figure in
            let count = savings[figure.name]?.countValue ?? 0
            let part = figure == .withoutProxy ? nil : share(count, of: whole, "those without the proxy")
            return [figure.text, "\(count)", part ?? ""]
        }
    }

    /// The members that are counts.
    static func counts(in object: JSON?) -> [(name: String, count: Int)] {
        (object?.objectValue?.members ?? []).compactMap { member in
            member.value.countValue.map { (name: member.key, count: $0) }
        }
    }

    /// Requests sent to the origin within the time that the member names.
    static func spenders(_ axis: SpendingAxis, in stats: JSON, _ time: String) -> [(name: String, count: Int)] {
        (stats["spending"]?[axis.rawValue]?.arrayValue ?? []).map { row in
            (row["name"]?.stringValue ?? "", row[time]?.countValue ?? 0)
        }
    }

    private static func refusals(in stats: JSON) -> [(name: String, count: Int)] {
        (stats["not_composed"]?.objectValue?.members ?? []).flatMap { rule in
            counts(in: rule.value).map { (name: "\(rule.key): \($0.name)", count: $0.count) }
        }
    }

    /// Rows of the counts above zero, the most frequent first.
    private static func frequencies(_ counts: [(name: String, count: Int)]) -> [[String]] {
        counts.filter { $0.count > 0 }
            .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
            .map { [$0.name, "\($0.count)", ""] }
    }
}
