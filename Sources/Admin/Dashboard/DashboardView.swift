import AppleMusic
import Cache
import Proxy
import Text

// The words and drawings of the page. They are made once for both ways to the page: the server
// writes them into the page, and the script replaces them there. So they cannot differ, and the
// page works without the script.

/// The page's content at one moment.
struct DashboardView {
    enum Cell: Equatable {
        case text(String)
        case outcome(Outcome)
        /// A target, with a link to the explanation of a request for it.
        case explain(String)
    }

    /// By the ids of the page's elements.
    private(set) var texts: [String: String] = [:]
    /// `good`, `degraded`, `bad`, `plain`, `chosen` or `none`.
    private(set) var states: [String: String] = [:]
    /// Data of SVG paths.
    private(set) var paths: [String: String] = [:]
    private(set) var tables: [String: [[Cell]]] = [:]
    /// A sentence for screen readers.
    private(set) var summary = ""

    /// - Parameters:
    ///   - window: how far back the chart and the table of outcomes go.
    ///   - ribbon: whether to draw the chart, which changes only every ten seconds.
    init(_ moment: Observations, _ window: HistoryWindow = .hour, ribbon: Bool = true) {
        addStatus(moment)
        addFigures(moment)
        for each in HistoryWindow.allCases {
            states["window-" + each.rawValue] = each == window ? "chosen" : "plain"
        }
        if ribbon { addRibbon(moment.history.columns(window)) }
        addLatency(moment)
        addStorage(moment.source)
        addTrouble(moment)
        addVerification(moment.source)
        tables["outcomes"] = outcomeRows(moment, window)
        tables["statuses"] = statusRows(moment, window)
        tables["savings"] = savingsRows(moment, window)
        tables["origin"] = originRows(moment)
        tables["spending"] = spendingRows(moment.spending, window)
        tables["misses"] = missRows(moment)
        tables["asked"] = askedRows(moment)
        tables["storage"] = storageRows(moment)
        tables["clients"] = clientRows(moment)
        tables["refusals"] = refusalRows(moment.source)
        let tier = moment.tier
        tables["tier"] = Self.rows(of: tier?.json)
        tables["nodes"] = tier.map(Self.nodeRows) ?? []
        for section in ["tier-section", "nodes-section"] { states[section] = tier == nil ? "none" : "plain" }
    }

    private mutating func set(_ id: String, _ text: String, _ state: String) {
        texts[id] = text
        states[id] = state
    }

    private mutating func addStatus(_ moment: Observations) {
        let now = moment.unixSeconds
        texts["version"] = moment.version
        texts["uptime"] = "up " + SpanOfTime.text(max(0, Int(now - moment.startedAt)))
        if let failure = moment.reloads.lastFailure {
            set("reload", "the last reload failed: " + failure, "bad")
        } else if let failure = moment.reloads.lastFailedUpgrade {
            set("reload", "the last upgrade failed: " + failure, "bad")
        } else if let success = moment.reloads.lastSuccess {
            set("reload", "reloaded \(SpanOfTime.text(max(0, Int(now - success)))) ago", "plain")
        } else {
            set("reload", "", "plain")
        }
        if moment.source.refusesDeveloperToken(at: now) {
            set("token", "Apple refuses the developer token", "bad")
        } else if let end = moment.source.developerTokenEnd(at: now) {
            let text =
                end > now ? "token expires in " + SpanOfTime.text(Int(end - now)) : "the developer token has expired"
            // Tokens that the proxy signs itself are renewed long before.
            set("token", text, end - now > 600 ? "plain" : "bad")
        } else {
            set("token", "", "plain")
        }
        let hasFile = moment.source.isStoreAvailable
        set("file", hasFile ? "" : "the cache file is unavailable", hasFile ? "plain" : "bad")
        addReadiness(moment)
    }

    /// Green only where nothing else in the line is wrong, nor Apple's answers.
    private mutating func addReadiness(_ moment: Observations) {
        let availability = moment.availability
        let isOfOrigin = moment.source.lastTrouble?.isOfOrigin ?? false
        let hasErrors = isOfOrigin && moment.secondsSinceTrouble.map(Self.isRecent) ?? false
        let isDegraded =
            availability.isAlone || availability.isRefused || hasErrors
            || ["reload", "token", "file"].contains { states[$0] == "bad" }
        set(
            "readiness", availability.words + (hasErrors ? "; Apple's API returns errors" : ""),
            !availability.isReady ? "bad" : isDegraded ? "degraded" : "good")
    }

    private static func isRecent(_ seconds: Int) -> Bool { seconds < 60 }

