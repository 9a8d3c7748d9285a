import Testing

@testable import Proxy
@testable import Tier

/// A leader that asks the shared tier before it asks the origin, event by event.
@Suite struct ExchangeLookTests {
    private typealias Script = ExchangeScript

    private func looking(_ change: (inout ExchangeState.Traits) -> Void = { _ in }) -> Script {
        var script = Script { traits in
            traits.asksTier = true
            change(&traits)
        }
        _ = script.play(.began(meanwhile: nil))
        return script
    }

    @Test func theOriginIsAskedWhenNoNodeHasIt() {
        var script = looking()
        #expect(script.joined() == "look")
        #expect(script.play(.looked(Script.stored())) == "cancel timer, finish stored 200 of 200, answer 200 of 200")
        #expect(script.isShared && !script.isCollapsed)
        var absent = looking()
        absent.joined()
        #expect(absent.play(.looked(nil)) == "cancel timer, send waitingClient")
        #expect(absent.answered(200) == "store 200")
        #expect(!absent.isShared)
    }

    /// A stored answer is nearer; and requests that cannot be shared took turns over all nodes.
    @Test func onlyALeaderWithoutAnAnswerLooks() {
        var script = looking()
        let step = script.play(.joined(.leader(meanwhile: Script.stored())))
        #expect(step == "cancel timer, finish stored 200 of 200, answer 200 of 200")
        #expect(!script.isShared)
        script = looking()
        #expect(script.play(.joined(.alone)) == "cancel timer, send waitingClient")
        script = looking()
        #expect(script.play(.joined(.waiter)) == "wake after 5000 ms")
        script.wait(.seconds(5))
        #expect(script.play(.patienceEnded(standIn: nil)) == "take over")
        #expect(script.play(.tookOver(meanwhile: nil)) == "cancel timer, send waitingClient")
    }

    @Test func aPartAndARefreshLookToo() {
        var part = looking { $0.audience = .part }
        #expect(part.joined() == "look")
        #expect(part.play(.looked(Script.stored())) == "finish stored 200 of 200, report stored")
        var refresh = Script { ($0.asksTier, $0.audience, $0.hasStored) = (true, .refresh, true) }
        #expect(refresh.play(.began(meanwhile: nil)) == "look")
        #expect(refresh.play(.promoted) == "")
        #expect(refresh.play(.looked(nil)) == "cancel timer, send revalidation")
        var script = looking { $0.hasSupplement = true }
        #expect(script.joined() == "look")
        #expect(script.play(.looked(nil)) == "wake after 5000 ms, fetch part")
        var batched = looking { $0.isBatchable = true }
        batched.joined()
        #expect(batched.play(.looked(nil)) == "join batch")
    }

    /// Another node is waited for longer than a client with something stale waits.
    @Test func aStaleAnswerIsGivenWhileAnotherNodeIsWaitedFor() {
        var script = looking { $0.hasStandIn = true }
        #expect(script.joined() == "wake after 2000 ms, look")
        script.wait(.seconds(2))
        let step = script.play(.patienceEnded(standIn: Script.stored()))
        #expect(step == "cancel timer, stale for waitedTooLong of none")
        #expect(script.play(.looked(Script.stored())) == "finish stored 200 of 200")
        // It may be gone by then.
        var gone = looking { $0.hasStandIn = true }
        gone.joined()
        gone.wait(.seconds(2))
        #expect(gone.play(.patienceEnded(standIn: nil)) == "")
        #expect(gone.play(.looked(nil)) == "cancel timer, send waitingClient")
        // Both were five seconds: a waiter asked the origin in the moment in which its leader did.
        #expect(TierLook.patience + .seconds(1) <= Flights.Table.patience)
    }
}
