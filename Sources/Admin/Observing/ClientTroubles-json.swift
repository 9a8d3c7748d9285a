import EventLoop
import Server
import Text

extension ClientTroubles {
    /// Refusals by limit since the start of the process, those that occurred.
    var refusals: [(limit: ClientLimit, count: Int)] {
        ClientLimit.allCases.map { ($0, refusals(by: $0)) }.filter { $0.1 > 0 }
    }

    /// Failed handshakes by kind since the start of the process, those that occurred; without
    /// connections that sent nothing, which are no attempts.
    var failures: [(kind: HandshakeFailure.Kind, count: Int)] {
        HandshakeFailure.Kind.allCases.filter { $0 != .silent }.map { ($0, failedHandshakes($0)) }.filter { $0.1 > 0 }
    }

    /// `refused_by_limit` of `/stats`: `{"address":12}`.
    var refusalsJSON: JSON { .object(pairs: refusals.map { ($0.limit.word, .integer($0.count)) }) }

    /// `tls_handshakes_failed` of `/stats`: `{"untrusted":20}`.
    var failuresJSON: JSON { .object(pairs: failures.map { ($0.kind.word, .integer($0.count)) }) }
}
