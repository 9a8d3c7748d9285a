import Foundation
import TestSupport
import Text

@testable import Simulator

/// One request of a differential test.
struct OracleRequest: Hashable {
    var method = "GET"
    let target: String
    /// The value of Music-User-Token.
    var user: String?

    var simulated: SimulatorRequest {
        var fields = [SimulatorField("Host", "localhost")]
        if let user { fields.append(SimulatorField("Music-User-Token", user)) }
        return SimulatorRequest(
            method: method, target: Array(target.utf8), fields: fields, nowUnixSeconds: 1_790_000_000)
    }
}

/// Where an answer is wrong, and how.
struct Difference: CustomStringConvertible, Equatable {
    /// For example `data[3].relationships.artists.next`.
    let path: String
    let reason: String

    var description: String { "\(path.isEmpty ? "the answer" : path): \(reason)" }
}

/// Judges answers by what the simulated API says at the revisions an answer may be of.
///
/// An answer may be put together of parts of different ages: an object's attributes are those of
/// one revision as a whole, and so is each list with its `next` and all else beside its elements;
/// the shapes are those of some revision at that place.
final class Oracle {
    /// What the API says to one request at one revision.
    struct Saying {
        let status: Int
        let body: Data
    }

    private struct Question: Hashable {
        let request: OracleRequest
        let revision: Revision
    }

    let api: SimulatedAPI
    /// How many right answers were not what the API says at the latest revision.
    private(set) var oldAnswers = 0
    private var sayings: [Question: Saying] = [:]

    init(_ api: SimulatedAPI) {
        self.api = api
    }

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
            return AnswerComparison(api, request, revisions).compare(answer, values)
        } catch let malformed as JSONNode.Malformed {
            return Difference(path: "", reason: "not JSON at byte \(malformed.offset): \(malformed.reason)")
        } catch {
            return Difference(path: "", reason: "\(error)")
        }
    }
}
