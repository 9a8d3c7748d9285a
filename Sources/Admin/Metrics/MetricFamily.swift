import AppleMusic
import Cache
import Compose
import Freshness
import HTTP
import Proxy
import Upstream

// The metrics, and the Prometheus text format, version 0.0.4.
// Must hold: a name, its kind and its help are written down once, in `MetricFamily.table`; the
// exposition, the reference page, the dashboard and the alert rules are held to that table.

/// A metric with all its labels' values.
struct MetricFamily: Sendable {
    enum Kind: String, Sendable {
        case counter, gauge, histogram
        /// Without quantiles: a sum and a count.
        case summary
    }

    struct Sample: Sendable {
        /// After the family's name: `_bucket`, `_sum`, `_count` of a histogram, the last two
        /// of a summary.
        var suffix = ""
        /// Values of the family's labels, in their order, and then of `le`.
        var labels: [String] = []
        let value: Double

        init(_ value: Int, _ labels: [String] = []) {
            self.value = Double(value)
            self.labels = labels
        }

        init(_ value: Double, _ labels: [String] = [], suffix: String = "") {
            self.value = value
            self.labels = labels
            self.suffix = suffix
        }
    }

    /// Counters end in `_total`; units are the last word (seconds, bytes).
    let name: String
    let kind: Kind
    /// Names of the labels.
    let labels: [String]
    /// The metric's help: a sentence without a full stop.
    let help: String
    let samples: @Sendable (Observations) -> [Sample]

    static func counter(
        _ name: String, labels: [String] = [], _ help: String, _ samples: @escaping @Sendable (Observations) -> [Sample]
    ) -> MetricFamily {
        MetricFamily(name: name, kind: .counter, labels: labels, help: help, samples: samples)
    }

    static func gauge(
        _ name: String, labels: [String] = [], _ help: String, _ samples: @escaping @Sendable (Observations) -> [Sample]
    ) -> MetricFamily {
        MetricFamily(name: name, kind: .gauge, labels: labels, help: help, samples: samples)
    }

    /// The lines of this metric, with help and type in front. Nothing where there is no sample.
    func append(_ input: Observations, to text: inout String) {
        let samples = samples(input)
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        let names = labels + (kind == .histogram ? ["le"] : [])
        for sample in samples {
            text += name + sample.suffix
            let pairs = zip(names, sample.labels).map { "\($0)=\"\(Self.escaped($1))\"" }
            if !pairs.isEmpty { text += "{" + pairs.joined(separator: ",") + "}" }
            text += " \(Self.spelling(of: sample.value))\n"
        }
    }

    /// A label's value: backslash, quotation mark and line end are escaped.
    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    static func spelling(of value: Double) -> String {
        if value == .infinity { return "+Inf" }
        if value == value.rounded(), abs(value) < 1e15 { return String(Int(clamping: value)) }
        return String(value)
    }
}

extension MetricFamily {
    /// Every metric there is, in the order in which they are exposed.
    static let table: [MetricFamily] =
        requests + answers + connections + origin + savings + composition + sharing + storage + clients
        + configuration + recording
        + process

    // MARK: Requests of apps

    private static let requests: [MetricFamily] = [
        counter("refrain_requests_total", labels: ["outcome"], "Client requests") { input in
            Outcome.allCases.map { Sample(input.source.latency($0).count, [$0.name]) }
        },
        histogram(
            "refrain_request_duration_seconds", labels: ["outcome"],
            "Time from the complete request to its answer"
        ) { input in Outcome.allCases.map { ([$0.name], input.source.latency($0)) } },
        counter(
            "refrain_reasons_total", labels: ["reason"],
            "Requests by reason; a plain hit has none"
        ) { input in Reason.allCases.map { Sample(input.source[because: $0], [$0.text]) } },
        counter("refrain_http2_requests_total", "Requests received over HTTP/2", .http2Requests),
        counter("refrain_hits_total", "Requests answered without waiting for the origin, stale ones included", .hits),
    ]

    // MARK: The origin

