/// The parts of a request by which forms of answers may differ.
struct AskedForm: Sendable {
    /// The type in the path.
    var type: SimulatedType?
    /// The ids of `ids`, however they are scoped.
    var ids = 0
    var hasLanguage = false

    init() {}

    init(_ target: SimulatorTarget) {
        if target.elements.count > 3 { type = SimulatedType(catalogPathElement: target.elements[3]) }
        for name in Set(target.parameters.map(\.name)) where name == "ids" || name.hasPrefix("ids[") {
            ids += target.list(name)?.count ?? 0
        }
        hasLanguage = target.first("l") != nil
    }
}
