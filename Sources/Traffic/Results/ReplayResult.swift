// The result of a replay: reports, thresholds and comparisons are made of it. No clock, no I/O.

import Proxy
import Text

/// The figures of one replay.
public struct ReplayResult: Sendable, Equatable {
    /// The recording, as it was named.
    var file: String
    /// The URL that was replayed against.
    var target: String
    /// In words: `original timing`, `10x`, `500/s`, `closed loop`.
    var pace: String
    var connections: Int
    var started: Timestamp
    var ended: Timestamp
    /// By the monotonic clock. Rates are of it, or of `pacedLength` if that is longer.
    var elapsed = Duration.zero
    /// How long requests were to be sent at the pace; zero without one. See `Schedule.pacedLength`.
    var pacedLength = Duration.zero

    /// Requests of the schedule, or those that clients of a closed loop reached: sent ones and not
    /// sent ones.
    var planned = 0
    public var sent = 0
    /// Requests whose answer came whole, with whatever status.
    public var answered = 0
    /// Requests without a whole answer, by what happened: `connection refused`, `timed out`.
    public var failures: [String: Int] = [:]
    /// Requests without an answer, and answers that report an error.
    var failedRequests = FailedRequests()
    /// Requests that were sent twice, because their connection ended without a byte of an answer.
    /// Each of them is one of `sent`.
    var resets = 0
    /// Exchanges of the recording that were not sent, by why: `personal`, `unsafe method`.
    var skipped: [String: Int] = [:]
    /// Bytes of content.
    var bytesReceived = 0
    /// By status code.
    public var statuses: [Int: Int] = [:]
    /// By the words of `Outcome`, from the target's `Cache-Status`; empty where it writes none.
    var outcomes: [String: Int] = [:]

    /// Latencies from when requests were due until their answers were whole, or until requests that
    /// timed out were given up.
    ///
    /// They are the waits of clients. A target that stalls holds back later requests; that time is
    /// included (no coordinated omission).
    public var corrected = Histogram()
    /// Latencies from when a request was in fact sent.
    var uncorrected = Histogram()
    /// How late the generator itself was: from when a request was due until it was sent, or found
    /// all connections busy. Empty for a closed loop, in which nothing is ever due.
    public var lag = Histogram()
    /// Corrected latencies without the lag of their requests: a punctual generator would have
    /// measured these at least.
    var withoutLag = Histogram()

    var slotLength = Duration.seconds(1)
    /// From the start on, without gaps.
    var slots: [Slot] = []
    /// Why the figures say nothing about the target: the generator was late. nil: they do, or it
    /// was not judged.
    public internal(set) var invalidBecause: String?
    /// Sentences for readers of the figures, such as on an early stop.
    var remarks: [String] = []
    var verification = Verification()

    init(file: String, target: String, pace: String, connections: Int, started: Timestamp) {
        (self.file, self.target, self.pace, self.connections) = (file, target, pace, connections)
        (self.started, ended) = (started, started)
    }
}

extension ReplayResult {
    /// A part of the run. Counts are of what happened in it.
    struct Slot: Sendable, Equatable {
        var sent = 0
        var answered = 0
        var failed = 0
        /// Answers by the side of their outcome.
        var hits = 0
        var misses = 0
        /// Corrected latencies in nanoseconds, of the requests that were due in this slot and were
        /// answered, whenever that was; nil where there were none. In a closed loop a request is
        /// due when it is sent.
        var median: Int?
        var p99: Int?
        var maximum: Int?
    }

    /// Result of comparing the answers with the recording.
    struct Verification: Sendable, Equatable {
        /// Answers that were compared with a recorded one.
        var compared = 0
        var different = 0
        /// Answers that could not be compared, by why.
        var notCompared: [String: Int] = [:]
        /// Answers that may differ: they could not be compared.
        var uncertain: Int {
            notCompared.reduce(0) { $0 + ($1.key == Uncompared.noAnswer.rawValue ? 0 : $1.value) }
        }
        /// The first that differ.
        var listed: [Difference] = []

        /// The most that are listed: a target that answers everything differently fills no memory.
        static let mostListed = 1000
    }

    /// An answer that is not the recorded one.
    struct Difference: Sendable, Equatable {
        /// Number of the request in the recording, from 0.
        let index: Int
        let method: String
        let target: String
        /// `status`, or the JSON path that differs first.
        let what: String
        let expected: String
        let found: String
    }

