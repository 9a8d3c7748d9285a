import Text

// A result as one JSON object: written by `refrain replay --json`, read by
// `refrain replay compare`. Histograms are written bucket by bucket, so nothing is lost on the way.
// Unknown members are passed over, so that later versions may add some.

extension ReplayResult {
    /// Of the format.
    static let version = 1

    /// What is derived (`failed`, `hit_ratio`, `answers_per_second`, percentiles) stands there for
    /// other programs.
    public var json: JSON {
        var object = JSONObject([
            "refrain_replay": .integer(Self.version), "file": .string(file), "target": .string(target),
            "pace": .string(pace), "connections": .integer(connections), "started": .string(started.text),
            "ended": .string(ended.text), "elapsed_seconds": .number(elapsed.decimalSeconds),
            "invalid": invalidBecause.map { .string($0) } ?? .null, "remarks": .array(remarks.map { .string($0) }),
            "planned": .integer(planned),
            "sent": .integer(sent), "answered": .integer(answered), "failed": .integer(failed),
            "failures": Self.object(failures), "skipped": Self.object(skipped),
            "answers_per_second": Self.number(rate), "bytes_received": .integer(bytesReceived),
        ])
        let byCode = statuses.map { (String($0.key), $0.value) }
        object.append("statuses", Self.object(Dictionary(uniqueKeysWithValues: byCode)))
        object.append("outcomes", Self.object(outcomes))
        object.append("hit_ratio", Self.number(hitRatio))
        object.append("corrected", corrected.json)
        object.append("uncorrected", uncorrected.json)
        object.append("lag", lag.json)
        object.append("verification", verification.json)
        object.append("slot_seconds", .number(slotLength.decimalSeconds))
        object.append("slots", .array(slots.map(\.json)))
        return .object(object)
    }

    private static func object(_ counts: [String: Int]) -> JSON {
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
            throw ReplayResultError("not a result of a replay: refrain_replay, its version, is missing")
        }
        guard version <= Self.version else {
            throw ReplayResultError("version \(version) of results; this program reads up to \(Self.version)")
        }
        self.init(
            file: try members.text("file"), target: try members.text("target"), pace: try members.text("pace"),
            connections: try members.count("connections"), started: try members.time("started"))
        ended = try members.time("ended")
        elapsed = try members.seconds("elapsed_seconds")
        invalidBecause = try members.optionalText("invalid")
        remarks = try members.elements("remarks").map { (name, value) throws(ReplayResultError) in
            guard let remark = value.stringValue else { throw ReplayResultError("\(name) is not a string") }
            return remark
        }
        planned = try members.count("planned")
        sent = try members.count("sent")
        answered = try members.count("answered")
        failures = try members.counts("failures")
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
        verification = try Verification(members.members("verification"))
        slotLength = try members.seconds("slot_seconds")
        guard slotLength > .zero else { throw members.problem("slot_seconds", "above 0") }
        for (name, slot) in try members.elements("slots") { slots.append(try Slot(ResultMembers(slot, name))) }
    }
}

extension ReplayResult.Slot {
    fileprivate var json: JSON {
        var object = JSONObject([
            "sent": .integer(sent), "answered": .integer(answered), "failed": .integer(failed), "hits": .integer(hits),
            "misses": .integer(misses),
        ])
        for (name, nanoseconds) in [("p50_ns", median), ("p99_ns", p99), ("max_ns", maximum)] {
            if let nanoseconds { object.append(name, .integer(nanoseconds)) }
        }
        return .object(object)
    }

    fileprivate init(_ members: ResultMembers) throws(ReplayResultError) {
        self.init()
        sent = try members.count("sent")
        answered = try members.count("answered")
        failed = try members.count("failed")
        hits = try members.count("hits")
        misses = try members.count("misses")
        median = try members.optionalCount("p50_ns")
        p99 = try members.optionalCount("p99_ns")
        maximum = try members.optionalCount("max_ns")
    }
}

extension ReplayResult.Verification {
    fileprivate var json: JSON {
        .object(members: [
            "compared": .integer(compared), "different": .integer(different), "listed": .array(listed.map(\.json)),
        ])
    }

    fileprivate init(_ members: ResultMembers) throws(ReplayResultError) {
        var listed: [ReplayResult.Difference] = []
        for (name, value) in try members.elements("listed") {
            listed.append(try ReplayResult.Difference(ResultMembers(value, name)))
        }
        self.init(
            compared: try members.count("compared"), different: try members.count("different"), listed: listed)
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
