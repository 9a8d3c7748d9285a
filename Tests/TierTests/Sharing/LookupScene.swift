import Cache
import EventLoop
import Freshness
import Purging
import Synchronization
import TestSupport
import Testing

@testable import Tier

/// A loop with a client of the shared tier, on engines that a test plays or runs.
final class LookupScene {
    let tier: SharedTier
    let log = LogLines()
    private let purges = Purges()
    private let loop: EventLoop
    private var client: TierClient?

    /// A node that follows a log from its beginning.
    init(_ endpoint: Endpoint, node: String = "a") throws {
        var settings = TierSettings(endpoints: [endpoint], nodeName: node)
        (settings.timeout, settings.limits) = (TierScene.patient, TierScene.limits)
        tier = SharedTier(settings) { [log] in log.add($0) }
        tier.knowledge.begin(epoch, forgottenUntil: .start, in: purges)
        tier.knowledge.move(to: logMark(1), mayTake: true)
        let loop = try EventLoop(label: "lookup test")
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

    /// One leader's lookup; `looked` has its result.
    final class Lookup: @unchecked Sendable {  // because the look-up is touched on the loop alone
        fileprivate var lookup: TierLookup?
        private let found = Mutex<TierLookup.Finding??>(nil)

        fileprivate func end(_ finding: TierLookup.Finding?) {
            found.withLock { found in
                precondition(found == nil, "completed twice")
                found = .some(finding)
            }
        }

        var hasLooked: Bool { found.withLock { $0 != nil } }

        func looked() async throws -> StoredResponse? {
            guard case .whole(let response) = try await finding() else { return nil }
            return response
        }

        func composed() async throws -> StoredResponse? {
            guard case .composed(let response) = try await finding() else { return nil }
            return response
        }

        private func finding() async throws -> TierLookup.Finding? {
            waitUntil { hasLooked }
            return found.withLock { $0 ?? nil }
        }
    }

    /// Reads a purge of that target in the log, and applies it.
    func purge(_ target: String, at position: UInt64) {
        tier.knowledge.note(LogPosition(position, 0), as: purges.newest + 1)
        purges.note(EntrySelection([.target(Array(target.utf8))]), .hard)
        tier.knowledge.move(to: logMark(position), mayTake: true)
    }

    /// - Parameter enough: how many values it takes to make the answer; the bodies are joined.
    func begin(_ target: String, hints: [UInt64] = [], enough: Int = .max) -> Lookup {
        let lookup = Lookup()
        loop.sync {
            let judge = TierLookup.Judge(
                classTag: 7,
                whole: { $0.taken(under: Lifetime(freshFor: 500), bornUnder: 0, at: noon + 100) },
                compose: { values in
                    guard values.count >= enough else { return nil }
                    let bodies = values.map { String(decoding: $0.response.body, as: UTF8.self) }
                    return answer(target, bodies.joined(separator: "+"))
                })
            lookup.lookup = TierLookup(key(target), client!, hints: hints, judge)
            lookup.lookup?.start { lookup.end($0) }
        }
        return lookup
    }

    func end(_ lookup: Lookup, with response: StoredResponse?, hints: [UInt64] = []) {
        loop.sync { lookup.lookup?.ended(with: response, at: noon) { _ in hints } }
    }

    subscript(_ name: TierCounters.Name) -> Int { tier.counters[name] }
}
