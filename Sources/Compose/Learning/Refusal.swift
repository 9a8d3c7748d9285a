import AppleMusic
import Text

// Why nothing could be built, for `explain` and the counters.
// Must hold: it is made on the way of every miss, so it is two numbers and allocates nothing. A
// case is its word in the counters, and a word never changes its meaning.

/// Why no answer could be built out of what is held: the rule that was tried, and what it lacked.
package struct Refusal: Equatable, Sendable {
    /// The kind of composition that was tried.
    package enum Rule: UInt8, CaseIterable, Sendable {
        /// One resource.
        case item
        /// Several resources by their ids.
        case batch
        /// A page of a list, out of a stored page of it.
        case window
        /// A larger page in place of the one that is asked for.
        case growth
        /// Tried no longer; `/stats` keeps its member.
        case pastEnd
        /// One request for all that a composition lacks.
        case supplement
        /// Nothing: answers to such requests are not made of resources that are asked for by name.
        case other
    }

    package let rule: Rule
    package let lack: Lack

    init(_ rule: Rule, _ lack: Lack) {
        (self.rule, self.lack) = (rule, lack)
    }

    /// The one that came further, of two that were tried for one request.
    func orFurther(_ other: Refusal) -> Refusal { lack < other.lack ? other : self }

    /// The refusal in plain English, such as `window: the page has no item for it`.
    package var sentence: String { "\(rule.word): \(lack.sentence)" }
}

extension Refusal {
    /// The refusal of a request that is not composed, or of which nothing is noted.
    /// - Parameter request: nil where the target is not understood.
    package init(nothingHeldOf request: CatalogRequest?) {
        guard let request else {
            self.init(.other, .notUnderstood)
            return
        }
        self.init(Rule(request), .notHeld)
    }
}

extension Refusal.Rule {
    private static let words = CaseWords<Self>(separator: "-")

    /// The word in counters.
    package var word: String { Self.words[self] }

    /// The rule that is tried first.
    init(_ request: CatalogRequest) {
        self =
            switch request.shape.subject {
            case .item: .item
            case .batch: .batch
            case .list: .window
            case .results: .other
            }
    }
}

/// The missing material of a rule, in the order in which a composition meets it: of several that
/// were met, the last one is the most telling.
package enum Lack: UInt8, CaseIterable, Comparable, Error {
    // Nothing was tried.
    case notUnderstood, foundOtherwise, switchedOff

    // Nothing is held, or nothing is known of the form.
    case notHeld, formNeverSeen, formRests, formRanOut, formNotUnderstood, typeNeverSeen

    // Batches.
    case orderUnknown, duplicatesUnknown, tooManyIDs

    // Lists.
    case standardLimitUnknown, limitNeverSeen, pageNotHeld
    case growthGainsLittle, growthMeetsGaps, growthRests
    case pageHasGaps, pageTooShort, endUncertain, windowEmpty, nextUnknown

    // Resources and relationships.
    case parametersForbid, placesNeverCompared, placesDiffer, membersDiffer, relationshipNotHeld, relationshipDiffers
    case sizeNeverSeen, elementNotHeld, contradicted, withdrawn

    // At the end.
    case severalTypes, tooManyMissing, overAge

    private static let words = CaseWords<Self>(separator: "-")

    /// The word in counters.
    package var word: String { Self.words[self] }

    /// The one of two that came further.
    func orFurther(_ other: Lack?) -> Lack { max(self, other ?? self) }

    package static func < (one: Lack, other: Lack) -> Bool { one.rawValue < other.rawValue }
}

extension Lack {
    /// The sentence for people.
    fileprivate var sentence: String {
        switch self {
        case .notUnderstood: "answers to such targets are not composed"
        case .foundOtherwise: "charts and searches are never composed"
        case .switchedOff: "it is switched off (compose, windows)"
        case .notHeld: "none of the resources, or no page of the list, is held in a fresh answer"
        case .formNeverSeen: "no answer to a request with these parameters was seen, or none that shows enough"
        case .formRests: "the form of the answer rests, because an answer contradicted it"
        case .formRanOut: "the form of the answer was not seen again within the lifetime of its answers"
        case .formNotUnderstood: "answers of this form have members beside data and next"
        case .typeNeverSeen: "the form of the answer was never seen with resources of this type"
        case .orderUnknown: "the order in which a list of several ids is answered was never seen"
        case .duplicatesUnknown: "an id is asked for twice"
        case .tooManyIDs: "the ids are more than the origin was seen to take"
        case .standardLimitUnknown: "how many items a page without a limit has is not known"
        case .limitNeverSeen: "the limit is above any that was seen"
        case .pageNotHeld: "no page of the list with this offset is held"
        case .growthGainsLittle: "a larger page would spare no requests, as far as is known of such lists"
        case .growthMeetsGaps: "such lists have many gaps in this storefront"
        case .growthRests: "larger pages of such lists have not paid"
        case .pageHasGaps: "the page has fewer items than places, so no item has a certain offset"
        case .pageTooShort: "the page with this offset ends within the window"
        case .endUncertain: "the list ends with the page, and it is not known whether items are missing"
        case .windowEmpty: "the page has no item for it"
        case .nextUnknown: "the next link of such a page was never seen"
        case .parametersForbid: "parameters of the request forbid to take resources from other places"
        case .placesNeverCompared: "no resource was seen both where it is held and where it is wanted"
        case .placesDiffer: "resources showed other attributes where they are held than where they are wanted"
        case .membersDiffer: "the resource is held with other members than the form shows"
        case .relationshipNotHeld: "no held answer has the relationship"
        case .relationshipDiffers: "the relationship is held with other members than the form shows"
        case .sizeNeverSeen: "where the origin ends a list of that length was never seen"
        case .elementNotHeld: "an element is not held, and no batch is known to bring it"
        case .contradicted: "a newer answer shows a resource or the list otherwise than the held answers"
        case .withdrawn: "the newest answer shows that a resource is absent"
        case .severalTypes: "resources of several types are missing"
        case .tooManyMissing: "more resources are missing than one request brings"
        case .overAge: "what was built is older than the ttl line of its class allows"
        }
    }
}
