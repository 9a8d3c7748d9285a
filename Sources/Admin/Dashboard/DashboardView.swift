import AppleMusic
import Cache
import Proxy
import Text

// What the page shows, in words and drawings. Made once for both ways to the page: the server
// writes it into the page, and the script puts it in the place of what stood there. So they cannot
// differ, and the page works without the script.

/// The page's content at one moment.
struct DashboardView {
    enum Cell: Equatable {
        case text(String)
        /// From 0 to 100.
        case bar(Int)
        case outcome(Outcome)
        /// A target, with a link to what would become of a request for it.
        case explain(String)
    }

    /// By the ids of the page's elements.
    private(set) var texts: [String: String] = [:]
    /// `good`, `bad` or `plain`.
    private(set) var states: [String: String] = [:]
    /// Data of SVG paths.
    private(set) var paths: [String: String] = [:]
    private(set) var tables: [String: [[Cell]]] = [:]
    /// One sentence for who listens.
    private(set) var summary = ""

    /// - Parameter ribbon: whether to draw what changes only every ten seconds.
    init(_ moment: Moment, ribbon: Bool = true) {
        addStatus(moment)
        addFigures(moment)
        if ribbon { addRibbon(moment.observations.history) }
        addLatency(moment)
        addStorage(moment.observations.source)
        tables["outcomes"] = outcomeRows(moment)
        tables["origin"] = originRows(moment)
        tables["misses"] = missRows(moment)
        tables["asked"] = askedRows(moment)
        tables["storage"] = storageRows(moment)
        tables["clients"] = clientRows(moment)
        let tier = moment.observations.tier
        tables["tier"] = tier.map(Self.tierRows) ?? []
        tables["nodes"] = tier.map(Self.nodeRows) ?? []
        for section in ["tier-section", "nodes-section"] { states[section] = tier == nil ? "none" : "plain" }
    }

    private mutating func set(_ id: String, _ text: String, _ state: String) {
        texts[id] = text
        states[id] = state
    }

    private mutating func addStatus(_ moment: Moment) {
        let (now, all) = (moment.observations.unixSeconds, moment.observations)
        texts["version"] = all.version
        set("readiness", moment.readiness.rawValue, moment.readiness == .ready ? "good" : "bad")
        texts["uptime"] = "up " + SpanOfTime.text(max(0, Int(now - all.startedAt)))
        if let failure = all.reloads.lastFailure {
            set("reload", "the last reload failed: " + failure, "bad")
        } else if let success = all.reloads.lastSuccess {
            set("reload", "reloaded \(SpanOfTime.text(max(0, Int(now - success)))) ago", "plain")
        } else {
            set("reload", "", "plain")
        }
        if all.source.refusesDeveloperToken(at: now) {
            set("token", "Apple refuses the developer token", "bad")
        } else if let end = all.source.developerTokenEnd(at: now) {
            let text =
                end > now ? "token ends in " + SpanOfTime.text(Int(end - now)) : "the developer token has expired"
            // Tokens that the proxy signs itself are renewed long before.
            set("token", text, end - now > 600 ? "plain" : "bad")
        } else {
            set("token", "", "plain")
        }
        set("file", all.source.isStoreAvailable ? "" : "the cache file cannot be used", "bad")
    }

    private mutating func addFigures(_ moment: Moment) {
        let (recent, hour) = (moment.recent, moment.hour)
        texts["ratio-now"] = recent.totals.ratio
        texts["ratio-hour"] = "\(hour.ratio) over the hour"
        texts["rate"] = Figure.steadyRate(recent.perSecond(recent.totals.sum))
        texts["requests-hour"] = Figure.count(hour.sum) + " in the hour"
        texts["upstream-rate"] = Figure.steadyRate(recent.perSecond(recent.totals.upstream))
        texts["upstream-hour"] = Figure.count(hour.upstream) + " in the hour"
        texts["saved"] = Figure.percent(hour.requestsSaved, of: hour.answered)
        texts["saved-hour"] = Figure.count(hour.requestsSaved) + " in the hour"
        summary =
            "Hit ratio \(recent.totals.ratio), \(Figure.fixed(recent.perSecond(recent.totals.sum), 1)) requests a second, "
            + "\(Figure.fixed(recent.perSecond(recent.totals.upstream), 1)) to Apple. "
            + [texts["readiness"], texts["reload"]].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ", ")
    }

    private mutating func addRibbon(_ history: History) {
        let ribbon = Ribbon(history)
        for outcome in Outcome.allCases { paths["ribbon-" + outcome.name] = ribbon.path(outcome) }
        paths["volume"] = ribbon.volume
        let peak = Double(ribbon.peak) / Double(History.slotSeconds)
        texts["volume-peak"] = ribbon.peak > 0 ? "at most \(Figure.steadyRate(peak))" : ""
    }

    private mutating func addStorage(_ source: StatisticsSource) {
        let file = source.store.entries > 0 ? ", \(Figure.bytes(source.cacheBytes)) in the file" : ""
        texts["storage-total"] =
            "\(Figure.count(source.entries)) answers; \(Figure.bytes(source.memoryBytes)) in memory" + file
    }

    private mutating func addLatency(_ moment: Moment) {
        func time(_ counts: LatencyCounts, _ share: Double) -> String {
            Figure.steadyTime(nanoseconds: counts.quantile(share))
        }
        let (hits, misses) = (moment.latency.hits, moment.latency.misses)
        texts["hit-median"] = time(hits, 0.5)
        texts["hit-tail"] = "p99 \(time(hits, 0.99)) in the hour"
        texts["miss-median"] = time(misses, 0.5)
        texts["miss-tail"] = "p99 \(time(misses, 0.99)) in the hour"
        paths["histogram-hits"] = LatencyPlot.path(hits)
        paths["histogram-misses"] = LatencyPlot.path(misses)
        tables["latency"] = [("hits, filled", hits), ("misses, dashed", misses)].map { name, counts in
            [.text(name)] + [0.5, 0.9, 0.99].map { .text(time(counts, $0)) } + [.text(Figure.count(counts.count))]
        }
    }
}

