import Simulator
import Text

// The simulated API as the trace generator sees it: in this process, every answer
// asked for once.

/// The parts of an answer that an app reads.
struct ObservedAnswer {
    struct Item {
        let type: String
        let id: String
        let name: String
    }

    /// A list inside the first resource.
    struct Related {
        let items: [Item]
        let next: String?
    }

    let status: Int
    /// The primary resources; of searches and charts the results of all types, one type after the
    /// other.
    let items: [Item]
    /// Where the answer goes on.
    let next: String?
    let related: [String: Related]
    /// Terms of hints and suggestions, for the user to choose from.
    let terms: [String]
}

final class ObservedAPI {
    /// The time of all requests; the catalog does not depend on it.
    static let now: Int64 = 1_790_000_000
    private let api: SimulatedAPI
    private var answers: [String: ObservedAnswer] = [:]

    init(_ configuration: SimulatorConfiguration) {
        api = SimulatedAPI(configuration: configuration)
    }

    subscript(target: String) -> ObservedAnswer {
        if let answer = answers[target] { return answer }
        let response = api.respond(to: SimulatorRequest(target: Array(target.utf8), nowUnixSeconds: Self.now))
        let body = (try? JSON.parse(response.body)) ?? .null
        let answer = ObservedAnswer(response.status, body)
        answers[target] = answer
        return answer
    }
}

extension ObservedAnswer {
    fileprivate init(_ status: Int, _ body: JSON) {
        self.status = status
        next = body["next"]?.stringValue
        var items = Self.items(of: body)
        var terms: [String] = []
        for member in body["results"]?.objectValue?.members ?? [] {
            switch member.key {
            case "terms": terms = (member.value.arrayValue ?? []).compactMap(\.stringValue)
            case "suggestions":
                terms = (member.value.arrayValue ?? []).compactMap { $0["searchTerm"]?.stringValue }
                items += (member.value.arrayValue ?? []).compactMap { $0["content"].flatMap(Self.item) }
            default:
                for list in member.value.arrayValue ?? [member.value] { items += Self.items(of: list) }
            }
        }
        self.items = items
        self.terms = terms
        let relationships = body["data"]?[0]?["relationships"]?.objectValue?.members ?? []
        related = Dictionary(
            uniqueKeysWithValues: relationships.map { member in
                (member.key, Related(items: Self.items(of: member.value), next: member.value["next"]?.stringValue))
            })
    }

    private static func items(of list: JSON) -> [Item] {
        (list["data"]?.arrayValue ?? []).compactMap(item)
    }

    private static func item(_ json: JSON) -> Item? {
        guard let type = json["type"]?.stringValue, let id = json["id"]?.stringValue else { return nil }
        return Item(type: type, id: id, name: json["attributes"]?["name"]?.stringValue ?? "")
    }
}
