import EventLoop
import Testing
import Upstream

@testable import Proxy

@Suite struct UpstreamRequestCountTests {
    private let start = Instant.now()
    private let phone = UpstreamParty.client("phone")

    private func wanted() -> UnloggedRequestCounts {
        let later = UnloggedRequestCounts()
        later.isWanted = true
        return later
    }

    @Test func theLineHasWhatWasSentBeforeIt() {
        let later = wanted()
        let requestCount = UpstreamRequestCount(of: phone, later: later)
        #expect(requestCount.count == 0 && requestCount.time(at: start) == nil)
        requestCount.noteSending(at: start)
        #expect(requestCount.time(at: start + .seconds(2)) == .seconds(2), "the origin has not answered")
        // A 429, and the same again.
        requestCount.noteAnswer(after: .seconds(1))
        requestCount.noteSending(at: start + .seconds(3))
        requestCount.noteAnswer(after: .seconds(5))
        #expect(requestCount.time(at: start + .seconds(9)) == .seconds(5))
        #expect(requestCount.tell() == 2 && later.take(of: phone) == 0)
        requestCount.noteSending(at: start + .seconds(9))
        requestCount.noteSending(at: start + .seconds(10))
        #expect(requestCount.count == 2 && later.take(of: .client("web")) == 0)
        #expect(later.take(of: phone) == 2 && later.take(of: phone) == 0)
    }

    @Test func aFailureTakesUntilThen() {
        let requestCount = UpstreamRequestCount(of: phone, later: wanted())
        requestCount.noteFailure(at: start)
        #expect(requestCount.time(at: start) == nil, "it had not left")
        requestCount.noteSending(at: start)
        requestCount.noteFailure(at: start + .seconds(4))
        #expect(requestCount.time(at: start + .seconds(9)) == .seconds(4))
    }

    @Test func withoutALogNothingIsKept() {
        let later = UnloggedRequestCounts()
        later.note(phone)
        later.isWanted = true
        #expect(later.take(of: phone) == 0)
        later.note(.network(1))
        later.isWanted = false
        later.isWanted = true
        #expect(later.take(of: .network(1)) == 0)
    }

    /// With `access_log ... if` 4,096 clients without a line filled it, and further ones were told
    /// nowhere, for as long as the process lived.
    @Test func clientsThatGetNoLineMakeRoomForOthers() {
        let later = wanted()
        let most = UInt64(2 * UnloggedRequestCounts.leastParties)
        for number in 0..<3 * most {
            later.note(.network(number))
            later.note(phone)
        }
        #expect(later.take(of: .network(0)) == 0 && later.take(of: .network(3 * most - 1)) == 1)
        #expect(later.take(of: .network(3 * most - UInt64(UnloggedRequestCounts.leastParties) + 1)) == 1)
        #expect(later.take(of: phone) == Int(3 * most) && later.take(of: phone) == 0)
    }
}
