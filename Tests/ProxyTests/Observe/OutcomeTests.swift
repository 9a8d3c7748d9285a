import Freshness
import Testing

@testable import Proxy

@Suite struct OutcomeTests {
    private func forwarded(
        _ reason: Reason, _ storing: CacheStatus.Forwarded.Storing, collapsed: Bool = false
    ) -> CacheStatus {
        .forwarded(.init(reason: reason, status: 200, storing: storing, isCollapsed: collapsed))
    }

    @Test func everyWayToAnswerHasOneOutcome() {
        #expect(CacheStatus.hit(ttl: 5, detail: nil).outcome == .hit)
        for detail in [Reason.composed, .reduced, .split, .window, .batched] {
            #expect(CacheStatus.hit(ttl: 5, detail: detail).outcome == .composed)
        }
        for detail in [Reason.staleWhileRevalidate, .requestMaxStale] {
            #expect(CacheStatus.hit(ttl: -5, detail: detail).outcome == .stale)
        }
        #expect(forwarded(.stale, .no(.staleIfError), collapsed: true).outcome == .staleIfError)
        #expect(forwarded(.absent, .stored(ttl: 5, detail: nil)).outcome == .miss)
        #expect(forwarded(.absent, .no(.rateLimited)).outcome == .miss)
        #expect(forwarded(.partial, .stored(ttl: 5, detail: .composed)).outcome == .miss)
        #expect(forwarded(.absent, .stored(ttl: 5, detail: nil), collapsed: true).outcome == .collapsed)
        #expect(forwarded(.stale, .stored(ttl: 5, detail: .revalidated)).outcome == .revalidated)
        for reason in [Reason.method, .personal, .requestContent, .off, .requestNoStore] {
            #expect(forwarded(reason, .no(reason)).outcome == .bypass)
            #expect(forwarded(reason, .no(.upstreamClosed)).outcome == .failed)
        }
        for detail in [Reason.queueFull, .waitedTooLong, .draining, .upstreamConnect, .upstreamMalformed] {
            #expect(forwarded(.absent, .no(detail)).outcome == .failed)
        }
        #expect(CacheStatus.refused(.onlyIfCached).outcome == .refused)
        #expect(Set(Outcome.allCases.map(\.name)).count == Outcome.allCases.count)
    }
}
