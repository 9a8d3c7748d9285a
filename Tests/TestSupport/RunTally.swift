import Foundation

/// How the tests of a run came out, from the events that Swift Testing writes.
struct RunTally {
    private var functions: Set<String> = []
    private var ended: Set<String> = []
    private var skipped: Set<String> = []
    private var failed: Set<String> = []
    /// The test, the place and the messages of each issue.
    private(set) var issues: [String] = []

    /// - Parameter events: a JSON object a line.
    init(events: Data) {
        for line in events.split(separator: UInt8(ascii: "\n")) {
            guard let record = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
                let payload = record["payload"] as? [String: Any], let kind = payload["kind"] as? String
            else { continue }
            note(kind, payload)
        }
    }

    /// Counts each test once. Leftovers and issues of suites are failures: they fail the run.
    func counts(leftBehind leftovers: Int) -> String {
        let passed = functions.intersection(ended).subtracting(failed).subtracting(skipped)
        return
            "\(passed.count) passed, \(failed.count + leftovers) failed, \(functions.intersection(skipped).count) skipped"
    }

    private mutating func note(_ kind: String, _ payload: [String: Any]) {
        let test = payload["testID"] as? String ?? ""
        switch kind {
        case "function": functions.insert(payload["id"] as? String ?? "")
        case "testEnded": ended.insert(test)
        case "testSkipped": skipped.insert(test)
        case "issueRecorded":
            let issue = payload["issue"] as? [String: Any] ?? [:]
            guard issue["isKnown"] as? Bool != true, issue["severity"] as? String != "warning" else { return }
            failed.insert(test)
            let place = issue["sourceLocation"] as? [String: Any] ?? [:]
            let messages = (payload["messages"] as? [[String: Any]] ?? []).compactMap { $0["text"] as? String }
            let name = test.split(separator: "/").prefix(2).joined(separator: "/")
            let heading =
                "\(name.isEmpty ? "some test" : name), \(place["fileID"] ?? "an unknown file"):\(place["line"] ?? 0)"
            let text = ([heading] + messages).joined(separator: "\n    ")
            // An issue of a thread that belongs to no test comes several times.
            if !issues.contains(text) { issues.append(text) }
        default: break
        }
    }
}
