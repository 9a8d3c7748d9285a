import Testing

@testable import Proxy
@testable import Upstream

@Suite struct ExchangeStreamingTests {
    private typealias Script = ExchangeScript

    private func streaming() -> ExchangeScript {
        var script = Script.leading()
        #expect(script.headArrived(200) == "cancel timer, invalidate by 200, finish released, stream 200")
        return script
    }

    @Test func aLargeAnswerGoesAtTheClientsPaceUntilItLeaves() {
        var script = streaming()
        #expect(script.play(.received([1, 2, 3])) == "content 3")
        #expect(script.play(.finished) == "end")
        var slow = streaming()
        #expect(slow.play(.clientBlocked) == "pause")
        #expect(slow.play(.clientDrained) == "resume")
        script = streaming()
        #expect(script.play(.clientLeft) == "abandon, cancel")
        #expect(script.play(.clientDrained) == "")
        #expect(script.play(.clientBlocked) == "")
        #expect(script.play(.clientLeft) == "")
    }

    /// It was neither counted nor logged.
    @Test func aClientThatLeftIsCountedAndALargeAnswerNotRead() {
        var script = Script.leading()
        #expect(script.play(.clientLeft) == "")
        #expect(script.headArrived(200) == "cancel timer, invalidate by 200, finish released, discard 200, cancel")
        var small = Script.leading()
        _ = small.play(.clientLeft)
        small.answered(200)
        #expect(small.stored(of: 200).hasSuffix("answer 200 of 200"))
        script = Script.begun { $0.audience = .refresh }
        #expect(script.headArrived(200) == "invalidate by 200, finish released, cancel")
    }

    @Test func largeErrorsGiveWayAndBrokenAnswersBreakOff() {
        var script = Script.leading { $0.hasStandIn = true }
        script.standIn = Script.stored()
        let step = script.headArrived(503)
        #expect(step == "cancel timer, invalidate by 503, finish released, stale for upstreamError of 503, cancel")
        var gone = Script.leading { $0.hasStandIn = true }
        #expect(gone.headArrived(503).hasSuffix("refuse 502 upstreamError, cancel"))
        // A timeout was logged as closed by the origin.
        let timeout = ExchangeFailure(UpstreamFailure.timeout(.whole))
        for (failure, words) in [(Script.failure, "upstreamClosed"), (timeout, "upstreamTimeout")] {
            var broken = streaming()
            #expect(broken.play(.failed(failure)) == "break off \(words)")
        }
    }

    @Test func codedOrRefusedLargeAnswersAreAskedForAgain() {
        var script = Script.leading { $0.acceptsGzip = true }
        #expect(script.play(.headArrived(Script.response(200, "Content-Encoding: gzip\r\n"))) == "send waitingClient")
        #expect(script.headArrived(200).hasSuffix("stream 200"))
        // It was passed on unread.
        var damaged = Script.leading { $0.acceptsGzip = true }
        let gzip = Script.response(200, "Content-Encoding: gzip\r\n")
        #expect(damaged.play(.answered(gzip, .damaged)) == "send waitingClient inflating")
        #expect(damaged.play(.headArrived(gzip)).hasSuffix("refuse 502 upstreamMalformed, cancel"))
        for (isAnother, words) in [(true, "send waitingClient"), (false, "stream 401")] {
            var script = Script.leading { $0.hasOwnToken = true }
            #expect(script.headArrived(401) == "renew token")
            #expect(script.play(.tokenRenewed(isAnother)).hasSuffix(words))
        }
    }

    @Test func onlyConditionsAndRangesOfTheClientAreAnswered() {
        var script = Script.leading { ($0.isConditional, $0.asksForRange) = (true, true) }
        #expect(script.answered(304) == "store 304")
        script = Script.leading { ($0.isConditional, $0.asksForRange) = (true, true) }
        #expect(script.headArrived(206).hasSuffix("stream 206"))
        for status in [206, 304] {
            var other = Script.leading()
            let found = other.headArrived(status)
            #expect(found == "cancel timer, finish failed upstreamMalformed, refuse 502 upstreamMalformed, cancel")
        }
    }
}
