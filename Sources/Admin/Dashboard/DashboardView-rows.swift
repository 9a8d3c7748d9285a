import AppleMusic
import Cache
import Freshness
import Proxy
import Text
import Tier

// The rows of the page's tables. The columns are those of `page.html`.

extension DashboardView {
    private static let mostRows = 20
    /// Most rows of each axis of the requests to the origin.
    private static let mostSpenders = 8

    func outcomeRows(_ moment: Observations, _ window: HistoryWindow) -> [[Cell]] {
        let all = moment.sum(window)
        return Outcome.allCases.map { outcome in
            let latency = moment.source.latency(outcome)
            let count = all.outcomes[outcome.rawValue]
            return [
                .outcome(outcome), .text(Figure.count(count)), .text(Figure.percent(count, of: all.sum)),
                .text(Figure.count(moment.totals.outcomes[outcome.rawValue])),
                .text(Self.time(latency, 0.5)), .text(Self.time(latency, 0.99)), .text(outcome.meaning),
            ]
        }
    }

    /// Classes of statuses, each followed by its statuses, which are counted since the start alone.
    func statusRows(_ moment: Observations, _ window: HistoryWindow) -> [[Cell]] {
        let (recent, statuses) = (moment.sum(window).classes, moment.answers.byStatus)
        let all = (recent: recent.reduce(0, +), ever: moment.totals.classes.reduce(0, +))
        return AnswerCounts.classes.enumerated().flatMap { index, name -> [[Cell]] in
            let ever = moment.totals.classes[index]
            guard ever > 0 else { return [] }
            let head = [
                name, Figure.count(recent[index]), Figure.percent(recent[index], of: all.recent), Figure.count(ever),
                Figure.percent(ever, of: all.ever),
            ]
            let own = statuses.filter { $0.name.first == name.first && $0.name != name }.map { status in
                [status.name, "", "", Figure.count(status.count), Figure.percent(status.count, of: all.ever)]
            }
            return ([head] + own).map { $0.map { .text($0) } }
        }
    }

    /// Requests that Apple would have got, got, and was spared.
    func savingsRows(_ moment: Observations, _ window: HistoryWindow) -> [[Cell]] {
        let (recent, ever) = (moment.sum(window).savings, moment.totals.savings)
        return OriginSavings.Figure.allCases.map { figure in
            let counts = [recent, ever].flatMap { savings in
                [Figure.count(savings[figure]), Figure.percent(savings[figure], of: savings[.withoutProxy])]
            }
            return ([figure.text] + counts).map { .text($0) }
        }
    }

    func originRows(_ moment: Observations) -> [[Cell]] {
        let source = moment.source
        let upstream = source.upstream
        let rows = [
            ("requests a second allowed", upstream.rate.map { Figure.count($0) + "/s" } ?? "off: no limit"),
            ("in flight", Figure.count(upstream.inFlight)), ("waiting in the queue", Figure.count(upstream.waiting)),
            ("waited, since start", Figure.count(source[.queued])),
            ("refused (503), since start", Figure.count(source[.queueRefused])),
        ]
        return rows.map { [.text($0.0), .text($0.1)] }
    }

    /// The largest rows of each axis.
    func spendingRows(_ report: SpendingReport, _ window: HistoryWindow) -> [[Cell]] {
        SpendingAxis.allCases.flatMap { axis in
            report.rows(axis, in: window).prefix(Self.mostSpenders).map { row in
                let count = row.windows[window] ?? 0
                return [
                    .text(axis.rawValue), .text(row.name.text), .text(Figure.count(count)),
                    .text(Figure.percent(count, of: report.total(window))),
                    .text(Figure.steadyRate(report.perSecond(row))), .text(Figure.count(row.sinceStart)),
                ]
            }
        }
    }

    /// Failures and refusals of the origin: a 404 is an answer like others.
    func errorRows(_ moment: Observations) -> [[Cell]] {
        var counts: [Int: Int] = [:]
        for (kind, count) in moment.source.upstreamRequests {
            counts[kind.status ?? 0, default: 0] += count
        }
        return counts.sorted { $0.key < $1.key }.compactMap { status, count in
            Self.meaning(ofError: status).map { meaning in
                [.text(status == 0 ? Figure.none : "\(status)"), .text(meaning), .text(Figure.count(count))]
            }
        }
    }

