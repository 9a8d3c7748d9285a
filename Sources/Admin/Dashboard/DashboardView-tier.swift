import Text
import Tier

// The page's part about the shared tier and the nodes; nothing without one.

extension DashboardView {
    static func tierRows(_ tier: TierFigures) -> [[Cell]] {
        let (looks, loops) = (tier[.looks], tier.connections.count)
        let rows: [(String, String)] = [
            ("state", tier.sharing.words),
            ("found, since start", "\(Figure.count(tier[.taken])) of \(Figure.count(looks))"),
            ("waited for another node", Figure.count(tier[.waited])),
            ("put there", Figure.count(tier[.put])),
            ("not answered in time", Figure.count(tier[.unanswered])),
            ("left alone after failures", tier.breakersOpen > 0 ? "by \(tier.breakersOpen) of \(loops) loops" : "no"),
            (
                "time of an answer, mean",
                Figure.steadyTime(nanoseconds: tier.meanLatency.map { Int(clamping: $0 * 1e6) })
            ),
            ("failures, since start", Figure.count(tier.sum(\.failures))),
            ("last error", tier.lastError ?? Figure.none),
            ("purges to apply", Figure.count(tier.sharing.lag)),
            ("clock ahead of the engine's", tier.skew.map { Figure.fixed($0 / 1000, 3) + " s" } ?? Figure.none),
        ]
        let namesake = tier.sharing.namesake.map { [("another node of this name", $0)] } ?? []
        return (rows + namesake).map { [.text($0.0), .text($0.1)] }
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
}
