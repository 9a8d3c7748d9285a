/// The origin's newest answers about each resource, in whatever form.
struct HuntNewest: Sendable {
    /// The parameters that a resource's state depends on for the proxy: all but those that choose
    /// resources and what is included for them (DECISIONS 9.5), and `relate` (DECISIONS 9.17).
    private struct Circumstances: Hashable {
        let name: HuntName
        let storefront: String
        let language: String?
        let extends: Bool
        let scopedIncludes: [String: [HuntRelation]]

        init(_ name: HuntName, _ request: HuntRequest) {
            (self.name, storefront, language, extends) = (name, request.storefront, request.language, request.extends)
            scopedIncludes = request.includes.filter { !$0.key.isEmpty }
        }
    }

    private struct Mention: Hashable {
        let name: HuntName
        let storefront: String
    }

    /// An answer of the origin.
    private struct Sight {
        let moment: Int
        let target: String
        /// The number of losses before it.
        let loss: Int
    }

    private var shown: [Circumstances: Sight] = [:]
    private var missed: [Circumstances: Sight] = [:]
    private var mentioned: [Mention: Sight] = [:]
    /// The number of times that answers may have been lost.
    private var losses = 0

    /// Notes that answers which named resources may be gone.
    mutating func noteLoss() { losses += 1 }

    mutating func note(_ answer: HuntWorld.Answer, to request: HuntRequest, _ world: HuntWorld, at moment: Int) {
        let sight = Sight(moment: moment, target: request.target, loss: losses)
        if answer.status == 404 {
            guard case .item(let type, let id) = request.subject else { return }
            let name = world.name(type, id)
            // While a fresh answer names the resource, its 404 is not believed.
            let mention = mentioned[Mention(name: name, storefront: request.storefront)]
            if let mention, moment - mention.moment < world.traits.longestAge { return }
            missed[Circumstances(name, request)] = sight
            return
        }
        note(answer.document, request, sight)
        for name in world.asked(request) where !world.has(name, in: request.storefront, at: moment) {
            missed[Circumstances(name, request)] = sight
        }
    }

    private mutating func note(_ node: JSONNode, _ request: HuntRequest, _ sight: Sight) {
        if let name = node.identity.flatMap(HuntName.init) {
            mentioned[Mention(name: name, storefront: request.storefront)] = sight
            if node["attributes"] != nil { shown[Circumstances(name, request)] = sight }
        }
        for child in node.members.map(\.value) + node.elements { note(child, request, sight) }
    }

    /// Nil for a part of a composed answer that nothing newer contradicts.
    /// - Parameter absenceFor: the seconds for which an absence counts.
    func fault(_ sight: HuntSight, _ request: HuntRequest, at now: Int, absenceFor: Int) -> HuntFault? {
        guard case .resource(let name) = sight.thing else { return nil }
        func fault(_ other: Sight?, _ how: String) -> HuntFault? {
            guard let other, sight.latest < other.moment else { return nil }
            let seen = "was \(how) \(now - other.moment) s ago by \(other.target)"
            let reason = "\(name) is of \(now - sight.latest) s ago, and \(seen)"
            return HuntFault(.older, sight.path, reason)
        }
        let circumstances = Circumstances(name, request)
        guard let place = sight.place else {
            let mention = mentioned[Mention(name: name, storefront: request.storefront)]
            return fault(mention.flatMap { $0.loss == losses ? $0 : nil }, "named")
        }
        let missed = missed[circumstances].flatMap { $0.moment > now - absenceFor && place == .requested ? $0 : nil }
        return fault(shown[circumstances], "shown") ?? fault(missed, "missing")
    }
}