    private mutating func addFigures(_ moment: Observations) {
        let (recent, hour) = (moment.recent, moment.sum(.hour))
        let now = recent.counts
        texts["ratio-now"] = now.ratio
        texts["ratio-hour"] = "\(hour.ratio) over the hour"
        texts["rate"] = Figure.steadyRate(recent.perSecond(now.sum))
        texts["requests-hour"] = Figure.count(hour.sum) + " in the hour" + hour.byHTTP2
        texts["upstream-rate"] = Figure.steadyRate(recent.perSecond(now.savings[.sent]))
        texts["upstream-hour"] = Figure.count(hour.savings[.sent]) + " in the hour"
        texts["saved"] = Figure.percent(hour.savings[.saved], of: hour.savings[.withoutProxy])
        texts["saved-hour"] = Figure.count(hour.savings[.saved]) + " in the hour"
        summary =
            "Hit ratio \(now.ratio), \(Figure.fixed(recent.perSecond(now.sum), 1)) requests a second, "
            + "\(Figure.fixed(recent.perSecond(now.savings[.sent]), 1)) to Apple. "
            + [texts["readiness"], texts["reload"]].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ", ")
    }

    private mutating func addRibbon(_ columns: [History.Column]) {
        let ribbon = Ribbon(columns)
        for outcome in Outcome.allCases { paths["ribbon-" + outcome.name] = ribbon.path(outcome) }
        paths["volume"] = ribbon.volume
        texts["axis-start"] = columns.isEmpty ? "" : SpanOfTime.text(ribbon.seconds) + " ago"
        texts["axis-middle"] = columns.count > 1 ? SpanOfTime.text(ribbon.seconds / 2) + " ago" : ""
        texts["ribbon-note"] =
            columns.first.map { first in
                "A column is \(SpanOfTime.text(first.seconds)). Above: shares of the outcomes. "
                    + "Below: requests, at most \(Figure.steadyRate(ribbon.peak))."
            } ?? "The first column comes after \(History.slotSeconds) s."
    }

    private mutating func addStorage(_ source: StatisticsSource) {
        let file = source.store.entries > 0 ? ", \(Figure.bytes(source.cacheBytes)) in the file" : ""
        texts["storage-total"] =
            "\(Figure.count(source.entries)) answers; \(Figure.bytes(source.memoryBytes)) in memory" + file
    }

    private mutating func addTrouble(_ moment: Observations) {
        tables["errors"] = errorRows(moment)
        guard let last = moment.source.lastTrouble, let seconds = moment.secondsSinceTrouble
        else { return set("last-error", "", "plain") }
        set(
            "last-error",
            "Last error: \(last.what), \(SpanOfTime.text(seconds)) ago, at \(Figure.timeOfDay(last.unixSeconds)) UTC",
            Self.isRecent(seconds) ? "bad" : "plain")
    }

    private mutating func addVerification(_ source: StatisticsSource) {
        // The parts before their sum, so that none is larger.
        let (wrong, older, undecided) = (source[.verifyMismatches], source[.verifiedOlder], source[.verifyUndecided])
        let verified = source[.verified]
        guard verified > 0 else { return set("verified", "", "plain") }
        set(
            "verified",
            "Composed answers: \(Figure.count(wrong)) of \(Figure.count(verified)) verified were wrong, "
                + "\(Figure.count(older)) were older than the origin"
                + (undecided > 0 ? ", \(Figure.count(undecided)) undecided" : ""),
            wrong > 0 ? "bad" : "plain")
    }

    private mutating func addLatency(_ moment: Observations) {
        let (hits, misses) = (moment.latencies.hits, moment.latencies.misses)
        texts["hit-median"] = Self.time(hits, 0.5)
        texts["hit-tail"] = "p99 \(Self.time(hits, 0.99)) in the hour"
        texts["miss-median"] = Self.time(misses, 0.5)
        texts["miss-tail"] = "p99 \(Self.time(misses, 0.99)) in the hour"
        tables["latency"] = [("hits", hits), ("misses", misses)].map { name, counts in
            [.text(name)] + [0.5, 0.9, 0.99].map { .text(Self.time(counts, $0)) } + [.text(Figure.count(counts.count))]
        }
    }
}

extension Observations {
    /// nil where the origin had no trouble since the start.
    fileprivate var secondsSinceTrouble: Int? {
        source.lastTrouble.map { max(0, Int(unixSeconds - $0.unixSeconds)) }
    }
}

extension History.Totals {
    /// Requests of apps.
    var sum: Int { outcomes.reduce(0, +) }

    /// Hits of hits and misses, in percent.
    var ratio: String {
        let ratio = HitRatio { outcomes[$0.rawValue] }
        return Figure.percent(ratio.hits, of: ratio.hits + ratio.misses)
    }

    /// Requests by HTTP/2; nothing where there were none.
    var byHTTP2: String {
        http2 > 0 ? ", \(Figure.percent(min(http2, sum), of: sum)) by HTTP/2" : ""
    }
}

extension DashboardView {
    /// The view as the script reads it.
    var json: JSON {
        func object<Value>(_ members: [String: Value], _ value: (Value) -> JSON) -> JSON {
            .object(pairs: members.sorted { $0.key < $1.key }.map { ($0.key, value($0.value)) })
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
        case .outcome(let outcome): ["outcome": .string(outcome.name), "title": .string(outcome.meaning)]
        case .explain(let target): ["explain": .string(target)]
        }
    }
}
