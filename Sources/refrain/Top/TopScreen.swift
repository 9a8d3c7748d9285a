import Admin
import Proxy
import Text

// The screen of `refrain top`: text for a terminal of some size. Pure.

/// A screen of `top`.
struct TopScreen {
    let stats: JSON
    let interval: Interval
    /// See `terminalWidth`.
    let width: Int?
    /// Lines that there is room for; nil: any number.
    let lines: Int?

    private static let usualRows = 10

    var text: String {
        let blocks = [head, answers + savings + spending, outcomes, times].filter { !$0.isEmpty }
        let used = blocks.map { $0.filter { $0 == "\n" }.count + 1 }.reduce(0, +)
        // Two lists share the rest; each has a title, and a blank line is between them.
        let rows = lines.map { max(1, ($0 - used - 4) / 2) } ?? Self.usualRows
        let lists = [
            list("most expensive misses", "top_misses", rows) { miss in
                [Self.seconds(miss["seconds"]), Self.whole(miss["count"])]
                    + (hasReasons ? [miss["reason"]?.stringValue ?? ""] : [])
            },
            list("most requested (sampled)", "top_targets", rows) { [Self.whole($0["count"])] },
        ]
        return (blocks + lists).filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// Whether there is room for reasons: on a narrow terminal the target matters more.
    private var hasReasons: Bool { width.map { $0 >= Self.leastForReasons } ?? true }
    private static let leastForReasons = 72

    private func line(_ text: String) -> String {
        let line = TextTable.printable(text)
        return (width.map { TextTable.cut(line, to: $0) } ?? line) + "\n"
    }

    private var head: String {
        let version = stats["version"]?.stringValue ?? ""
        var text = line("refrain \(version)  up \(SpanOfTime.text(max(0, stats.uptime)))")
        let ratio = StatsTable.percent(interval.hitRatio)
        let share = Figure.percent(min(interval.http2, interval.requests), of: interval.requests)
        let protocols = interval.http2 > 0 ? " (\(share) by HTTP/2)" : ""
        let (asked, sent) = (rate(interval.requests), rate(interval.upstream))
        text += line("\(interval.name): \(asked) requests\(protocols), hit ratio \(ratio), \(sent) to Apple")
        let limit = stats["upstream_rate"]?.countValue ?? 0
        text += line(
            "origin: \(stats["upstream_in_flight"]?.countValue ?? 0) in flight, "
                + "\(stats["upstream_waiting"]?.countValue ?? 0) waiting, "
                + (limit > 0 ? "\(limit)/s allowed" : "upstream_rate off")
                + ", \(stats["upstream_errors"]?.countValue ?? 0) errors"
                + ", \(stats["rate_limited"]?.countValue ?? 0) 429s since start")
        if let tier = stats["tier"], tier != .null { text += line(Self.words(of: tier)) }
        for (title, member) in [
            ("refused by limits", "refused_by_limit"), ("TLS handshakes failed", "tls_handshakes_failed"),
        ] {
            let counts = StatsTable.counts(in: stats[member]).sorted { ($1.count, $0.name) < ($0.count, $1.name) }
            guard !counts.isEmpty else { continue }
            text += line("\(title), since start: " + counts.map { "\($0.name) \($0.count)" }.joined(separator: ", "))
        }
        if stats["developer_token_refused"] == .bool(true) {
            text += line("Apple refuses the developer token: see refrain token and the log")
        }
        for (title, member) in [("reload", "last_failure"), ("upgrade", "last_failed_upgrade")] {
            guard let failure = stats["config"]?[member]?.stringValue else { continue }
            text += line("the last \(title) failed: \(failure)")
        }
        return text
    }

    /// The shared tier in one line.
    private static func words(of tier: JSON) -> String {
        func number(_ name: String) -> Int { tier[name]?.countValue ?? 0 }
        let lookups = tier["lookups"]
        let breakers = number("breakers_open")
        let loops = breakers == 1 ? "1 loop" : "\(breakers) loops"
        return
            "tier: \(tier["words"].shown), \(number("nodes_alive")) of \(number("nodes")) nodes up, "
            + "\(whole(lookups?["taken"])) found of \(whole(lookups?["looks"])) since start, "
            + "lag \(number("lag"))" + (breakers > 0 ? ", breaker open in \(loops)" : "")
    }

    /// Answers by status, the most frequent first; since the start where there was none in the
    /// interval.
    private var answers: String {
        let recent = interval.statuses.filter { $0.count > 0 }
        let isRecent = !recent.isEmpty
        let counts = isRecent ? recent : StatsTable.counts(in: stats["answers"]?["statuses"])
        let whole = counts.reduce(0) { $0 + $1.count }
        guard whole > 0 else { return "" }
        let shares = counts.sorted { $0.count > $1.count }.prefix(Self.mostStatuses).map {
            "\($0.name) \($0.count) (\(Figure.percent($0.count, of: whole)))"
        }
        return line("answers\(isRecent ? "" : " since start"): " + shares.joined(separator: ", "))
    }

    private static let mostStatuses = 6

    /// Requests that Apple would have got, got, and was spared since the start, in a line.
    private var savings: String {
        guard let savings = stats["savings"] else { return "" }
        func count(_ figure: OriginSavings.Figure) -> Int { savings[figure.name]?.countValue ?? 0 }
        let whole = count(.withoutProxy)
        guard whole > 0 else { return "" }
        let parts = (OriginSavings.Figure.ways + [.extra]).filter { count($0) > 0 }.map { "\($0.text) \(count($0))" }
        return line(
            "to Apple since start: \(whole) without the proxy, \(count(.sent)) sent, \(count(.saved)) saved "
                + "(\(Figure.percent(count(.saved), of: whole)))"
                + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")))
    }

    /// Shares of the requests to Apple, a line for each axis: of the last seconds, or since the
    /// start where none was sent in them.
    private var spending: String {
        let now = stats["spending"]?["windows"]?["now"]
        let isRecent = now?["requests"]?.countValue ?? 0 > 0
        let seconds = max(0.001, Self.number(now?["seconds"]) ?? 0)
        return SpendingAxis.allCases.map { axis in
            let counts = StatsTable.spenders(axis, in: stats, isRecent ? "now" : "since_start")
            let whole = counts.reduce(0) { $0 + $1.count }
            guard whole > 0 else { return "" }
            let shares = counts.filter { $0.count > 0 }.sorted { $0.count > $1.count }.prefix(Self.mostSpenders).map {
                let share = Figure.percent($0.count, of: whole)
                return "\($0.name) \(share)" + (isRecent ? " (\(Self.rate(Double($0.count) / seconds)))" : "")
            }
            let time = isRecent ? "" : " since start"
            return line("to Apple\(time), by \(axis.rawValue): " + shares.joined(separator: ", "))
        }.joined()
    }

    private static let mostSpenders = 5

    private func rate(_ count: Int) -> String { Self.rate(interval.perSecond(count)) }

    private static func rate(_ number: Double) -> String { Figure.fixed(number, 1, isGrouped: false) + "/s" }

    /// Rows of the outcomes that have occurred since the start.
    private var outcomes: String {
        let rows = interval.outcomes.filter { (stats["outcomes"]?[$0.name]?.countValue ?? 0) > 0 }.map { name, count in
            [name, rate(count), Figure.percent(count, of: interval.requests)]
        }
        return rows.isEmpty ? "no requests yet\n" : Table.text(["outcome", ">now", ">share"], rows, width: width)
    }

    private var times: String {
        let rows = [("hits", interval.hitTimes), ("misses", interval.missTimes)].map { name, counts in
            let (median, tail) = (counts.quantile(0.5), counts.quantile(0.99))
            return [name, Self.time(median), Self.time(tail), "\(counts.total)"]
        }
        return Table.text(["time to answer", ">p50", ">p99", ">answers"], rows, width: width)
    }

    private func list(_ title: String, _ member: String, _ room: Int, _ cells: (JSON) -> [String]) -> String {
        let rows = (stats[member]?.arrayValue ?? []).prefix(room)
        guard let first = rows.first else { return "" }
        let count = cells(first).count
        let titles = count == 1 ? [">requests"] : Array([">waited", ">misses", "reason"].prefix(count))
        return Table.text(
            titles + [title], rows.map { cells($0) + [$0["target"]?.stringValue ?? ""] }, width: width)
    }

    // MARK: Numbers

    private static func whole(_ value: JSON?) -> String { "\(value?.countValue ?? 0)" }

    private static func number(_ value: JSON?) -> Double? {
        if case .number(let text)? = value { Double(text) } else { nil }
    }

    private static func seconds(_ value: JSON?) -> String {
        number(value).map { time($0 * 1_000_000) } ?? "–"
    }

    static func time(_ microseconds: Double?) -> String {
        Figure.steadyTime(nanoseconds: microseconds.map { Int(clamping: $0 * 1000) })
    }
}
