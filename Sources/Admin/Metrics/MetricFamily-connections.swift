import EventLoop
import Server

// Metrics of clients' connections, and of the limits that refuse them.

extension MetricFamily {
    static let connections: [MetricFamily] = [
        gauge("refrain_connections", "Client connections", \.source.connections.count),
        gauge("refrain_connections_limit", "Maximum of client connections; +Inf: none") { input in
            let most = input.source.connections.most
            return one(most == .max ? .infinity : Double(most))
        },
        counter(
            "refrain_connections_refused_total", "Client connections closed on arrival by a limit",
            \.source.connections.refusedCount),
        counter(
            "refrain_limit_refusals_total", labels: ["limit"], "Connections closed and requests refused by a limit"
        ) { input in
            ClientLimit.allCases.map { Sample(input.source.connections.refusals.count(by: $0), [$0.word]) }
        },
        counter(
            "refrain_tls_handshakes_total", labels: ["result"], "TLS handshakes with clients that ended"
        ) { input in
            let refusals = input.source.connections.refusals
            let failed = HandshakeFailure.Kind.allCases.map { Sample(refusals.failedHandshakes($0), [$0.word]) }
            return [Sample(refusals.handshakes, ["completed"])] + failed
        },
        counter(
            "refrain_proxy_headers_refused_total",
            "Connections closed for a malformed, truncated or late PROXY header",
            \.source.connections.refusedHeaderCount),
        counter(
            "refrain_http2_floods_total", "HTTP/2 connections closed beyond a frame limit"
        ) { one($0.source.connections.refusals.count(by: .http2Frames)) },
        counter(
            "refrain_tls_floods_total", "TLS connections closed for too many records without content"
        ) { one($0.source.connections.refusals.count(by: .tlsRecords)) },
        gauge(
            "refrain_request_memory_bytes", "Memory of requests being read or waiting for an answer",
            \.source.requestBudget.heldBytes),
        gauge(
            "refrain_answer_memory_bytes", "Memory of answers that slow clients have not read yet",
            \.source.answerBudget.heldBytes),
        counter(
            "refrain_slow_clients_total", "Connections reset during an answer because answer_memory was exhausted"
        ) { one($0.source.connections.refusals.count(by: .answerMemory)) },
        counter(
            "refrain_admin_refusals_total", labels: ["reason"], "Calls of the admin listener that were refused"
        ) { input in
            AdminRefusalReason.allCases.map { Sample(input.adminRefusals[$0.rawValue], [$0.word]) }
        },
    ]
}
