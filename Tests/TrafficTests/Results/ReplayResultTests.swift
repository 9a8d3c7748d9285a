import Glibc
import TestSupport
import Testing
import Text

@testable import Traffic

@Suite struct ReplayResultTests {
    @Test(arguments: 0..<5 as Range<UInt64>)
    func aResultSurvivesItsJSON(seed: UInt64) throws {
        var result = SyntheticResult.make(seed: seed, seconds: 5)
        result.invalidBecause = seed.isMultiple(of: 2) ? "late by 40 ms" : nil
        (result.resets, result.verification.notCompared) = (3, ["content not recorded": 2])
        result.pacedLength = .seconds(7)
        let failures: [FailedRequest.Failure] = [.unanswered("timed out"), .status(503)]
        for number in 0..<12 * Int(seed) {
            result.failedRequests.note(
                FailedRequest(
                    index: number, method: "GET", target: "/a", failure: failures[number % 2],
                    recordedStatus: number % 3 * 200, due: .milliseconds(number), waited: .seconds(1)))
        }
        // The exact extremes too, though buckets are wider.
        #expect(try ReplayResult(json: result.json.bytes) == result, "seed \(seed)")
        let empty = ReplayResult.empty()
        #expect(try ReplayResult(json: empty.json.bytes) == empty)
        #expect(empty.rate == nil && empty.hitRatio == nil && empty.failed == 0)
    }

    @Test func otherProgramsFindTheUsualFigures() {
        var result = SyntheticResult.make(seed: 2, seconds: 5)
        let json = result.json
        #expect(
            json["corrected"]?["percentiles"]?["99.9"]?.intValue
                == result.corrected.quantile(0.999, of: result.completed))
        #expect(json["failed"]?.intValue == result.failed)
        #expect(json["hit_ratio"] == .number(String(result.hitRatio ?? 0)))
        // Only hits and misses make the ratio.
        result.outcomes = ["hit": 5, "composed": 2, "stale": 1, "miss": 1, "failed": 1, "bypass": 90, "unheard-of": 7]
        #expect(result.hitRatio == 0.8)
    }

    /// The percentiles without lag were of the answered requests alone.
    @Test func allPercentilesCountFailedRequests() {
        var result = ReplayResult.empty()
        (result.answered, result.failures) = (2, ["connection refused": 2])
        for milliseconds: Int64 in [1, 100] {
            for series in [\ReplayResult.corrected, \.uncorrected, \.withoutLag] {
                result[keyPath: series].record(nanoseconds: milliseconds * 1_000_000)
            }
        }
        let json = result.json
        for name in ["corrected", "uncorrected", "without_lag"] {
            #expect(json[name]?["percentiles"]?["50"]?.intValue == 100_000_000, "the second of four: \(name)")
        }
    }

    @Test func errorsThatAreNotTheRecordedOnesAreListed() {
        for (status, recorded, isListed) in [
            (503, 503, true), (500, 200, true), (429, 429, true), (404, 404, false), (404, 200, true), (401, 0, true),
            (200, 404, false), (304, 200, false),
        ] {
            #expect(FailedRequest.isListed(status: status, recorded: recorded) == isListed, "\(status), \(recorded)")
        }
    }

    /// The results of 1.0.0 have none of these members.
    @Test func resultsOfEarlierVersionsAreRead() throws {
        var json = SyntheticResult.make(seed: 1, seconds: 2).json
        for name in ["resets", "without_lag", "paced_seconds", "failed_requests", "timed_out", "notes"] {
            json[member: name] = nil
        }
        json[member: "verification"] = ["compared": 2, "different": 0, "listed": []]
        let result = try ReplayResult(json: json.bytes)
        #expect(result.failedRequests.count == 0 && result.timedOut == 0 && result.rate != nil)
        #expect(result.resets == 0 && result.withoutLag == result.corrected && !result.hasLatenessOfItsOwn)
        #expect(result.verification.compared == 2 && result.verification.notCompared.isEmpty)
    }

    /// A member, its new value (nil: take it away), and the beginning of the error.
    static let wrong: [(String, JSON?, String)] = [
        ("refrain_replay", nil, "not a result of a replay"), ("refrain_replay", 2, "version 2 of results"),
        ("file", 3, "file is not a string"), ("target", nil, "target is missing"),
        ("connections", -1, "connections is not"), ("started", "yesterday", "started is not a time"),
        ("elapsed_seconds", "12", "elapsed_seconds is not a number"), ("sent", .number("1.5"), "sent is not a whole"),
        ("sent", .number("9007199254740993000"), "sent is not a whole"), ("failures", [], "failures is not an object"),
        ("failures", ["timed out": "many"], "failures.timed out is not"),
        ("statuses", ["20": 1], "statuses.20 is not a status"), ("corrected", nil, "corrected is missing"),
        ("corrected", ["buckets": [[1, 0]]], "corrected.buckets[0] is not"),
        ("corrected", ["buckets": [[-1, 1]]], "corrected.buckets[0] is not"),
        ("corrected", ["buckets": [["x"]]], "corrected.buckets[0] is not"),
        ("lag", ["buckets": [[5, 1]]], "lag.min is missing"),
        ("lag", ["buckets": [[5, 1]], "min": 5, "max": 6], "lag.max is not in the last"),
        ("slot_seconds", 0, "slot_seconds is not above 0"), ("slots", [[]], "slots[0] is not a JSON object"),
        ("slots", [["sent": 1]], "slots[0].answered is missing"),
        (
            "verification", ["compared": 1, "different": 0, "listed": [3]],
            "verification.listed[0] is not a JSON object"
        ),
        ("invalid", true, "invalid is not a string"),
    ]

    @Test(arguments: wrong)
    func aWrongMemberIsNamed(_ name: String, _ value: JSON?, _ expected: String) {
        var json = SyntheticResult.make(seed: 4, seconds: 1).json
        json[member: name] = value
        let bytes = json.bytes
        let error = #expect(throws: ReplayResultError.self) { try ReplayResult(json: bytes) }
        #expect(error?.description.hasPrefix(expected) == true, "\(error?.description ?? "read")")
    }

    @Test func sumsOfHostileCountsDoNotOverflow() throws {
        var json = SyntheticResult.make(seed: 4, seconds: 1).json
        let counts = (0..<1000).map { JSONObject.Member(key: "f\($0)", value: .integer(JSON.mostCounted)) }
        json[member: "failures"] = .object(JSONObject(members: counts))
        let result = try ReplayResult(json: json.bytes)
        #expect(result.failed == 1000 * JSON.mostCounted)
        json[member: "corrected"] = ["buckets": [[1, .integer(JSON.mostCounted)], [2, 1]], "min": 1, "max": 2]
        let bytes = json.bytes
        #expect(throws: ReplayResultError.self) { try ReplayResult(json: bytes) }
    }

    @Test(arguments: ["", "[]", "{}", "{\"log\":{}}", "nonsense"])
    func otherTextsThanResultsAreRefused(text: String) {
        #expect(throws: ReplayResultError.self) { try ReplayResult(json: Array(text.utf8)) }
    }
}

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
        ReplayResult(file: "a", target: "b", pace: pace, connections: connections, started: Timestamp(microseconds: 0))
    }
}

extension ReplayResult.Verification {
    /// Counts a difference, and lists it.
    mutating func note(_ difference: ReplayResult.Difference) {
        different += 1
        listed.append(difference)
    }
}
