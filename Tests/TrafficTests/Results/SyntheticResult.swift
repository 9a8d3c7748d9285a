import Glibc
import TestSupport
import Text

@testable import Traffic

/// Results of the shape that real runs have, made from a seed.
///
/// They have a lognormal body, a slow minority of misses, and stalls of the target, after which
/// requests queue.
enum SyntheticResult {
    static func make(seed: UInt64, seconds: Int = 120, rate: Int = 400, stalls: Int = 3, hitShare: Double = 0.9)
        -> ReplayResult
    {
        var generator = SeededGenerator(seed: seed)
        var result = ReplayResult(
            file: "recordings/evening.jsonl", target: "http://127.0.0.1:8080", pace: "\(rate)/s", connections: 32,
            started: Timestamp("2026-11-22T04:00:00.25Z") ?? .now())
        let stalled = Set((0..<stalls).map { _ in Int.random(in: 0..<max(1, seconds), using: &generator) })
        for second in 0..<seconds {
            let wave = 1 + 0.25 * sin(Double(second) / Double(seconds) * 12)
            var slot = Histogram()
            var part = ReplayResult.Slot()
            for _ in 0..<Int(Double(rate) * wave * Double.random(in: 0.95...1.05, using: &generator)) {
                let isHit = Double.random(in: 0..<1, using: &generator) < hitShare
                let own = latency(isHit: isHit, &generator)
                let queued = stalled.contains(second) ? Int64.random(in: 0...900_000_000, using: &generator) : 0
                let late = Int64.random(in: 1000...60_000, using: &generator)
                result.planned += 1
                result.sent += 1
                part.sent += 1
                result.lag.record(nanoseconds: late)
                if Int.random(in: 0..<4000, using: &generator) == 0 {
                    result.failures[["timed out", "connection reset"].randomElement(using: &generator)!, default: 0] +=
                        1
                    part.failed += 1
                    continue
                }
                result.answered += 1
                part.answered += 1
                result.uncorrected.record(nanoseconds: own)
                result.corrected.record(nanoseconds: own + late + queued)
                result.withoutLag.record(nanoseconds: own + queued)
                slot.record(nanoseconds: own + late + queued)
                if isHit { part.hits += 1 } else { part.misses += 1 }
                note(isHit, &result, &generator)
            }
            (part.median, part.p99, part.maximum) = (slot.quantile(0.5), slot.quantile(0.99), slot.maximum)
            result.slots.append(part)
        }
        result.elapsed = .seconds(seconds)
        result.ended = result.started + result.elapsed
        result.skipped = ["personal": 41, "unsafe method": 7]
        return result
    }

    private static func latency(isHit: Bool, _ generator: inout SeededGenerator) -> Int64 {
        let (first, second) = (
            Double.random(in: 1e-9...1, using: &generator), Double.random(in: 0...1, using: &generator)
        )
        let normal = (-2 * log(first)).squareRoot() * cos(2 * .pi * second)
        return Int64(exp(normal * (isHit ? 0.35 : 0.6)) * (isHit ? 180_000 : 38_000_000))
    }

    private static func note(_ isHit: Bool, _ result: inout ReplayResult, _ generator: inout SeededGenerator) {
        let words = isHit ? ["hit", "hit", "hit", "composed", "stale"] : ["miss", "miss", "collapsed", "revalidated"]
        result.outcomes[words.randomElement(using: &generator)!, default: 0] += 1
        result.statuses[[200, 200, 200, 200, 200, 304, 404].randomElement(using: &generator)!, default: 0] += 1
        result.bytesReceived += Int.random(in: 500...20_000, using: &generator)
        result.verification.compared += 1
        if Int.random(in: 0..<3000, using: &generator) == 0 {
            result.verification.note(
                ReplayResult.Difference(
                    index: result.sent, method: "GET",
                    target: "/v1/catalog/us/albums/14407\(result.sent % 97)?include=tracks,artists&l=en-US",
                    what: "$.data[0].attributes.name", expected: "\"Rumours\"", found: "\"<b>Rumours</b> & more\""))
        }
    }
}

extension ReplayResult {
    /// The result of a run in which nothing was sent.
    static func empty(pace: String = "10x", connections: Int = 1) -> ReplayResult {
        ReplayResult(
            file: "a", target: "b", pace: pace, connections: connections, started: Timestamp(microseconds: 0))
    }
}

extension ReplayResult.Verification {
    /// Counts a difference, and lists it while there is room.
    mutating func note(_ difference: ReplayResult.Difference) {
        different += 1
        if listed.count < Self.mostListed { listed.append(difference) }
    }
}
