import AppleMusic
import Cache
import Compose
import Freshness
import Glibc
import Proxy
import Purging
import Server
import Store
import Text
import Upstream

// The figures of `/stats` besides the plain counters, which `top` and the dashboard show. Names of
// members are part of the interface.

/// The figures of a moment that `/stats`, the dashboard and `/metrics` show.
struct Observations {
    let source: StatisticsSource
    let breakdown: StorageBreakdown
    let reloads: ReloadStatus.Snapshot
    let history: History
    let version: String
    let unixSeconds: Int64
    /// Unix seconds.
    let startedAt: Int64
    /// Nil where there is no shared tier.
    var tier: TierFigures?
    var spending = SpendingReport()
    /// Counts of the last seconds.
    var recent = CountWindow(counts: History.Totals())
    /// Counts from the start to now.
    var totals = History.Totals()
    /// How long hits and misses took in the last hour.
    var latencies = LatencySides()
    var availability = AdminSources.Availability()
    var certificateFiles: [CertificateFileStatus] = []
    /// Refused calls of the admin listener, by reason.
    var adminRefusals = AdminRefusalReason.allCases.map { _ in 0 }
    /// Looked at for `/metrics` alone.
    var process = ProcessFigures()
    /// Space on the disk of the cache file; looked at for `/metrics` alone.
    var cacheDisk: DiskSpace?

    private static let listed = 20

    /// Counts of a window that ends now.
    func sum(_ window: HistoryWindow) -> History.Totals { history.sum(window, totals) }

    /// The answer of `/stats`, and the `stats` events of `/events`: the counters, then everything
    /// else.
    var json: [UInt8] {
        var object = source.counters
        object.append("upstream_saved", .integer(savings[.saved]))
        for (name, value) in members { object.append(name, value) }
        return JSON.object(object).bytes + [UInt8(ascii: "\n")]
    }

    /// In the order in which `/stats` has them.
    private var members: KeyValuePairs<String, JSON> {
        [
            "version": .string(version),
            "pid": .integer(Int(getpid())),
            "time": .integer(Int(unixSeconds)),
            "started_at": .integer(Int(startedAt)),
            "developer_token_expires": source.developerTokenEnd(at: unixSeconds).map { .integer(Int($0)) } ?? .null,
            "developer_token_refused_at": source.developerTokenRefusal.map { .integer(Int($0)) } ?? .null,
            "developer_token_refused": .bool(source.refusesDeveloperToken(at: unixSeconds)),
            "certificate_expires": source.tls()?.certificateEnd.map { .integer(Int($0)) } ?? .null,
            "certificate_sha256": source.tls()?.fingerprint.json ?? .null,
            "outcomes": outcomes,
            "answers": answers.json,
            "hit_ratio": hitRatio.map { .number(String($0)) } ?? .null,
            "savings": savings.json,
            "latency": latency,
            "not_composed": notComposed,
            "refused_by_limit": source.connections.refusals.byLimitJSON,
            "tls_handshakes_failed": source.connections.refusals.byHandshakeFailureJSON,
            "upstream_by_status": upstreamByStatus,
            "upstream_latency": upstreamLatency,
            "spending": spending.json,
            "top_misses": .array(source.mostCostly(limit: Self.listed).map(\.json)),
            "top_targets": .array(source.mostAsked(limit: Self.listed).map(\.json)),
            "top_targets_sampling": .integer(HotTargets.sampling),
            "storage": .object(members: [
                "file": .array(breakdown.file.map(json)), "memory": .array(breakdown.memory.map(json)),
            ]),
            "tier": tier?.json ?? .null,
            "clients": .array(source.clients().map(\.json)),
            "recording": source.recording.json,
            "config": config,
            "history": history.json,
        ]
    }

    private var outcomes: JSON {
        .object(pairs: Outcome.allCases.map { ($0.name, .integer(source.latency($0).count)) })
    }