    /// - Parameter status: 0: no answer came. nil: it is no error of the origin's.
    private static func meaning(ofError status: Int) -> String? {
        switch status {
        case 0: "no answer: connection refused, closed early or timed out"
        case 401: "developer token refused"
        case 403: "forbidden: check the developer token and the user token"
        case 429: "too many requests"
        case 404, 410, 451: nil
        case 400: "invalid request; ttl bad-request stores answers that name a path or parameter"
        case 400..<500: "client error, not stored; see the log for the target"
        case 500...: "server error of the origin"
        default: nil
        }
    }

    static func time(_ counts: LatencyCounts, _ share: Double) -> String {
        Figure.steadyTime(nanoseconds: counts.quantile(share))
    }

    func missRows(_ moment: Observations) -> [[Cell]] {
        moment.source.mostCostly(limit: Self.mostRows).map { target in
            [
                .explain(target.target), .text(Figure.steadyTime(nanoseconds: Int(clamping: target.seconds * 1e9))),
                .text(Figure.count(Int(clamping: target.count.rounded()))), .text(target.reason?.text ?? ""),
            ]
        }
    }

    func askedRows(_ moment: Observations) -> [[Cell]] {
        moment.source.mostAsked(limit: Self.mostRows).map { target in
            [.explain(target.target), .text(Figure.count(Int(clamping: target.count.rounded())))]
        }
    }

    func storageRows(_ moment: Observations) -> [[Cell]] {
        let breakdown = moment.breakdown
        let parts = breakdown.memory.map { ("memory", $0) } + breakdown.file.map { ("file", $0) }
        // The count by class is ten seconds old or more; the sum above the table is not.
        guard !parts.isEmpty || moment.source.entries == 0 else {
            let word = breakdown.isFileUnreadable ? "unreadable" : "counting"
            return [[.text(word)] + Array(repeating: .text(""), count: 4)]
        }
        return parts.sorted { ($0.1.bytes, $1.0) > ($1.1.bytes, $0.0) }.prefix(2 * Self.mostRows).map { tier, part in
            [
                .text(ResourceClass.name(ofTag: part.classTag)),
                .text(part.storefront.isEmpty ? Figure.none : part.storefront), .text(tier),
                .text(Figure.count(part.entries)), .text(Figure.bytes(part.bytes)),
            ]
        }
    }

    func clientRows(_ moment: Observations) -> [[Cell]] {
        moment.source.clients().map { client in
            [
                .text(client.name), .text(Figure.count(client.requests)),
                .text(Figure.count(client.answers(ofClass: 4))),
                .text(Figure.count(client.answers(ofClass: 5))), .text(Figure.count(client.refused)),
                .text(Figure.count(client.limited)), .text(Figure.bytes(client.bytes)),
                .text(client.rate.map { Figure.count($0) + "/s" } ?? Figure.none),
            ]
        }
    }

    /// Refused requests by the reason as the log has it; those that were not read to their end have
    /// none. Then clients refused by limits, and failed handshakes. Each refusal is in one row: an
    /// answer beyond a limit is in that of the limit.
    func refusalRows(_ source: StatisticsSource) -> [[Cell]] {
        // The parts before their sum, so that none is larger.
        let reasons: [Reason] = [
            .clientKeyMissing, .clientKeyUnknown, .clientRate, .crossSite, .invalidRequest, .onlyIfCached,
        ]
        let counts = reasons.map { ($0.text, source[because: $0]) }
        let refusals = source.connections.refusals
        let answered = refusals.byLimit.reduce(0) { $0 + ($1.limit.isAnswered ? $1.count : 0) }
        let others = source[.refused] - counts.reduce(0) { $0 + $1.1 } - answered
        let limits = refusals.byLimit.map { ("limit: \($0.limit.word)", $0.count) }
        let handshakes = refusals.byHandshakeFailure.map { ("TLS handshake: \($0.kind.phrase)", $0.count) }
        return (counts + [("others: see the log", others)] + limits + handshakes).filter { $0.1 > 0 }.map {
            [.text($0.0), .text(Figure.count($0.1))]
        }
    }

    static func nodeRows(_ tier: TierFigures) -> [[Cell]] {
        tier.sharing.nodes.map { node in
            [
                .text(node.name + (node.isSelf ? " (this one)" : "")), .text(node.address), .text(node.version),
                .text(node.words(in: tier.sharing)),
                .text(node.lag.map(Figure.count) ?? Figure.none),
                .text(node.isSelf ? "now" : SpanOfTime.text(node.lastSeen) + " ago"),
            ]
        }
    }

    /// The members of an answer of the admin listener, under its own names.
    static func rows(of answer: JSON?) -> [[Cell]] {
        (answer?.rows() ?? []).map { [.text($0.name.replacing("_", with: " ")), .text($0.value)] }
    }
}
