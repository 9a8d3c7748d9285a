import Freshness
import Upstream

extension UpstreamFailure {
    /// Why there is no answer: the reason that is spelt as the failure's word.
    var reason: Reason {
        switch self {
        case .dial(.resolve): .upstreamResolve
        case .dial(.connect): .upstreamConnect
        case .dial(.tls): .upstreamTLS
        case .dial(.timedOut): .upstreamConnectTimeout
        case .timeout(.firstByte): .upstreamFirstByteTimeout
        case .timeout(.content): .upstreamContentTimeout
        case .timeout(.whole): .upstreamTimeout
        case .closedEarly: .upstreamClosed
        case .malformed, .switchedProtocols, .tooManyInterimResponses: .upstreamMalformed
        case .tooManyWaiting: .queueFull
        case .waitedTooLong: .waitedTooLong
        case .heldBack: .heldBack
        case .draining: .draining
        case .readerTooSlow: .slowReader
        }
    }
}
