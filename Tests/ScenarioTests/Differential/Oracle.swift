import Foundation
import TestSupport

@testable import Simulator

struct OracleRequest: Hashable {
    var method = "GET"
    let target: String
    /// The value of Music-User-Token.
    var user: String?

    func send(_ client: HTTPTestClient) throws -> HTTPTestClient.Reply {
        try client.send(method, target, fields: user.map { [("Music-User-Token", $0)] } ?? [])
    }

    var simulated: SimulatorRequest {
        var fields = [SimulatorField("Host", "localhost")]
        if let user { fields.append(SimulatorField("Music-User-Token", user)) }
        return SimulatorRequest(
            method: method, target: Array(target.utf8), fields: fields, nowUnixSeconds: 1_790_000_000)
    }
}

/// Where an answer is wrong, and how.
struct Difference: CustomStringConvertible, Equatable {
    enum Rule: String, CaseIterable {
        /// A part is of no acceptable revision.
        case wrong
        /// The parts are of acceptable revisions, and those of one object are of several.
        case mixed
        /// The proxy had fetched a newer state before it composed the answer.
        case superseded
    }

    let rule: Rule
    /// For example `data[3].relationships.artists.next`.
    let path: String
    let reason: String

    init(_ rule: Rule = .wrong, path: String, reason: String) {
        (self.rule, self.path, self.reason) = (rule, path, reason)
    }

    var description: String { "\(rule) \(path.isEmpty ? "the answer" : path): \(reason)" }
}

/// Judges answers by those of the simulated API at the revisions an answer may be of.
///
/// An answer may be put together of objects of different ages. Each resource object is of one
/// revision: its attributes, and the names of the elements of all its lists with `next` and all
/// other members of them. So is each page of a list. An element is an object of its own, but a
/// resource at two places of an answer has the same attributes at both. A 404 is of one revision,
/// and so is the absence of each resource that a batch asks for.
///
/// The proxy may take two stored parts for one revision where the newer part's attributes are byte
/// for byte those of the older, and each relationship of both names the same elements in the same
/// order. A third relationship, of one part alone, may have changed between the two. This judge
/// allows no exception for that.
final class Oracle {
    /// The API's answer to one request at one revision.
    struct Saying {
        let status: Int
        let body: Data
    }

    private struct Question: Hashable {
        let request: OracleRequest
        let revision: Revision
    }

    let api: SimulatedAPI
    /// The number of right answers that differed from the API's at the latest revision.
    private(set) var oldAnswers = 0
    private var sayings: [Question: Saying] = [:]

    init(_ api: SimulatedAPI) { self.api = api }

    func saying(_ request: OracleRequest, at revision: Revision) -> Saying {
        let question = Question(request: request, revision: revision)
        if let saying = sayings[question] { return saying }
        let response = api.respond(to: request.simulated, asOf: revision)
        let saying = Saying(status: response.status, body: Data(response.body))
        if sayings.count > 1000 { sayings = [:] }
        sayings[question] = saying
        return saying
    }

    /// Nil for a right answer.
    ///
    /// - Parameter revisions: those the answer may be of, the latest first; at least one.
    func judge(_ reply: HTTPTestClient.Reply, to request: OracleRequest, _ revisions: [Revision]) -> Difference? {
        var candidates: [Saying] = []
        for revision in revisions {
            let saying = saying(request, at: revision)
            guard saying.status == reply.status else { continue }
            if request.method == "HEAD" {
                return reply.body.isEmpty ? nil : Difference(path: "", reason: "content in an answer to HEAD")
            }
            if saying.body == reply.body {
                if revision != revisions[0] { oldAnswers += 1 }
                return nil
            }
            candidates.append(saying)
        }
        if candidates.isEmpty {
            let statuses = Set(revisions.map { saying(request, at: $0).status }).sorted()
            return Difference(path: "", reason: "status \(reply.status) instead of \(statuses)")
        }
        do {
            let answer = try JSONNode.parse([UInt8](reply.body))
            var values: [JSONNode] = []
            for candidate in candidates {
                values.append(try JSONNode.parse([UInt8](candidate.body)))
                guard values.last?.digest == answer.digest else { continue }
                if candidate.body != saying(request, at: revisions[0]).body { oldAnswers += 1 }
                return nil
            }
            oldAnswers += 1
            if let difference = AnswerComparison(api, request, revisions).compare(answer, values) {
                return difference
            }
            return answer.resourceInTwoStates.map {
                Difference(.mixed, path: "", reason: "\($0) has different attributes at two places")
            }
        } catch {
            return Difference(path: "", reason: "\(error)")
        }
    }
}
