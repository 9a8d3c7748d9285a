import Foundation

/// How the tests of a run came out, from the events that Swift Testing writes.
struct RunTally {
    private var functions: Set<String> = []
    private var begun: Set<String> = []
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

    private var open: Set<String> { functions.intersection(begun).subtracting(ended) }

    /// The names of the tests that have begun and not ended.
    var running: [String] { open.map(Self.name).sorted() }

    /// How many tests have neither begun nor been skipped.
    var unstartedCount: Int { functions.subtracting(begun).subtracting(skipped).count }

    /// Without the place in the file.
    private static func name(_ test: String) -> String {
        test.split(separator: "/").prefix(2).joined(separator: "/")
    }

    /// The tests that an issue may belong to which another thread has recorded: those that run of
    /// the file in which it is, or else all that run.
    private func candidates(in file: String) -> Set<String> {
        let ofFile = open.filter { $0.contains("/\(file):") }
        return ofFile.isEmpty ? open : ofFile
    }

    private mutating func note(_ kind: String, _ payload: [String: Any]) {
        let test = payload["testID"] as? String ?? ""
        switch kind {
        case "function": functions.insert(payload["id"] as? String ?? "")
        case "testStarted": begun.insert(test)
        case "testEnded": ended.insert(test)
        case "testSkipped": skipped.insert(test)
        case "issueRecorded":
            let issue = payload["issue"] as? [String: Any] ?? [:]
            guard issue["isKnown"] as? Bool != true, issue["severity"] as? String != "warning" else { return }
            let place = issue["sourceLocation"] as? [String: Any] ?? [:]
            let file = (place["fileID"] as? String ?? "").split(separator: "/").last.map(String.init) ?? ""
            let tests = test.isEmpty ? candidates(in: file) : [test]
            failed.insert(tests.count == 1 ? tests.first ?? "" : "")
            let messages = (payload["messages"] as? [[String: Any]] ?? []).compactMap { $0["text"] as? String }
            let names = tests.isEmpty ? "some test" : tests.map(Self.name).sorted().joined(separator: " or ")
            let heading =
                "\(names), \(place["fileID"] ?? "an unknown file"):\(place["line"] ?? 0)"
            let text = ([heading] + messages).joined(separator: "\n    ")
            // An issue of a thread that belongs to no test comes several times.
            if !issues.contains(text) { issues.append(text) }
        default: break
        }
    }
}
