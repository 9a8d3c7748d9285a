import Cache
import EventLoop
import Server

/// The admin loop's memory of the counters, which know only sums since the start.
///
/// Confined to its loop. Costs one look at the counters every ten seconds, and more only while it
/// is asked.
final class Timeline {
    private let sources: AdminSources
    private let loop: EventLoop
    private let context: LoopContext
    private var history: History
    private var recent = CountMarks<History.Totals>.recent
    private var spending = SpendingWindows()
    private var latency = CountMarks<LatencySides>.of(.hour)
    /// Rises with each slot that ends.
    private(set) var slotNumber = 0

    init(_ sources: AdminSources, _ context: LoopContext) {
        self.sources = sources
        self.context = context
        loop = context.loop
        let totals = History.Totals(sources.statistics)
        history = History(totals)
        // Requests that were counted before this listener existed, which a reload may have made
        // anew, do not belong to its hour.
        latency.note(LatencySides(sources.statistics), at: loop.now)
        note(totals)
        endSlotLater(at: loop.now + Self.slot)
    }

    private static let slot = Duration.seconds(History.slotSeconds)

    private func endSlotLater(at deadline: Instant) {
        loop.schedule(at: deadline) { [weak self] in
            self?.endSlot()
            // From the deadline, not from now: slots do not drift.
            self?.endSlotLater(at: deadline + Self.slot)
        }
    }

    private func endSlot() {
        let totals = History.Totals(sources.statistics)
        history.endSlot(totals)
        note(totals)
        latency.note(LatencySides(sources.statistics), at: loop.now)
        slotNumber += 1
    }

    /// Marks this second, which makes the figures of "now" more exact.
    func noteSecond() {
        note(History.Totals(sources.statistics))
    }

    private func note(_ totals: History.Totals) {
        recent.note(totals, at: loop.now)
        spending.note(sources.statistics.spending, at: loop.now)
    }

    /// Calls `completion` on the loop, in a later turn.
    func observe(_ completion: @escaping (Observations) -> Void) {
        let (confined, loop) = (Confined((self, completion), to: loop), loop)
        sources.statistics.breakdown { @Sendable breakdown in
            loop.execute {
                let (timeline, completion) = confined.value
                completion(timeline.observations(breakdown))
            }
        }
    }

    private func observations(_ breakdown: StorageBreakdown) -> Observations {
        let totals = History.Totals(sources.statistics)
        return Observations(
            source: sources.statistics, breakdown: breakdown, reloads: sources.reloads.snapshot, history: history,
            version: sources.version, unixSeconds: context.unixSeconds, startedAt: sources.startedAt,
            tier: sources.node.map(TierFigures.init),
            spending: spending.report(
                sources.statistics.spending, at: loop.now, sources.statistics.spendingNames),
            recent: recent.window(totals, at: loop.now), totals: totals,
            latencies: latency.window(LatencySides(sources.statistics), at: loop.now).counts,
            availability: sources.availability, certificateFiles: sources.certificateFiles(),
            adminRefusals: sources.refusals.counts)
    }
}