    private static let origin: [MetricFamily] = [
        counter(
            "refrain_upstream_requests_total", labels: ["priority", "status"],
            "Completed requests to the origin (status none: no answer)"
        ) { input in
            input.source.upstreamRequests.sorted { $0.key.order < $1.key.order }.map { kind, count in
                Sample(count, [kind.priority.name, kind.status.map(String.init) ?? "none"])
            }
        },
        counter(
            "refrain_upstream_sent_total", "Requests sent to the origin, retries included", .upstreamRequests),
        counter(
            "refrain_upstream_sent_by_class_total", labels: ["class", "purpose"],
            "Requests sent to the origin"
        ) { input in
            input.spending.pairs.map { Sample($0.count, [$0.resourceClass.name, $0.purpose.name]) }
        },
        counter(
            "refrain_upstream_sent_by_route_total", labels: ["route"], "Requests sent to the origin"
        ) { input in
            input.spending.rows(.route).map { Sample($0.sinceStart, [$0.name.text]) }
        },
        counter(
            "refrain_upstream_sent_by_client_total", labels: ["kind", "client"],
            "Requests sent to the origin; all networks count as one"
        ) { input in
            let rows = input.spending.rows(.client)
            // The address of each visitor would be a label, and one that loses its row would count
            // from nothing again.
            let networks = rows.filter(\.name.isOfNetworks).reduce(0) { $0 + $1.sinceStart }
            let others = rows.filter { !$0.name.isOfNetworks }
            return others.map { Sample($0.sinceStart, [$0.name.kind ?? "", $0.name.text]) }
                + (networks > 0 ? [Sample(networks, ["network", "all networks"])] : [])
        },
        histogram(
            "refrain_upstream_duration_seconds", labels: ["priority"], "Time that the origin took to answer"
        ) { input in UpstreamPriority.allCases.map { ([$0.name], input.source.upstreamLatency($0)) } },
        counter("refrain_upstream_errors_total", "Requests to the origin without a usable answer", .upstreamErrors),
        counter(
            "refrain_upstream_uncacheable_total", "Answers of the origin that its own fields kept from being stored",
            .uncacheable),
        counter(
            "refrain_upstream_refresh_refused_total",
            "Refreshes that the origin refused with a 4xx: the stored answer stays", .refreshRefused),
        counter("refrain_upstream_rate_limited_total", "429 answers of the origin", .rateLimited),
        counter("refrain_upstream_retried_total", "Requests sent to the origin again after a 429", .retried),
        counter("refrain_upstream_queued_total", "Requests queued for the origin", .queued),
        counter(
            "refrain_upstream_share_waits_total",
            "Requests queued while a connection was free: their client or network had its share", .lackedShare),
        counter("refrain_upstream_queue_refused_total", "Requests refused: the queue was full", .queueRefused),
        gauge("refrain_upstream_in_flight", "Requests in flight to the origin", \.source.upstream.inFlight),
        gauge("refrain_upstream_waiting", "Requests waiting in the queue for the origin", \.source.upstream.waiting),
        gauge("refrain_upstream_rate_limit", "Limit on requests a second to the origin; +Inf: none") {
            one($0.source.upstream.rate.map(Double.init) ?? .infinity)
        },
        gauge("refrain_developer_token_expiry_timestamp_seconds", "Expiry of the developer token in use") {
            one($0.source.developerTokenEnd(at: $0.unixSeconds))
        },
        gauge(
            "refrain_developer_token_file_expiry_timestamp_seconds",
            "Expiry of the developer token of developer_token_file"
        ) { one($0.source.readyToken(at: $0.unixSeconds)?.expires) },
        gauge("refrain_certificate_expiry_timestamp_seconds", "Expiry of the certificate of the TLS listeners") {
            one($0.source.tls()?.certificateEnd)
        },
        gauge(
            "refrain_certificate_outdated", labels: ["directive", "file"],
            "1 while a file of certificates has changed since it was loaded"
        ) { input in input.certificateFiles.map { Sample($0.isOutdated ? 1 : 0, [$0.directive, $0.path]) } },
    ]

