@testable import Simulator

// How the judge takes targets apart, by the simulator's reading of them and not by the proxy's.

extension SimulatorTarget {
    private var isOfCatalog: Bool { elements.count > 2 && elements[0] == "v1" && elements[1] == "catalog" }

    /// The resources that a request by `ids` asks for, as `type/id`, each once and in its order;
    /// nil for requests of other kinds.
    var asked: [String]? {
        guard isOfCatalog, !parameters.contains(where: { $0.name.hasPrefix("filter[") }) else { return nil }
        if elements.count == 4, let ids = list("ids") { return ids.map { "\(elements[3])/\($0)" } }
        guard elements.count == 3 else { return nil }
        var seen: Set<String> = []
        let names = parameters.map(\.name).filter { $0.hasPrefix("ids[") && seen.insert($0).inserted }
        return names.flatMap { name in (list(name) ?? []).map { "\(name.dropFirst(4).dropLast())/\($0)" } }
    }

    /// `type/id` of the resource that the path names; nil for a path that names none, or goes on.
    var item: String? { isOfCatalog && elements.count == 5 ? "\(elements[3])/\(elements[4])" : nil }

    /// The path of the list that is asked for; nil for requests of other kinds.
    var listPath: String? {
        isOfCatalog && (elements.count == 6 || elements.count == 7) ? elements.dropFirst(3).joined(separator: "/") : nil
    }

    /// Whether it asks for charts or by a search.
    private var findsResources: Bool { elements.count == 4 && ["charts", "search"].contains(elements[3]) }

    /// The storefront and parameters that a resource's state depends on; nil outside the catalog.
    var circumstances: String? {
        guard isOfCatalog else { return nil }
        let choosing: Set = ["ids", "include", "views", "limit", "offset"]
        let finding: Set = ["term", "types", "chart", "genre", "with"]
        let others = parameters.filter { parameter in
            !choosing.contains(parameter.name) && !parameter.name.hasPrefix("ids[")
                && !(findsResources && finding.contains(parameter.name))
        }
        return ([elements[2]] + others.map { "\($0.name)=\(Self.sorted($0.value))" }.sorted()).joined(separator: "&")
    }

    /// The elements of `include`, in one order.
    var includeInOrder: String { Self.sorted((list("include") ?? []).joined(separator: ",")) }

    private static func sorted(_ value: String) -> String {
        value.split(separator: ",").sorted().joined(separator: ",")
    }
}
