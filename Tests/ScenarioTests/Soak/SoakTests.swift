import Foundation
import TestSupport
import Testing

/// The program under mixed traffic for a long time (HARDENING F14): `make soak MINUTES=60`. In
/// `make test` it runs for seconds, which shows that all of it works and says nothing of leaks.
@Suite(.serialized, .timeLimit(.minutes(1_500)), .requires(.binary)) struct SoakTests {
    private static let minutes = ProcessInfo.processInfo.environment["REFRAIN_SOAK"].flatMap(Double.init)
    /// MiB an hour.
    private static let growth = 1.0

    @Test func nothingGrowsAndNoAnswerIsWrong() throws {
        if Self.minutes == nil { LeftOut.note("a long run (make soak MINUTES=60 has it): whether memory grows") }
        let duration = Duration.seconds(Self.minutes.map { $0 * 60 } ?? 6)
        let run = try SoakRun(seed: 20_261_123)
        defer { run.stop() }
        let outcome = try run.run(for: duration, warmingUp: duration / 6)
        #expect(outcome.wrong.isEmpty, "\(outcome.wrong.joined(separator: "\n"))")
        #expect(outcome.requests > 0 && outcome.hits > 0)
        // The first sixth warms up: memory and file fill to their bounds.
        let steady = outcome.samples.filter { $0.seconds >= duration / .seconds(6) }
        #expect(!steady.isEmpty && steady.allSatisfy { $0.journalBytes <= 64 << 20 })
        let descriptors = steady.map(\.descriptors)
        #expect((descriptors.max() ?? 0) - (descriptors.min() ?? 0) <= 8, "\(descriptors)")
        let trend = Trend(Self.leastOfEachMinute(steady))
        // An hour is enough to be sure; less shows growth where there is much.
        let isSure = (Self.minutes ?? 0) >= 60
        let verdict = trend?.verdict(limit: Self.growth)
        #expect(isSure ? verdict == .within : verdict != .above, "\(Self.words(trend))")
        let mebibytes = steady.map { Double($0.residentBytes) / 1_048_576 }
        FigureTable.note(
            "F14 mixed traffic",
            "\(outcome.unjudged) requests to warm up, \(outcome.requests) then, \(outcome.hits) hits, \(outcome.wrong.count) wrong; resident "
                + "\(mebibytes.min() ?? 0)...\(mebibytes.max() ?? 0) MiB, \(Self.words(trend)); descriptors "
                + "\(descriptors.min() ?? 0)...\(descriptors.max() ?? 0); log of the cache file at most "
                + "\((steady.map(\.journalBytes).max() ?? 0) >> 20) MiB")
    }

    /// The least of a minute is the memory that stays after its bursts.
    private static func leastOfEachMinute(_ samples: [SoakRun.Sample]) -> [(time: Double, value: Double)] {
        Dictionary(grouping: samples) { Int($0.seconds / 60) }.compactMap { minute, samples in
            samples.map(\.residentBytes).min().map { (Double(minute) / 60, Double($0) / 1_048_576) }
        }.sorted { $0.time < $1.time }
    }

    private static func words(_ trend: Trend?) -> String {
        guard let trend else { return "too short to say how memory moves" }
        let words: [Trend.Verdict: String] = [.within: "no growth", .above: "it grows", .undecided: "too short to say"]
        func figure(_ value: Double) -> String { String(format: "%.2f", value) }
        return "\(words[trend.verdict(limit: growth)] ?? ""): \(figure(trend.slope)) MiB an hour "
            + "(\(figure(trend.interval.lowerBound)) to \(figure(trend.interval.upperBound)))"
    }
}