    /// By the rule that was tried, and by its miss reason.
    private var notComposed: JSON {
        let counts = source.notComposed
        return .object(
            pairs: Refusal.Rule.allCases.map { rule in
                let own = counts.filter { $0.rule == rule }
                return (rule.word, .object(pairs: own.map { ($0.reason.word, .integer($0.count)) }))
            })
    }

    private var savings: OriginSavings { totals.savings }

    /// Answers to clients since the start.
    var answers: AnswerCounts { source.answers }

    /// Hits of hits and misses since the start; nil without any.
    var hitRatio: Double? { HitRatio { totals.outcomes[$0.rawValue] }.shown }

    private var latency: JSON {
        Self.object(Outcome.allCases.map { ($0.name, source.latency($0)) })
    }

    private var upstreamByStatus: JSON {
        let counts = source.upstreamRequests.sorted {
            ($0.key.priority.rawValue, $0.key.status ?? 0) < ($1.key.priority.rawValue, $1.key.status ?? 0)
        }
        return .array(
            counts.map { kind, count in
                .object(members: [
                    "priority": .string(kind.priority.name), "status": kind.status.map(JSON.integer) ?? .null,
                    "count": .integer(count),
                ])
            })
    }

    private var upstreamLatency: JSON {
        Self.object(UpstreamPriority.allCases.map { ($0.name, source.upstreamLatency($0)) })
    }

    /// By name; those of which nothing was counted are left out.
    private static func object(_ latencies: [(name: String, counts: LatencyCounts)]) -> JSON {
        .object(pairs: latencies.filter { $0.counts.count > 0 }.map { ($0.name, $0.counts.json) })
    }

    private func json(_ part: StorageBreakdown.Part) -> JSON {
        .object(members: [
            "class": .string(ResourceClass.name(ofTag: part.classTag)), "storefront": .string(part.storefront),
            "entries": .integer(part.entries),
            "bytes": .integer(part.bytes),
        ])
    }

    private var config: JSON {
        .object(members: [
            "reloads": .integer(reloads.succeeded), "failed_reloads": .integer(reloads.failed),
            "last_success": reloads.lastSuccess.map { .integer(Int($0)) } ?? .null,
            "last_failure": reloads.lastFailure.map(JSON.string) ?? .null,
            "failed_upgrades": .integer(reloads.failedUpgrades),
            "last_failed_upgrade": reloads.lastFailedUpgrade.map(JSON.string) ?? .null,
            "ttl_speed": .integer(source.ttlSpeed()),
        ])
    }
}

extension StatisticsSource {
    /// The counters as `/stats` gives them: every member an integer but `reasons`, an object of
    /// integers.
    fileprivate var counters: JSONObject {
        var object = JSONObject()
        for counter in Counter.allCases { object.append(counter.name, .integer(self[counter])) }
        // The word means the same here as among the outcomes.
        object.append(Outcome.composed.name, .integer(latency(.composed).count))
        let (upstream, store, purges) = (self.upstream, self.store, self.purges)
        let others: KeyValuePairs<String, Int> = [
            // Every member is an integer: 0 says that nothing limits the rate.
            "upstream_rate": upstream.rate ?? 0,
            "upstream_in_flight": upstream.inFlight,
            "upstream_waiting": upstream.waiting,
            "forms_resting": restingForms(),
            "headers_refused": connections.refusedHeaderCount,
            "connections": connections.count,
            "tls_handshakes": connections.refusals.handshakes,
            "entries": entries,
            "cache_bytes": cacheBytes,
            // 0 says that there is no cache file.
            "cache_limit_bytes": cacheLimit ?? 0,
            "memory_bytes": memoryBytes,
            "memory_limit_bytes": memoryLimit,
            "store_written": store.written,
            "store_evicted": store.evicted,
            "store_dropped": store.dropped,
            "store_failures": store.failedTransactions + store.failedReads,
            "store_damaged": store.damaged,
            "store_checked": store.checked,
            "store_lost": store.lost,
            "purges_remembered": purges.count,
            "purges_pending": purges.pending,
            "purges_forgotten": purges.forgettings,
            "purges_widened": purges.widenings,
        ]
        for (name, number) in others { object.append(name, .integer(number)) }
        let reasons = Reason.allCases.map { ($0.text, JSON.integer(self[because: $0])) }
        object.append("reasons", .object(pairs: reasons))
        return object
    }
}

