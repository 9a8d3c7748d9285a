import Tier

// Metrics of the shared tier; none without one.

extension MetricFamily {
    static let sharing: [MetricFamily] = [
        counter("refrain_tier_lookups_total", "Lookups in the shared tier") { one($0.tier?[.looks]) },
        counter(
            "refrain_tier_results_total", labels: ["result"],
            "Results of lookups that found an entry, a pending fetch, or an error"
        ) { input in
            input.tier.map { tier in results.map { Sample(tier[$0], [$0.text]) } } ?? []
        },
        counter("refrain_tier_put_total", "Answers that the engine of the shared tier has accepted") {
            one($0.tier?[.put])
        },
        counter("refrain_tier_put_failed_total", "Answers that the engine has refused or not confirmed") {
            one($0.tier?[.putFailed])
        },
        counter("refrain_tier_refusals_total", labels: ["kind"], "Commands that the engine has refused") { input in
            input.tier.map { tier in
                EngineRefusal.Kind.allCases.map { Sample(tier.refused[$0] ?? 0, [$0.rawValue]) }
            } ?? []
        },
        gauge("refrain_tier_refusing", "Kinds of refusals that last: no such command was accepted since") {
            one($0.tier?.sharing.refusals.count)
        },
        counter("refrain_tier_commands_total", "Commands sent to the engine of the shared tier") {
            one($0.tier?.sum(\.commands))
        },
        counter("refrain_tier_failures_total", "Pipelines of commands that failed") { one($0.tier?.sum(\.failures)) },
        counter("refrain_tier_timeouts_total", "Pipelines of commands that timed out") {
            one($0.tier?.sum(\.timeouts))
        },
        counter("refrain_tier_reconnects_total", "Reconnects to the engine") { one($0.tier?.sum(\.reconnects)) },
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
        gauge("refrain_tier_waiting", "Pipelines that wait for a connection or their replies") {
            one($0.tier?.sum(\.waiting))
        },
        gauge("refrain_tier_connected", "Loops connected to the engine", \.tier?.connected),
        gauge(
            "refrain_tier_breaker_open",
            "Loops with an open circuit breaker: one probe a second", \.tier?.breakersOpen),
        gauge("refrain_tier_purge_log_lag", "Purges read from the log and not yet applied here", \.tier?.sharing.lag),
        gauge("refrain_tier_clock_skew_seconds", "Clock of this machine minus the engine's") {
            one($0.tier?.skew.map { $0 / 1000 })
        },
        gauge(
            "refrain_tier_nodes", "Nodes with a heartbeat within a day, this one included",
            \.tier?.sharing.nodes.count),
        gauge("refrain_tier_nodes_alive", "Nodes with a heartbeat within ten seconds", \.tier?.sharing.aliveCount),
        gauge("refrain_tier_namesake", "1 if another process uses the name of this node") {
            one($0.tier.map { $0.sharing.namesake != nil })
        },
        gauge("refrain_tier_ready", "1 if all purges of other nodes are applied here") {
            one($0.tier.map { $0.sharing.readiness == .ready })
        },
    ]

    /// Results of lookups: all counters but those of lookups and of stored answers.
    private static let results = TierCounters.Name.allCases.filter { ![.looks, .put, .putFailed].contains($0) }
}
