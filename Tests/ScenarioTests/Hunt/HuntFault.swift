/// An answer that breaks a promise.
struct HuntFault: CustomStringConvertible, Sendable {
    enum Rule: String, CaseIterable, Sendable {
        /// The status is none that the origin gave, or had failed with.
        case status
        /// The answer says an age at which it is served no more.
        case age
        /// A part is no state that the origin had within the age of the answer.
        case state
        /// A resource is missing that the origin had all the time.
        case absence
        /// One answer has two states of one resource.
        case mixed
        /// The URL has shown a later state.
        case back
        /// A composed answer has a part that a newer answer of the origin contradicts.
        case older
        /// The answer has another form than the origin's, or other attributes than the revision.
        case form
        /// A part is older than a purge that removed it.
        case purge
        /// 200, 206, 304 and HEAD differ.
        case agreement
    }

    let rule: Rule
    /// For example `data[2].relationships.artists`; empty for the whole answer.
    let path: String
    let reason: String

    init(_ rule: Rule, _ path: String = "", _ reason: String) {
        (self.rule, self.path, self.reason) = (rule, path, reason)
    }

    var description: String { "\(rule.rawValue)\(path.isEmpty ? "" : " \(path)"): \(reason)" }
}

/// A state that an answer shows.
struct HuntSight: Sendable {
    let thing: HuntThing
    /// The first moment of the state, of those that the answer may be of.
    let earliest: Int
    let latest: Int
    let path: String
    /// The place of a resource that is there.
    var place: HuntPlace?
}

/// The result of judging one answer.
struct HuntVerdict: Sendable {
    var faults: [HuntFault] = []
    var sights: [HuntSight] = []
    /// Whether its content was compared.
    var isJudged = true
}

/// A purge that an operator asked for.
struct HuntPurge: Sendable, CustomStringConvertible {
    enum Scope: Sendable {
        case everything
        case storefront(String)
        case target(HuntRequest)
        case resource(HuntName)
    }

    let scope: Scope
    /// Whether it removes answers; otherwise it makes them stale.
    let isHard: Bool
    let moment: Int

    var description: String {
        let chosen =
            switch scope {
            case .everything: "everything"
            case .storefront(let storefront): storefront
            case .target(let request): request.target
            case .resource(let name): "what names \(name)"
            }
        return "\(isHard ? "hard" : "soft") purge of \(chosen)"
    }
}
