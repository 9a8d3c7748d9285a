import EventLoop
import Server
import Text

extension ConnectionRefusals {
    /// Refusals by limit since the start of the process, those that occurred.
    var byLimit: [(limit: ClientLimit, count: Int)] {
        ClientLimit.allCases.map { ($0, count(by: $0)) }.filter { $0.1 > 0 }
    }

    /// Failed handshakes by kind since the start of the process, those that occurred; without
    /// connections that sent nothing, which are no attempts.
    var byHandshakeFailure: [(kind: HandshakeFailure.Kind, count: Int)] {
        HandshakeFailure.Kind.allCases.filter { $0 != .silent }.map { ($0, failedHandshakes($0)) }.filter { $0.1 > 0 }
    }

    /// `refused_by_limit` of `/stats`: `{"address":12}`.
    var byLimitJSON: JSON { .object(pairs: byLimit.map { ($0.limit.word, .integer($0.count)) }) }

    /// `tls_handshakes_failed` of `/stats`: `{"untrusted":20}`.
    var byHandshakeFailureJSON: JSON { .object(pairs: byHandshakeFailure.map { ($0.kind.word, .integer($0.count)) }) }
}
