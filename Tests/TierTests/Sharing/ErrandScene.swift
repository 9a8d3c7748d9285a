import Cache
import EventLoop
import Synchronization

@testable import Tier

/// A loop with a client of the shared tier, on engines that a test plays or runs.
final class ErrandScene {
    let tier: SharedTier
    let log = LogLines()
    private let loop: EventLoop
    private var client: TierClient?

    /// A node that follows a log from its beginning.
    init(_ endpoint: Endpoint, node: String = "a", timeout: Duration = TierScene.patient) throws {
        var settings = TierSettings(endpoints: [endpoint], nodeName: node)
        settings.timeout = timeout
        tier = SharedTier(settings) { [log] in log.add($0) }
        tier.knowledge.begin(epoch, forgottenUntil: .start)
        tier.knowledge.stand(fence: fence(1), mayTake: true)
        let loop = try EventLoop(label: "errand test")
        self.loop = loop
        client = loop.sync { [tier] in TierClient(tier, loop: loop) }
    }

    deinit {
        loop.sync {
            client?.close()
            client = nil
        }
        loop.stop()
    }

    /// One leader's errand; `looked` has what it found.
    final class Errand: @unchecked Sendable {  // because the errand is touched on the loop alone
        fileprivate var errand: TierErrand?
        private let found = Mutex<StoredResponse??>(nil)

        fileprivate func end(_ response: StoredResponse?) {
            found.withLock { found in
                precondition(found == nil, "completed twice")
                found = .some(response)
            }
        }

        var hasLooked: Bool { found.withLock { $0 != nil } }

        func looked() async throws -> StoredResponse? {
            try await until { hasLooked }
            return found.withLock { $0 ?? nil }
        }
    }

    func begin(_ target: String) -> Errand {
        let errand = Errand()
        loop.sync {
            errand.errand = TierErrand(key(target), client!) { value in
                value.taken(under: Lifetime(freshFor: 500), at: noon + 100)
            }
            errand.errand?.start { errand.end($0) }
        }
        return errand
    }

    func end(_ errand: Errand, with response: StoredResponse?) {
        loop.sync { errand.errand?.ended(with: response, at: noon) }
    }

    subscript(_ name: TierCounters.Name) -> Int { tier.counters[name] }
}
