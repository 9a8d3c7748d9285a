// The parameters that decorate a response without changing its resources: include, relate, extend,
// fields, views, limit[rel], restrict, l (APPLE-MUSIC-API 4.3). Unknown names in them are ignored
// silently.

struct Decorations: Sendable {
    private(set) var views: [View] = []
    private(set) var asksForCleanItems = false
    private(set) var hasViewAttributes = false
    /// Whether the parameters name the library relationship, which makes a catalog request personal
    /// (APPLE-MUSIC-API 2.2.2).
    private(set) var namesLibrary = false
    /// By the type in brackets, and then for every resource of that type anywhere in the response;
    /// without a type for the primary resources alone.
    private var includes: [SimulatedType?: RelationSet] = [:]
    private var relates: [SimulatedType?: RelationSet] = [:]
    private var extended: [SimulatedType?: [String]] = [:]
    private var projections: [SimulatedType?: [String]] = [:]
    private var limits: [String: Int] = [:]

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
        let type = scope.flatMap(SimulatedType.init(name:))
        if scope != nil, type == nil { return }
        switch family {
        case "include": includes[type, default: []].formUnion(relations)
        case "relate": relates[type, default: []].formUnion(relations)
        case "extend": extended[type, default: []] += names
        case "fields": projections[type, default: []] += names
        case "views" where scope == nil: views += names.compactMap(View.init(name:))
        case "with" where scope == nil: hasViewAttributes = hasViewAttributes || names.contains("attributes")
        default: return
        }
    }

    /// - Parameter type: nil for the relationships that only primary resources include.
    func include(scopedTo type: SimulatedType? = nil) -> RelationSet { includes[type] ?? [] }

    func relate(scopedTo type: SimulatedType? = nil) -> RelationSet { relates[type] ?? [] }

    func extensions(of type: SimulatedType, isPrimary: Bool) -> [String] {
        (isPrimary ? extended[nil] ?? [] : []) + (extended[type] ?? [])
    }

    /// The only attributes a resource shows; nil for all.
    func projection(of type: SimulatedType, isPrimary: Bool) -> [String]? {
        projections[type] ?? (isPrimary ? projections[nil] : nil)
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