    /// Whether each connection sent when its last answer was there: both latencies are the same.
    var isClosedLoop: Bool { corrected.count > 0 && lag.count == 0 }

    /// Planned requests that were not sent: the run was stopped, or no connection opened. The
    /// latter are in `failures` too.
    var notSent: Int { max(0, planned - sent) }

    public var failed: Int { failures.values.reduce(0, +) }

    /// Failed requests that timed out: `corrected` has the time after which each was given up.
    var timedOut: Int { max(0, corrected.count - answered) }

    /// Answers a second; nil where no time passed.
    public var rate: Double? { rate(in: elapsed) }

    /// The rate without the median lag: a generator that is too slow for its schedule takes that
    /// much longer.
    var punctualRate: Double? { rate(in: elapsed - .nanoseconds(lag.quantile(0.5) ?? 0)) }

    private func rate(in elapsed: Duration) -> Double? {
        let seconds = max(elapsed, pacedLength) / .seconds(1)
        return seconds > 0 ? Double(answered) / seconds : nil
    }

    /// The share of hits among hits and misses; nil without any.
    var hitRatio: Double? { HitRatio { outcomes[$0.name] ?? 0 }.value }
}

// A result as one JSON object: written by `refrain replay --json`, read by
// `refrain replay compare`. Histograms are written bucket by bucket, so nothing is lost on the way.
// Unknown members are passed over, so that later versions may add some.

extension ReplayResult {
    static let version = 1

    /// Derived members (`failed`, `timed_out`, `hit_ratio`, `answers_per_second`, percentiles) are
    /// for other programs.
    public var json: JSON {
        .object(members: [
            "refrain_replay": .integer(Self.version), "file": .string(file), "target": .string(target),
            "pace": .string(pace), "connections": .integer(connections), "started": .string(started.text),
            "ended": .string(ended.text), "elapsed_seconds": .number(elapsed.decimalSeconds),
            "paced_seconds": .number(pacedLength.decimalSeconds),
            "invalid": invalidBecause.map { .string($0) } ?? .null, "remarks": .array(remarks.map { .string($0) }),
            "planned": .integer(planned), "sent": .integer(sent), "answered": .integer(answered),
            "failed": .integer(failed), "timed_out": .integer(timedOut),
            "failures": Self.object(failures), "failed_requests": failedRequests.json, "resets": .integer(resets),
            "skipped": Self.object(skipped),
            "answers_per_second": Self.number(rate), "bytes_received": .integer(bytesReceived),
            "statuses": statusesJSON, "outcomes": Self.object(outcomes), "hit_ratio": Self.number(hitRatio),
            "corrected": corrected.json(of: completed), "uncorrected": uncorrected.json(of: completed), "lag": lag.json,
            "without_lag": withoutLag.json(of: completed), "verification": verification.json,
            "slot_seconds": .number(slotLength.decimalSeconds), "slots": .array(slots.map(\.json)),
        ])
    }

    /// Slots, their length, and that of the run: as `json` has them, for pages that draw them.
    var timelineJSON: JSON {
        .object(members: [
            "elapsed_seconds": .number(elapsed.decimalSeconds), "slot_seconds": .number(slotLength.decimalSeconds),
            "slots": .array(slots.map(\.json)),
        ])
    }

    var statusesJSON: JSON {
        Self.object(Dictionary(uniqueKeysWithValues: statuses.map { (String($0.key), $0.value) }))
    }

    static func object(_ counts: [String: Int]) -> JSON {
        let members = counts.sorted { $0.key < $1.key }
        return .object(JSONObject(members: members.map { JSONObject.Member(key: $0.key, value: .integer($0.value)) }))
    }

    private static func number(_ value: Double?) -> JSON {
        value.map { .number(String($0)) } ?? .null
    }

    /// - Throws: `ReplayResultError`, which names the member that is not as it should be.
    public init(json bytes: [UInt8]) throws(ReplayResultError) {
        let value: JSON
        do {
            value = try JSON.parse(bytes)
        } catch {
            throw ReplayResultError("not a result of a replay: \(error)")
        }
        try self.init(ResultMembers(value))
    }

