import Testing

@testable import Proxy
@testable import Upstream

@Suite struct UpstreamFailureReasonTests {
    /// The two lists of words are one: the origin's side has its own because it knows no reasons.
    @Test(
        arguments: [
            .dial(.resolve("")), .dial(.connect("")), .dial(.tls("")), .dial(.timedOut), .timeout(.firstByte),
            .timeout(.content),
            .timeout(.whole), .closedEarly(.head), .malformed(.statusLine), .switchedProtocols,
            .tooManyInterimResponses,
            .tooManyWaiting(retryAfter: 1), .waitedTooLong(retryAfter: 1), .draining, .readerTooSlow,
            .heldBack(retryAfter: 1),
        ] as [UpstreamFailure])
    func everyFailuresWordIsThatOfItsReason(_ failure: UpstreamFailure) {
        #expect(failure.word == failure.reason.text)
    }
}
