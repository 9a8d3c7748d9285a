import Proxy

// Metrics of answers to clients, and of what the origin was spared.

extension MetricFamily {
    static let answers: [MetricFamily] = [
        counter(
            "refrain_answers_total", labels: ["status"],
            "Answers to clients, preflights included; rare statuses by class, none: the client had left"
        ) { input in
            let counts = Dictionary(uniqueKeysWithValues: input.answers.byStatus.map { ($0.name, $0.count) })
            let names = counts.merging(shownStatuses.map { ($0, 0) }) { count, _ in count }
            return names.sorted { $0.key < $1.key }.map { Sample($0.value, [$0.key]) }
        },
        counter(
            "refrain_answers_by_outcome_total", labels: ["outcome", "class"],
            "Answers to clients by outcome and class of status"
        ) { input in
            let rows = Outcome.allCases.map { ($0.name, input.answers.byClass($0)) }
            return (rows + [("preflight", input.answers.byClass(nil))]).flatMap { name, counts in
                zip(AnswerCounts.classes, counts).filter { $0.1 > 0 }.map { Sample($0.1, [name, $0.0]) }
            }
        },
        gauge("refrain_hit_ratio", "Hits of hits and misses since the start, from 0 to 1") { one($0.hitRatio) },
    ]

    /// Statuses that are shown before they occur, so that their first increase is seen.
    private static let shownStatuses = [
        "200", "304", "400", "401", "403", "404", "429", "500", "502", "503", "504",
    ]

    static let savings: [MetricFamily] = [
        counter(
            "refrain_upstream_without_proxy_total", "Requests that the origin would have got without the proxy",
            \.totals.savings[.withoutProxy]),
        counter(
            "refrain_upstream_saved_total",
            "Requests to the origin saved: refrain_upstream_without_proxy_total less refrain_upstream_sent_total",
            \.totals.savings[.saved]),
        counter(
            "refrain_upstream_saved_by_way_total", labels: ["way"],
            "Client requests that needed none to the origin"
        ) { input in OriginSavings.Figure.ways.map { Sample(input.totals.savings[$0], [$0.name]) } },
    ]

    // MARK: Clients with keys

    static let clients: [MetricFamily] = [
        counter("refrain_client_requests_total", labels: ["client"], "Requests of clients with a key") { input in
            input.source.clients().map { Sample($0.requests, [$0.name]) }
        },
        counter("refrain_client_limited_total", labels: ["client"], "Requests refused by the rate of the client") {
            input in
            input.source.clients().map { Sample($0.limited, [$0.name]) }
        },
        counter(
            "refrain_client_answers_total", labels: ["client", "class"], "Answers to the client by class of status"
        ) { input in
            input.source.clients().flatMap { client in
                AnswerCounts.classes.enumerated().map { Sample(client.answers(ofClass: $0 + 1), [client.name, $1]) }
            }
        },
        counter("refrain_client_sent_bytes_total", labels: ["client"], "Bytes of content sent to the client") { input in
            input.source.clients().map { Sample($0.bytes, [$0.name]) }
        },
    ]
}