    private init(_ members: ResultMembers) throws(ReplayResultError) {
        guard let version = try? members.count("refrain_replay"), version > 0 else {
            throw ReplayResultError("not a result of a replay: the version (refrain_replay) is missing")
        }
        guard version <= Self.version else {
            throw ReplayResultError("version \(version) of results; this program reads up to \(Self.version)")
        }
        self.init(
            file: try members.text("file"), target: try members.text("target"), pace: try members.text("pace"),
            connections: try members.count("connections"), started: try members.time("started"))
        ended = try members.time("ended")
        elapsed = try members.seconds("elapsed_seconds")
        invalidBecause = try members.optional("invalid", members.text)
        remarks = try members.elements("remarks").map { (name, value) throws(ReplayResultError) in
            guard let remark = value.stringValue else { throw ReplayResultError("\(name) is not a string") }
            return remark
        }
        planned = try members.count("planned")
        sent = try members.count("sent")
        answered = try members.count("answered")
        failures = try members.counts("failures")
        // Results of older versions do not have these.
        pacedLength = try members.optional("paced_seconds", members.seconds) ?? .zero
        if members.has("failed_requests") { failedRequests = try FailedRequests(members.members("failed_requests")) }
        resets = try members.optional("resets", members.count) ?? 0
        skipped = try members.counts("skipped")
        bytesReceived = try members.count("bytes_received")
        for (text, count) in try members.counts("statuses") {
            guard let code = Int(text), (100...999).contains(code) else {
                throw ReplayResultError("statuses.\(text) is not a status from 100 to 999")
            }
            statuses[code] = count
        }
        outcomes = try members.counts("outcomes")
        corrected = try Histogram(members.members("corrected"))
        uncorrected = try Histogram(members.members("uncorrected"))
        lag = try Histogram(members.members("lag"))
        withoutLag = members.has("without_lag") ? try Histogram(members.members("without_lag")) : corrected
        verification = try Verification(members.members("verification"))
        slotLength = try members.seconds("slot_seconds")
        guard slotLength > .zero else { throw members.problem("slot_seconds", "above 0") }
        for (name, slot) in try members.elements("slots") { slots.append(try Slot(ResultMembers(slot, name))) }
    }
}

extension ReplayResult.Slot {
    static var counts: [(name: String, path: WritableKeyPath<Self, Int>)] {
        [("sent", \.sent), ("answered", \.answered), ("failed", \.failed), ("hits", \.hits), ("misses", \.misses)]
    }

    static var latencies: [(name: String, path: WritableKeyPath<Self, Int?>)] {
        [("p50_ns", \.median), ("p99_ns", \.p99), ("max_ns", \.maximum)]
    }

    fileprivate var json: JSON {
        var object = JSONObject()
        for (name, path) in Self.counts { object.append(name, .integer(self[keyPath: path])) }
        for (name, path) in Self.latencies {
            if let nanoseconds = self[keyPath: path] { object.append(name, .integer(nanoseconds)) }
        }
        return .object(object)
    }

    fileprivate init(_ members: ResultMembers) throws(ReplayResultError) {
        self.init()
        for (name, path) in Self.counts { self[keyPath: path] = try members.count(name) }
        for (name, path) in Self.latencies { self[keyPath: path] = try members.optional(name, members.count) }
    }
}

extension ReplayResult.Verification {
    fileprivate var json: JSON {
        .object(members: [
            "compared": .integer(compared), "different": compared > 0 ? .integer(different) : .null,
            "not_compared": ReplayResult.object(notCompared), "listed": .array(listed.map(\.json)),
        ])
    }

    fileprivate init(_ members: ResultMembers) throws(ReplayResultError) {
        var listed: [ReplayResult.Difference] = []
        for (name, value) in try members.elements("listed") {
            listed.append(try ReplayResult.Difference(ResultMembers(value, name)))
        }
        self.init(
            compared: try members.count("compared"), different: try members.optional("different", members.count) ?? 0,
            notCompared: members.has("not_compared") ? try members.counts("not_compared") : [:], listed: listed)
        guard different >= listed.count else { throw members.problem("different", "at least how many are listed") }
    }
}

extension ReplayResult.Difference {
    fileprivate var json: JSON {
        .object(members: [
            "index": .integer(index), "method": .string(method), "target": .string(target), "what": .string(what),
            "expected": .string(expected), "found": .string(found),
        ])
    }

    fileprivate init(_ members: ResultMembers) throws(ReplayResultError) {
        self.init(
            index: try members.count("index"), method: try members.text("method"), target: try members.text("target"),
            what: try members.text("what"), expected: try members.text("expected"), found: try members.text("found"))
    }
}
