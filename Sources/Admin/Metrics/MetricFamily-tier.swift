import Tier

// Metrics of the shared tier; none without one.

extension MetricFamily {
    static let sharing: [MetricFamily] = [
        tierCounter("refrain_tier_lookups_total", "Lookups in the shared tier") { $0[.looks] },
        MetricFamily.counter(
            "refrain_tier_results_total", labels: ["result"],
            "Results of lookups that found an entry, a pending fetch, or an error"
        ) { input in
            input.tier.map { tier in results.map { Sample(tier[$0], [$0.text]) } } ?? []
        },
        tierCounter("refrain_tier_put_total", "Answers stored in the shared tier") { $0[.put] },
        tierCounter("refrain_tier_commands_total", "Commands sent to the engine of the shared tier") {
            $0.sum(\.commands)
        },
        tierCounter("refrain_tier_failures_total", "Pipelines of commands that failed") {
            $0.sum(\.failures)
        },
        tierCounter("refrain_tier_timeouts_total", "Pipelines of commands that timed out") { $0.sum(\.timeouts) },
        tierCounter("refrain_tier_reconnects_total", "Reconnects to the engine") {
            $0.sum(\.reconnects)
        },
        MetricFamily(
            name: "refrain_tier_latency_seconds", kind: .summary, labels: [],
            help: "Time from sending the commands of a request to the last reply"
        ) { input in
            input.tier.map { tier in
                [
                    Sample(tier.latencySum / .seconds(1), suffix: "_sum"),
                    Sample(Double(tier.latencyCount), suffix: "_count"),
                ]
            } ?? []
        },
        tierGauge("refrain_tier_waiting", "Pipelines that wait for a connection or their replies") {
            Double($0.sum(\.waiting))
        },
        tierGauge("refrain_tier_connected", "Loops connected to the engine") {
            Double($0.connected)
        },
        tierGauge(
            "refrain_tier_breaker_open",
            "Loops with an open circuit breaker: one probe a second"
        ) {
            Double($0.breakersOpen)
        },
        tierGauge("refrain_tier_purge_log_lag", "Purges read from the log and not yet applied here") {
            Double($0.sharing.lag)
        },
        tierGauge("refrain_tier_clock_skew_seconds", "Clock of this machine minus the engine's") {
            $0.skew.map { $0 / 1000 }
        },
        tierGauge("refrain_tier_nodes", "Nodes with a heartbeat within a day, this one included") {
            Double($0.sharing.nodes.count)
        },
        tierGauge("refrain_tier_nodes_alive", "Nodes with a heartbeat within ten seconds") {
            Double($0.sharing.aliveCount)
        },
        tierGauge("refrain_tier_namesake", "1 if another process uses the name of this node") {
            $0.sharing.namesake == nil ? 0 : 1
        },
        tierGauge("refrain_tier_ready", "1 if all purges of other nodes are applied here") {
            $0.sharing.standing == .ready ? 1 : 0
        },
    ]

    /// Results of a question, beside none.
    private static let results = TierCounters.Name.allCases.filter { $0 != .looks && $0 != .put }

    private static func tierCounter(
        _ name: String, _ help: String, _ value: @escaping @Sendable (TierFigures) -> Int
    ) -> MetricFamily {
        MetricFamily.counter(name, help) { input in input.tier.map { [Sample(value($0))] } ?? [] }
    }

    private static func tierGauge(
        _ name: String, _ help: String, _ value: @escaping @Sendable (TierFigures) -> Double?
    ) -> MetricFamily {
        MetricFamily.gauge(name, help) { input in input.tier.flatMap(value).map { [Sample($0)] } ?? [] }
    }
}
