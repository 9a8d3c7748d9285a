import AppleMusic
import Cache
import Proxy

// The rows of the page's tables. The columns are those of `page.html`.

extension DashboardView {
    /// Of lists that could be long.
    static let mostRows = 20

    func outcomeRows(_ moment: Moment) -> [[Cell]] {
        let hour = moment.hour
        return Outcome.allCases.map { outcome in
            let latency = moment.observations.source.latency(outcome)
            let count = hour.outcomes[outcome.rawValue]
            return [
                .outcome(outcome), .text(Figure.count(count)), .text(Figure.percent(count, of: hour.sum)),
                .text(Figure.count(latency.count)), .text(Figure.time(nanoseconds: latency.quantile(0.5))),
                .text(Figure.time(nanoseconds: latency.quantile(0.99))), .text(outcome.meaning),
            ]
        }
    }

    func originRows(_ moment: Moment) -> [[Cell]] {
        let source = moment.observations.source
        let upstream = source.upstream
        let rows: [(String, String)] = [
            ("rate allowed", upstream.rate.map { Figure.count($0) + "/s" } ?? "no limit known"),
            ("in flight", Figure.count(upstream.inFlight)),
            ("waiting for their turn", Figure.count(upstream.waiting)),
            ("429s, since start", Figure.count(source[.rateLimited])),
            ("waited, since start", Figure.count(source[.queued])),
            ("turned away, since start", Figure.count(source[.queueRefused])),
            ("errors of the origin, since start", Figure.count(source[.upstreamErrors])),
        ]
        return rows.map { [.text($0.0), .text($0.1)] }
    }

    func missRows(_ moment: Moment) -> [[Cell]] {
        moment.observations.source.mostCostly(limit: Self.mostRows).map { target in
            [
                .explain(target.target), .text(Figure.time(nanoseconds: Int(target.seconds * 1e9))),
                .text(Figure.count(Int(target.count.rounded()))), .text(target.reason?.text ?? ""),
            ]
        }
    }

    func askedRows(_ moment: Moment) -> [[Cell]] {
        let targets = moment.observations.source.mostAsked(limit: Self.mostRows)
        let most = targets.first?.count ?? 0
        return targets.map { target in
            [
                .explain(target.target), .text(Figure.count(Int(target.count.rounded()))),
                .bar(most > 0 ? Int(target.count * 100 / most) : 0),
            ]
        }
    }

    func storageRows(_ moment: Moment) -> [[Cell]] {
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

    func clientRows(_ moment: Moment) -> [[Cell]] {
        moment.observations.source.clients.map { client in
            [
                .text(client.name), .text(Figure.count(client.requests)), .text(Figure.count(client.refused)),
                .text(Figure.count(client.limited)), .text(Figure.bytes(client.bytes)),
                .text(client.rate.map { Figure.count($0) + "/s" } ?? Figure.none),
            ]
        }
    }
}