    // MARK: Composing

    private static let composition: [MetricFamily] = [
        counter("refrain_built_total", "Answers composed from stored parts; each may be served many times", .built),
        counter("refrain_collapsed_total", "Requests answered by another request's fetch from the origin", .collapsed),
        counter("refrain_shared_total", "Answers fetched by another node's request", .shared),
        counter("refrain_revalidated_total", "Stored answers that the origin confirmed with a 304", .revalidated),
        counter("refrain_contradictions_total", "Answers that contradicted the learned form", .contradictions),
        counter("refrain_verified_total", "Composed answers compared with the origin's", .verified),
        counter("refrain_verify_mismatches_total", "Composed answers that were wrong", .verifyMismatches),
        counter(
            "refrain_verifications_total", labels: ["result"],
            "Verifications of composed answers"
        ) { input in input.source.verifications.map { Sample($0.count, ["\($0.result)"]) } },
        counter(
            "refrain_not_composed_total", labels: ["rule", "reason"],
            "Requests to the origin whose answer could not be composed"
        ) { input in
            input.source.notComposed.map { Sample($0.count, [$0.rule.word, $0.reason.word]) }
        },
        counter(
            "refrain_compression_skipped_total", "Answers sent uncompressed: too many waited to be compressed",
            .compressionSkipped),
        gauge("refrain_forms_resting", "Forms in which composing is suspended") { one($0.source.restingForms()) },
    ]

    // MARK: Storage

    private static let storage: [MetricFamily] = [
        counter("refrain_stored_total", "Answers stored in the cache", .stored),
        gauge("refrain_cache_entries", labels: ["tier", "class"], "Stored answers, as of the last minute") { input in
            input.byClass(\.entries)
        },
        gauge("refrain_cache_bytes", labels: ["tier", "class"], "Bytes of stored answers, as of the last minute") {
            input in
            input.byClass(\.bytes)
        },
        gauge(
            "refrain_cache_file_origin_entries", labels: ["upstream"],
            "Stored answers in the cache file by the upstream that gave them, as of the last minute"
        ) { input in
            input.breakdown.origins.map { Sample($0.entries, [$0.name]) }
        },
        gauge("refrain_cache_file_entries", "Stored answers in the cache file", \.source.store.entries),
        gauge("refrain_cache_file_bytes", "Bytes of stored answers in the cache file", \.source.cacheBytes),
        gauge(
            "refrain_cache_file_limit_bytes", "Limit on the cache file: answers, indexes and log (cache_size)",
            \.source.cacheLimit),
        gauge(
            "refrain_cache_memory_bytes", "Bytes of stored answers in memory, bookkeeping included",
            \.source.memoryBytes),
        gauge("refrain_cache_memory_limit_bytes", "Limit on refrain_cache_memory_bytes", \.source.memoryLimit),
        counter("refrain_cache_evicted_total", labels: ["tier"], "Answers evicted to free space") { input in
            [Sample(input.source.store.evicted, ["file"]), Sample(input.source.memoryEvicted, ["memory"])]
        },
        counter("refrain_cache_file_written_total", "Answers written to the cache file", \.source.store.written),
        counter(
            "refrain_cache_file_dropped_total", "Answers not written to the cache file: queue full, or too large",
            \.source.store.dropped),
        counter("refrain_cache_file_failures_total", "Failed reads and transactions of the cache file") {
            one($0.source.store.failedReads + $0.source.store.failedTransactions)
        },
        counter(
            "refrain_cache_file_damaged_total", "Rows with a wrong checksum, and damaged files set aside",
            \.source.store.damaged),
        counter(
            "refrain_cache_file_checked_total", "Rows examined by the background check",
            \.source.store.checked),
        gauge(
            "refrain_cache_file_lost", "Answers lost with unreadable parts of the cache file",
            \.source.store.lost),
        gauge(
            "refrain_cache_file_available", "1 if the cache file can be read and written, or is off",
            \.source.isStoreAvailable),
        gauge("refrain_purges_remembered", "Purges that answers are compared with", \.source.purges.count),
        gauge(
            "refrain_purges_pending", "Purges that have not been applied to all stored answers yet",
            \.source.purges.pending),
        counter(
            "refrain_purges_forgotten_total", "Times that the oldest purges were forgotten: too many to remember",
            \.source.purges.forgettings),
        counter(
            "refrain_purges_widened_total", "Times that too many pending purges or removals became one of everything",
            \.source.purges.widenings),
        gauge("refrain_cache_disk_free_bytes", "Free bytes on the disk of the cache file", \.cacheDisk?.freeBytes),
        gauge("refrain_cache_disk_bytes", "Size of the disk of the cache file", \.cacheDisk?.byteCount),
    ]

