import AppleMusic
import Purging

/// The answer to a request as purges see it before its content is known.
struct AwaitedAnswer: Selectable {
    let target: [UInt8]
    let storefront: [UInt8]
    let classTag: UInt8
    /// The numbers of the resources that the request asks for. The answer may name others, which
    /// only its content shows.
    let resources: [UInt64]

    init(to target: [UInt8], _ facts: PlanFacts, asking wanted: CatalogRequest?) {
        (self.target, storefront) = (target, facts.route.storefront?.bytes ?? [])
        (classTag, resources) = (facts.route.resourceClass.rawValue, wanted?.askedResources ?? [])
    }

    init(to request: OriginRequest) {
        self.init(to: request.forwarded.target, request.facts, asking: request.wanted)
    }

    func answers(_ test: ([UInt8]) -> Bool) -> Bool { test(target) }
    func mayBeOfClass(_ tag: UInt8) -> Bool { tag == classTag }
    func mayName(_ resource: UInt64) -> Bool { resources.contains(resource) }
    var named: [UInt64]? { resources }
}

extension CatalogRequest {
    /// The numbers of the resources that it asks for: not that of a list's parent.
    fileprivate var askedResources: [UInt64] {
        switch shape.subject {
        case .item, .batch: resources.map(\.number)
        case .list, .results: []
        }
    }
}

extension Purges {
    /// Whether a purge since `born` has chosen an answer.
    func choose(_ answer: @autoclosure () -> some Selectable, since born: Int64) -> Bool {
        born != newest && verdict(on: answer(), since: born) != .untouched
    }
}