extension History.Totals {
    /// Requests of apps.
    var sum: Int { outcomes.reduce(0, +) }

    private func count(_ side: Outcome.Side) -> Int {
        Outcome.allCases.reduce(0) { $0 + ($1.side == side ? outcomes[$1.rawValue] : 0) }
    }

    /// Hits of hits and misses, in percent.
    var ratio: String { Figure.percent(count(.hit), of: count(.hit) + count(.miss)) }

    /// Those that Apple would have been asked for without the proxy.
    var answered: Int { sum - outcomes[Outcome.refused.rawValue] }

    /// How many fewer requests Apple got than clients made; refreshes and retries count against it.
    var requestsSaved: Int { max(0, answered - upstream) }
}

extension DashboardView {
    /// As the script reads it.
    var json: JSON {
        func object<Value>(_ members: [String: Value], _ value: (Value) -> JSON) -> JSON {
            .object(
                JSONObject(
                    members: members.sorted { $0.key < $1.key }.map { .init(key: $0.key, value: value($0.value)) }))
        }
        return .object(members: [
            "texts": object(texts, JSON.string), "states": object(states, JSON.string),
            "paths": object(paths, JSON.string),
            "tables": object(tables) { rows in .array(rows.map { .array($0.map(\.json)) }) },
            "summary": .string(summary),
        ])
    }
}

extension DashboardView.Cell {
    fileprivate var json: JSON {
        switch self {
        case .text(let text): .string(text)
        case .bar(let width): ["bar": .integer(width)]
        case .outcome(let outcome): ["outcome": .string(outcome.name)]
        case .explain(let target): ["explain": .string(target)]
        }
    }
}

// The rows of the page's tables. The columns are those of `page.html`.

extension DashboardView {
    /// Of lists that could be long.
    private static let mostRows = 20

    private func outcomeRows(_ moment: Moment) -> [[Cell]] {
        let hour = moment.hour
        return Outcome.allCases.map { outcome in
            let latency = moment.observations.source.latency(outcome)
            let count = hour.outcomes[outcome.rawValue]
            return [
                .outcome(outcome), .text(Figure.count(count)), .text(Figure.percent(count, of: hour.sum)),
                .text(Figure.count(latency.count)), .text(Figure.steadyTime(nanoseconds: latency.quantile(0.5))),
                .text(Figure.steadyTime(nanoseconds: latency.quantile(0.99))), .text(outcome.meaning),
            ]
        }
    }

    private func originRows(_ moment: Moment) -> [[Cell]] {
        let source = moment.observations.source
        let upstream = source.upstream
        let rows: [(String, String)] = [
            ("rate allowed", upstream.rate.map { Figure.count($0) + "/s" } ?? "off: no limit"),
            ("in flight", Figure.count(upstream.inFlight)),
            ("waiting for their turn", Figure.count(upstream.waiting)),
            ("429s, since start", Figure.count(source[.rateLimited])),
            ("waited, since start", Figure.count(source[.queued])),
            ("turned away, since start", Figure.count(source[.queueRefused])),
            ("errors of the origin, since start", Figure.count(source[.upstreamErrors])),
        ]
        return rows.map { [.text($0.0), .text($0.1)] }
    }

    private func missRows(_ moment: Moment) -> [[Cell]] {
        moment.observations.source.mostCostly(limit: Self.mostRows).map { target in
            [
                .explain(target.target), .text(Figure.steadyTime(nanoseconds: Int(target.seconds * 1e9))),
                .text(Figure.count(Int(target.count.rounded()))), .text(target.reason?.text ?? ""),
            ]
        }
    }

    private func askedRows(_ moment: Moment) -> [[Cell]] {
        let targets = moment.observations.source.mostAsked(limit: Self.mostRows)
        let most = targets.first?.count ?? 0
        return targets.map { target in
            [
                .explain(target.target), .text(Figure.count(Int(target.count.rounded()))),
                .bar(most > 0 ? Int(target.count * 100 / most) : 0),
            ]
        }
    }

    private func storageRows(_ moment: Moment) -> [[Cell]] {
        let breakdown = moment.observations.breakdown
        let parts = breakdown.memory.map { ("memory", $0) } + breakdown.file.map { ("file", $0) }
        let largest = max(1, parts.map(\.1.bytes).max() ?? 0)
        return parts.sorted { ($0.1.bytes, $1.0) > ($1.1.bytes, $0.0) }.prefix(2 * Self.mostRows).map { tier, part in
            [
                .text(ResourceClass.name(ofTag: part.classTag)),
                .text(part.storefront.isEmpty ? Figure.none : part.storefront), .text(tier),
                .text(Figure.count(part.entries)), .text(Figure.bytes(part.bytes)),
                .bar(part.bytes * 100 / largest),
            ]
        }
    }

    private func clientRows(_ moment: Moment) -> [[Cell]] {
        moment.observations.source.clients.map { client in
            [
                .text(client.name), .text(Figure.count(client.requests)), .text(Figure.count(client.refused)),
                .text(Figure.count(client.limited)), .text(Figure.bytes(client.bytes)),
                .text(client.rate.map { Figure.count($0) + "/s" } ?? Figure.none),
            ]
        }
    }
}