    // MARK: Shapes

    private static func counter(_ name: String, _ help: String, _ counter: Counter) -> MetricFamily {
        MetricFamily.counter(name, help) { one($0.source[counter]) }
    }

    static func counter<Value: MetricValue>(
        _ name: String, _ help: String, _ value: KeyPath<Observations, Value> & Sendable
    ) -> MetricFamily {
        counter(name, help) { one($0[keyPath: value]) }
    }

    static func gauge<Value: MetricValue>(
        _ name: String, _ help: String, _ value: KeyPath<Observations, Value> & Sendable
    ) -> MetricFamily {
        gauge(name, help) { one($0[keyPath: value]) }
    }

    /// The sample without labels; none where there is no value.
    static func one(_ value: some MetricValue) -> [Sample] { value.number.map { [Sample($0)] } ?? [] }

    private static func histogram(
        _ name: String, labels: [String], _ help: String,
        _ counts: @escaping @Sendable (Observations) -> [(labels: [String], counts: LatencyCounts)]
    ) -> MetricFamily {
        MetricFamily(name: name, kind: .histogram, labels: labels, help: help) { input in
            counts(input).flatMap { labels, counts in buckets(counts, labels) }
        }
    }

    /// 1, 2 and 5 of each decade from 10 us to 50 s, in nanoseconds.
    private static let bounds = sequence(first: Int64(10_000)) { $0 * 10 }.prefix(7).flatMap { [$0, 2 * $0, 5 * $0] }

    private static func buckets(_ counts: LatencyCounts, _ labels: [String]) -> [Sample] {
        var samples = bounds.map { bound in
            Sample(
                Double(counts.count(belowNanoseconds: bound)),
                labels + [MetricFamily.spelling(of: Double(bound) / 1e9)], suffix: "_bucket")
        }
        let count = Double(counts.count)
        samples.append(Sample(count, labels + ["+Inf"], suffix: "_bucket"))
        samples.append(Sample(Double(counts.nanoseconds) / 1e9, labels, suffix: "_sum"))
        samples.append(Sample(count, labels, suffix: "_count"))
        return samples
    }
}

extension Observations {
    /// The metrics in the Prometheus text format.
    var metrics: String {
        var text = ""
        for family in MetricFamily.table { family.append(self, to: &text) }
        return text
    }

    /// By tier and class, over all storefronts.
    fileprivate func byClass(_ figure: KeyPath<StorageBreakdown.Part, Int>) -> [MetricFamily.Sample] {
        [("file", breakdown.file), ("memory", breakdown.memory)].flatMap { tier, parts in
            var sums: [UInt8: Int] = [:]
            for part in parts { sums[part.classTag, default: 0] += part[keyPath: figure] }
            return sums.sorted { $0.key < $1.key }.map { tag, sum in
                MetricFamily.Sample(sum, [tier, ResourceClass.name(ofTag: tag)])
            }
        }
    }
}

extension SpendingReport.Name {
    fileprivate var isOfNetworks: Bool { kind == "network" || kind == "others" }
}

extension UpstreamStatistics.Kind {
    fileprivate var order: (Int, Int) { (-priority.rawValue, status ?? 0) }
}
