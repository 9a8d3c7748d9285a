import Simulator
import Synchronization
import Text

// Judges a server's answers by the simulated API that it asks.
//
// Must hold: an answer of one revision as a whole is right. Any other is right where each of
// its pages is that of one revision, and each of its resources has the attributes and the lists of
// one revision. Revisions that are to come when the answer arrives do not count.

/// The verdicts on all answers of a run.
struct Judgement: Sendable {
    var compared = 0
    /// Resources of answers that are of no revision as a whole.
    var objects = 0
    /// Answers that the API gave at no revision, and how they differ.
    var different: [String] = []
    /// Resources whose parts are of several revisions.
    var mixed: [String] = []
}

/// Judges answers; callable from any thread.
final class AnswerJudge: Sendable {
    private let past: PastAnswers
    private let sum = Mutex(Judgement())

    /// - Parameter api: the one that the server asks, for whatever revisions it goes through.
    init(_ api: SimulatedAPI) {
        past = PastAnswers(api)
    }

    var result: Judgement { sum.withLock { $0 } }

    /// Judges an answer that has just arrived.
    func judge(_ target: String, _ status: Int, _ body: [UInt8]) {
        var verdict = verdict(target, status, body)
        verdict.compared = 1
        sum.withLock { $0.add(verdict) }
    }

    private func verdict(_ target: String, _ status: Int, _ body: [UInt8]) -> Judgement {
        let revisions = past.revisions
        // The ids of errors differ from answer to answer.
        let isWhole = revisions.contains { revision in
            past.status(target, at: revision) == status
                && (status != 200 || past.isBody(body, of: target, at: revision))
        }
        if isWhole { return Judgement() }
        guard status == 200, let document = try? JSON.parse(body) else {
            return Judgement(different: ["status \(status): \(target)"])
        }
        guard revisions.count > 1, document["data"] != nil else {
            let isSaid = revisions.contains {
                JSONDifference.first(expected: past.body(target, at: $0), found: body) == nil
            }
            return isSaid ? Judgement() : Judgement(different: [target])
        }
        var parts = PartsJudge(past, revisions, target)
        parts.judge(document)
        return parts.verdict
    }
}

extension Judgement {
    mutating func add(_ other: Judgement) {
        compared += other.compared
        objects += other.objects
        different += other.different
        mixed += other.mixed
    }
}

/// The answers of the simulated API at its revisions, the latest first.
final class PastAnswers: Sendable {
    private struct Question: Hashable {
        let target: String
        let revision: Int
    }

    private struct Answer {
        let status: Int
        let digest: Int
    }

    private let api: SimulatedAPI
    /// Statuses and digests are kept; there are too many bodies.
    private let answers = Mutex<[Question: Answer]>([:])

    init(_ api: SimulatedAPI) {
        self.api = api
    }

    /// All until now.
    var revisions: [Int] { (0...api.revision.catalog).reversed() }

    func status(_ target: String, at revision: Int) -> Int { answer(target, revision).status }

    /// Whether the answer has these bytes.
    func isBody(_ body: [UInt8], of target: String, at revision: Int) -> Bool {
        answer(target, revision).digest == body.hashValue
    }

    func body(_ target: String, at revision: Int) -> [UInt8] { ask(target, revision).body }

    func document(_ target: String, at revision: Int) -> JSON? { try? JSON.parse(body(target, at: revision)) }

    private func answer(_ target: String, _ revision: Int) -> Answer {
        let question = Question(target: target, revision: revision)
        if let answer = answers.withLock({ $0[question] }) { return answer }
        let response = ask(target, revision)
        let answer = Answer(status: response.status, digest: response.body.hashValue)
        answers.withLock { $0[question] = answer }
        return answer
    }

    private func ask(_ target: String, _ revision: Int) -> SimulatorResponse {
        api.respond(
            to: SimulatorRequest(target: Array(target.utf8), nowUnixSeconds: ObservedAPI.now),
            asOf: Revision(catalog: revision))
    }
}
