import Freshness

/// Result of the attempt to build an answer out of stored ones.
package enum CompositionOutcome {
    /// The answer's body, and its parts.
    case answer(ComposedBody)
    /// It can be built once this has been fetched.
    case partial(Supplement)
    /// The origin has to be asked: why, is for people and counters.
    case impossible(Refusal)

    /// Whether nothing has to be asked for.
    package var isAnswer: Bool { if case .answer = self { true } else { false } }

    /// Why the origin has to be asked for the whole; nil where it has not.
    package var refusal: Refusal? { if case .impossible(let refusal) = self { refusal } else { nil } }
}

/// A request for the missing parts of a composition.
package struct Supplement {
    /// Canonical, and ready to be sent.
    package let target: [UInt8]
    /// The larger request that it makes in place of the client's; nil where it asks for no more.
    package let growth: Growth?
    /// Whether its answer may serve other clients under its own URL, which is a use of it: it asks
    /// for resources with more than the client wants.
    package var isSuperset: Bool {
        switch growth {
        case .superset, .owner: true
        case .page, nil: false
        }
    }

    /// Why the origin is asked. `partial`: stored parts are joined with its answer.
    package var reason: Reason { growth?.isForAll == true ? .absent : .partial }

    /// - Parameter target: canonical.
    package init(target: [UInt8], growth: Growth? = nil) {
        (self.target, self.growth) = (target, growth)
    }
}
