import Foundation

/// The members that HAR 1.2 requires, and their types
/// (http://www.softwareishard.com/blog/har-12-spec/). Members that it does not have must begin with
/// `_`.
enum HARRules {
    struct Violation: Error, CustomStringConvertible {
        let description: String
    }

    private indirect enum Rule: Sendable {
        case text, number, count, size, time
        /// -1 where it does not apply.
        case optionalNumber
        case object([String: Rule], optional: [String: Rule])
        case list(Rule)
    }

    private static let named = Rule.object(["name": .text, "value": .text], optional: ["comment": .text])
    private static let creator = Rule.object(["name": .text, "version": .text], optional: ["comment": .text])
    private static let cookie = Rule.object(
        ["name": .text, "value": .text],
        optional: ["path": .text, "domain": .text, "expires": .text, "comment": .text])
    private static let request = Rule.object(
        [
            "method": .text, "url": .text, "httpVersion": .text, "cookies": .list(cookie), "headers": .list(named),
            "queryString": .list(named), "headersSize": .size, "bodySize": .size,
        ], optional: ["comment": .text])
    private static let response = Rule.object(
        [
            "status": .count, "statusText": .text, "httpVersion": .text, "cookies": .list(cookie),
            "headers": .list(named),
            "content": .object(
                ["size": .count, "mimeType": .text],
                optional: ["compression": .count, "text": .text, "encoding": .text, "comment": .text]),
            "redirectURL": .text, "headersSize": .size, "bodySize": .size,
        ], optional: ["comment": .text])
    private static let timings = Rule.object(
        ["send": .number, "wait": .number, "receive": .number],
        optional: [
            "blocked": .optionalNumber, "dns": .optionalNumber, "connect": .optionalNumber, "ssl": .optionalNumber,
            "comment": .text,
        ])
    private static let entry = Rule.object(
        [
            "startedDateTime": .time, "time": .number, "request": request, "response": response,
            "cache": .object([:], optional: ["comment": .text]), "timings": timings,
        ], optional: ["pageref": .text, "serverIPAddress": .text, "connection": .text, "comment": .text])
    private static let file = Rule.object(
        [
            "log": .object(
                ["version": .text, "creator": creator, "entries": .list(entry)],
                optional: ["browser": creator, "comment": .text])
        ], optional: [:])

    /// - Throws: `Violation` for the first thing that is not as it has to be.
    static func check(_ value: Any) throws {
        try check(value, file, "")
        let log = (value as? [String: Any])?["log"] as? [String: Any]
        for (index, entry) in (log?["entries"] as? [[String: Any]] ?? []).enumerated() {
            let timings = entry["timings"] as? [String: Double] ?? [:]
            let sum = timings.filter { $0.key != "ssl" && $0.value >= 0 }.values.reduce(0, +)
            guard let time = entry["time"] as? Double, abs(time - sum) < 0.000_001 else {
                throw Violation(description: "entry \(index): time is not the sum of timings")
            }
        }
    }

    private static func check(_ value: Any, _ rule: Rule, _ place: String) throws {
        switch rule {
        case .text: try require(value is String, place, "text")
        case .number: try require((value as? Double).map { $0 >= 0 } ?? false, place, "a number from 0")
        case .optionalNumber:
            try require((value as? Double).map { $0 >= 0 || $0 == -1 } ?? false, place, "a number from 0, or -1")
        case .count: try require((value as? Int).map { $0 >= 0 } ?? false, place, "a whole number from 0")
        case .size: try require((value as? Int).map { $0 >= -1 } ?? false, place, "a whole number from -1")
        case .time:
            let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            try require((value as? String).map { (try? format.parse($0)) != nil } ?? false, place, "a time of ISO 8601")
        case .list(let element):
            guard let list = value as? [Any] else { return try require(false, place, "a list") }
            for (index, one) in list.enumerated() { try check(one, element, "\(place)[\(index)]") }
        case .object(let required, let optional):
            guard let object = value as? [String: Any] else { return try require(false, place, "an object") }
            for (name, rule) in required {
                guard let member = object[name] else { throw Violation(description: "\(place).\(name) is missing") }
                try check(member, rule, place + "." + name)
            }
            for (name, member) in object where required[name] == nil && !name.hasPrefix("_") {
                guard let rule = optional[name] else { throw Violation(description: "\(place).\(name) is unknown") }
                try check(member, rule, place + "." + name)
            }
        }
    }

    private static func require(_ holds: Bool, _ place: String, _ what: String) throws {
        if !holds { throw Violation(description: "\(place) is not \(what)") }
    }
}
