import Foundation

/// A request to the catalog, as its meaning: equal for all spellings of one URL.
struct HuntRequest: Hashable, Sendable {
    enum Subject: Hashable, Sendable {
        case item(HuntType, id: String)
        case batch(HuntType, ids: [String])
        case list(HuntType, id: String, HuntRelation)
    }

    var storefront = "us"
    let subject: Subject
    var offset: Int?
    var limit: Int?
    /// By the type in brackets, empty for requested resources; each in one order, because it is a
    /// set.
    var includes: [String: [HuntRelation]] = [:]
    var relates: [String: [HuntRelation]] = [:]
    var views: [HuntRelation] = []
    /// Whether requested resources show an attribute that they do not have by default.
    var extends = false
    var language: String?

    init(_ subject: Subject) { self.subject = subject }

    /// The type in the path.
    var type: HuntType {
        switch subject {
        case .item(let type, _), .batch(let type, _), .list(let type, _, _): type
        }
    }

    /// The ids of a batch; nil for other requests.
    var asked: [String]? {
        if case .batch(_, let ids) = subject { ids } else { nil }
    }

    var isItem: Bool { if case .item = subject { true } else { false } }

    var includesGenres: Bool { includes[""]?.contains(.genres) == true }

    // MARK: Spelling

    /// The path without a query.
    var path: String {
        let base = "/v1/catalog/\(storefront)/"
        switch subject {
        case .item(let type, let id): return "\(base)\(type.rawValue)/\(id)"
        case .batch(let type, _): return "\(base)\(type.rawValue)"
        case .list(let type, let id, let relation): return "\(base)\(type.rawValue)/\(id)/\(relation.rawValue)"
        }
    }

    var parameters: [(name: String, value: String)] {
        func named(_ family: String, _ sets: [String: [HuntRelation]]) -> [(name: String, value: String)] {
            sets.sorted { $0.key < $1.key }.map { type, names in
                (type.isEmpty ? family : "\(family)[\(type)]", names.map(\.name).joined(separator: ","))
            }
        }
        var found: [(name: String, value: String)] = asked.map { [("ids", $0.joined(separator: ","))] } ?? []
        found += named("include", includes) + named("relate", relates)
        if !views.isEmpty { found.append(("views", views.map(\.name).joined(separator: ","))) }
        if extends { found.append(("extend", Self.extraAttribute)) }
        if let language { found.append(("l", language)) }
        if let limit { found.append(("limit", "\(limit)")) }
        if let offset { found.append(("offset", "\(offset)")) }
        return found
    }

    /// The attribute that `extend` may name.
    static let extraAttribute = "editorialVideo"

    var target: String {
        let query = parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        return query.isEmpty ? path : "\(path)?\(query)"
    }

    /// The target with its parameters in another order and its commas escaped.
    var otherTarget: String {
        let query = parameters.reversed().map { name, value in
            let names = name.replacing("[", with: "%5B").replacing("]", with: "%5D")
            return "\(names)=\(value.replacing(",", with: "%2C"))"
        }
        return query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
    }
}

extension HuntRequest {
    /// Nil for a target that this origin does not know.
    init?(target: String) {
        guard let parts = URLComponents(string: target) else { return nil }
        let query = (parts.queryItems ?? []).map { (name: $0.name, value: $0.value ?? "") }
        let ids = query.first { $0.name == "ids" }?.value.split(separator: ",").map(String.init)
        let words = parts.path.split(separator: "/").map(String.init)
        guard words.count > 3, words[0] == "v1", words[1] == "catalog", let type = HuntType(rawValue: words[3]) else {
            return nil
        }
        switch words.count {
        case 4:
            guard let ids, !ids.isEmpty else { return nil }
            self.init(.batch(type, ids: ids))
        case 5: self.init(.item(type, id: words[4]))
        default:
            guard let relation = HuntRelation(rawValue: words[5...].joined(separator: "/")),
                (relation.isView ? type.views : type.relations).contains(relation)
            else { return nil }
            self.init(.list(type, id: words[4], relation))
        }
        storefront = words[2]
        for parameter in query where parameter.name != "ids" {
            guard take(parameter.name, parameter.value) else { return nil }
        }
    }

    /// Whether this origin knows the parameter.
    private mutating func take(_ name: String, _ value: String) -> Bool {
        let words = name.split(separator: "[")
        let scope = words.count == 2 ? String(words[1].dropLast()) : ""
        switch words.first ?? "" {
        case "include": includes[scope] = Self.names(value)
        case "relate": relates[scope] = Self.names(value)
        case "views":
            views = value.split(separator: ",").compactMap { HuntRelation(rawValue: "view/\($0)") }
                .sorted { $0.rawValue < $1.rawValue }
        case "extend":
            guard value == Self.extraAttribute else { return false }
            extends = true
        case "l": language = value
        case "limit": limit = Int(value)
        case "offset": offset = Int(value)
        default: return false
        }
        return true
    }

    private static func names(_ value: String) -> [HuntRelation] {
        value.split(separator: ",").compactMap { HuntRelation(rawValue: String($0)) }
            .sorted { $0.rawValue < $1.rawValue }
    }
}
