// The parameters that decorate a response without changing what it is about: include, relate,
// extend, fields, views, limit[rel], restrict, l (APPLE-MUSIC-API 4.3). Unknown names in them are
// ignored silently.

/// Additions to resources that a request asks for.
struct Decorations: Sendable {
    /// Unscoped: applies to the primary resources only.
    private(set) var include: RelationSet = []
    private(set) var relate: RelationSet = []
    private(set) var extend: [String] = []
    private(set) var fields: [String]?
    private(set) var views: [View] = []
    private(set) var asksForCleanItems = false
    private(set) var hasViewAttributes = false
    /// Scoped, by type: applies to every resource of that type anywhere in the response.
    private var scopedInclude: [SimulatedType: RelationSet] = [:]
    private var scopedRelate: [SimulatedType: RelationSet] = [:]
    private var scopedExtend: [SimulatedType: [String]] = [:]
    private var scopedFields: [SimulatedType: [String]] = [:]
    private var limits: [String: Int] = [:]
    /// Whether the parameters name the library relationship, which makes a catalog request personal
    /// (APPLE-MUSIC-API 2.2.2).
    private(set) var namesLibrary = false

    init(_ target: SimulatorTarget) throws(APIError) {
        for parameter in target.parameters {
            let (family, scope) = Self.split(parameter.name)
            switch family {
            case "include", "relate", "extend", "fields", "views", "with": add(parameter.value, family, scope)
            case "restrict" where scope == nil: asksForCleanItems = parameter.value == "explicit"
            case "limit":
                guard let scope else { continue }
                limits[scope] = try Paging.integer(parameter.value, parameter: parameter.name, least: 1)
            default: continue
            }
        }
    }

    /// `include[songs]` is the family `include` with the scope `songs`.
    private static func split(_ name: String) -> (family: String, scope: String?) {
        guard name.hasSuffix("]"), let open = name.firstIndex(of: "[") else { return (name, nil) }
        return (String(name[..<open]), String(name[name.index(after: open)...].dropLast()))
    }

    private mutating func add(_ value: String, _ family: String, _ scope: String?) {
        let names = value.split(separator: ",").map(String.init)
        let relations = names.compactMap(Relation.init(name:)).reduce(into: RelationSet()) {
            $0.formUnion(RelationSet($1))
        }
        if family == "include" || family == "relate", relations.contains(.library) { namesLibrary = true }
        guard let scope else {
            switch family {
            case "include": include.formUnion(relations)
            case "relate": relate.formUnion(relations)
            case "extend": extend += names
            case "fields": fields = (fields ?? []) + names
            case "views": views += names.compactMap(View.init(rawValue:))
            default: hasViewAttributes = hasViewAttributes || names.contains("attributes")
            }
            return
        }
        guard let type = SimulatedType(name: scope) else { return }
        switch family {
        case "include": scopedInclude[type, default: []].formUnion(relations)
        case "relate": scopedRelate[type, default: []].formUnion(relations)
        case "extend": scopedExtend[type, default: []] += names
        case "fields": scopedFields[type, default: []] += names
        default: return
        }
    }

    func include(scopedTo type: SimulatedType) -> RelationSet {
        scopedInclude.isEmpty ? [] : scopedInclude[type] ?? []
    }

    func relate(scopedTo type: SimulatedType) -> RelationSet {
        scopedRelate.isEmpty ? [] : scopedRelate[type] ?? []
    }

    /// The attributes a resource shows besides the usual ones.
    func extensions(of type: SimulatedType, isPrimary: Bool) -> [String] {
        guard !extend.isEmpty || !scopedExtend.isEmpty else { return [] }
        return (isPrimary ? extend : []) + (scopedExtend[type] ?? [])
    }

    /// The only attributes a resource shows; nil for all.
    func projection(of type: SimulatedType, isPrimary: Bool) -> [String]? {
        if let scoped = scopedFields[type] { return scoped }
        return isPrimary ? fields : nil
    }

    /// The number of inline elements: `limit[artists:albums]`, then `limit[albums]`, then the
    /// type's own.
    func inlineLimit(_ type: SimulatedType, _ relation: Relation, standard: Int) -> Int {
        guard !limits.isEmpty else { return standard }
        let name = relation.name
        guard let asked = limits[type.name + ":" + name] ?? limits[name] else { return standard }
        return min(asked, type.limits(of: relation).most)
    }
}