extension Purges {
    /// How many have not been applied to everything that is held. Look-ups apply them until then.
    var pending: Int { Int(max(0, newest - swept)) }
}

extension LatencyCounts {
    /// Microseconds throughout; `buckets` are pairs of a bucket's end and how many are in it, empty
    /// ones left out.
    var json: JSON {
        func microseconds(_ nanoseconds: Int?) -> JSON { .number(String(Double((nanoseconds ?? 0) / 100) / 10)) }
        return .object(members: [
            "count": .integer(count), "mean_us": microseconds(count > 0 ? nanoseconds / count : 0),
            "p50_us": microseconds(quantile(0.5)), "p90_us": microseconds(quantile(0.9)),
            "p99_us": microseconds(quantile(0.99)), "p999_us": microseconds(quantile(0.999)),
            "buckets": .array(occupied.map { .array([microseconds($0.end), .integer($0.count)]) }),
        ])
    }
}

extension AnswerCounts {
    /// By status, by class, and by outcome and class, which leaves out those without answers.
    fileprivate var json: JSON {
        func object(_ classes: [Int]) -> JSON {
            .object(pairs: zip(Self.classes, classes).map { ($0, .integer($1)) })
        }
        let rows = Outcome.allCases.map { ($0.name, byClass($0)) } + [("preflight", byClass(nil))]
        let outcomes = rows.filter { $0.1.contains { $0 > 0 } }.map { ($0.0, object($0.1)) }
        return .object(members: [
            "statuses": .object(pairs: byStatus.map { ($0.name, .integer($0.count)) }), "classes": object(byClass),
            "outcomes": .object(pairs: outcomes),
        ])
    }
}

extension OriginSavings {
    /// `{"without_proxy":N,"sent":N,"saved":N,"hits":N,...,"extra":N}`
    fileprivate var json: JSON {
        .object(pairs: Figure.allCases.map { ($0.name, .integer(self[$0])) })
    }
}

extension HotTargets.Target {
    var json: JSON {
        .object(members: [
            "target": .string(target), "count": .integer(Int(clamping: count.rounded())),
            "seconds": .number(String((seconds * 1000).rounded() / 1000)),
            "reason": reason.map { .string($0.text) } ?? .null,
        ])
    }
}

extension Client {
    var json: JSON {
        .object(members: [
            "name": .string(name), "requests": .integer(requests), "refused": .integer(refused),
            "limited": .integer(limited), "bytes": .integer(bytes), "rate": rate.map(JSON.integer) ?? .null,
            "answers": .object(
                pairs: AnswerCounts.classes.enumerated().map { ($1, .integer(answers(ofClass: $0 + 1))) }),
        ])
    }
}

extension LiveFeed.Event {
    var json: JSON {
        func microseconds(_ nanoseconds: Int64) -> JSON { .integer(Int(nanoseconds / 1000)) }
        return .object(members: [
            "time": .integer(Int(unixSeconds)), "http2": .bool(isHTTP2), "method": .string(method),
            "target": .string(target),
            "status": .integer(status), "bytes": .integer(bytes), "outcome": .string(outcome.name),
            "reason": .string(words), "us": microseconds(nanoseconds),
            "upstream_us": upstreamNanoseconds.map(microseconds) ?? .null,
            "upstream_requests": .integer(upstreamRequests), "client": client.map(JSON.string) ?? .null,
        ])
    }
}

extension UpstreamPriority {
    /// The word in statistics and metrics.
    var name: String {
        switch self {
        case .refresh: "refresh"
        case .revalidation: "revalidation"
        case .waitingClient: "client"
        }
    }
}
