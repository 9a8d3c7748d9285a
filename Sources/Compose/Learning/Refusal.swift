import AppleMusic
import Text

// Why nothing could be built, for `explain` and the counters.
// Must hold: it is made on the way of every miss, so it is two numbers and allocates nothing. A
// case is its word in the counters, and a word never changes its meaning.

/// Why no answer could be built from stored ones: the rule that was tried, and its miss reason.
package struct Refusal: Equatable, Sendable {
    /// The kind of composition that was tried.
    package enum Rule: UInt8, CaseIterable, Sendable {
        /// A single resource.
        case item
        /// Several resources by their ids.
        case batch
        /// A page of a list, out of a stored page of it.
        case window
        /// A larger page in place of the one that is asked for.
        case growth
        /// Tried no longer; `/stats` keeps its member.
        case pastEnd
        /// A request for all missing parts of a composition.
        case supplement
        /// None: answers to such requests are not made of resources that are asked for by name.
        case other
    }

    package let rule: Rule
    package let reason: MissReason

    init(_ rule: Rule, _ reason: MissReason) {
        (self.rule, self.reason) = (rule, reason)
    }

    /// The one that came further, of two that were tried for one request.
    func orFurther(_ other: Refusal) -> Refusal { reason < other.reason ? other : self }

    /// The refusal in plain English, such as `window: the page has no item for it`.
    package var sentence: String { "\(rule.word): \(reason.sentence)" }
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

/// The reasons why a rule built no answer, in the order in which a composition meets them: of
/// several that were met, the last one is the most telling.
package enum MissReason: UInt8, CaseIterable, Comparable, Error {
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
    case parametersForbid, placesNeverCompared, placesRarelyCompared, placesDiffer, membersDiffer
    case relationshipNotHeld, relationshipDiffers
    case sizeNeverSeen, elementNotHeld, contradicted, withdrawn

    // At the end.
    case severalTypes, tooManyMissing, answerTooLarge, sourcesTooLarge, overAge

    private static let words = CaseWords<Self>(separator: "-")

    /// The word in counters.
    package var word: String { Self.words[self] }

    /// The one of two that came further.
    func orFurther(_ other: MissReason?) -> MissReason { max(self, other ?? self) }

    package static func < (one: MissReason, other: MissReason) -> Bool { one.rawValue < other.rawValue }
}

extension MissReason {
    /// The sentence for people.
    fileprivate var sentence: String {
        switch self {
        case .notUnderstood: "answers to this kind of target are not composed"
        case .foundOtherwise: "charts and searches are never composed"
        case .switchedOff: "composing is switched off (compose, windows)"
        case .notHeld: "no fresh stored answer has any of the resources, or a page of the list"
        case .formNeverSeen: "no answer to a request with these parameters was observed, or none that shows enough"
        case .formRests: "the form of the answer is suspended, because an answer contradicted it"
        case .formRanOut: "the form of the answer was not observed again within the lifetime of its answers"
        case .formNotUnderstood: "answers of this form have members other than data and next"
        case .typeNeverSeen: "the form of the answer was never observed with resources of this type"
        case .orderUnknown: "the order of answers to several ids was never observed"
        case .duplicatesUnknown: "an id is requested twice"
        case .tooManyIDs: "there are more ids than the origin was observed to accept"
        case .standardLimitUnknown: "the default page size is not known"
        case .limitNeverSeen: "the limit is higher than any that was observed"
        case .pageNotHeld: "no page of the list with this offset is stored"
        case .growthGainsLittle: "a larger page is not expected to save requests for such lists"
        case .growthMeetsGaps: "such lists have many gaps in this storefront"
        case .growthRests: "larger pages of such lists have not saved requests"
        case .pageHasGaps: "the page has gaps, so the offsets of its items are uncertain"
        case .pageTooShort: "the page with this offset ends within the window"
        case .endUncertain: "the list ends with the page, and missing items cannot be ruled out"
        case .windowEmpty: "the page has no items in this window"
        case .nextUnknown: "the next link of such a page was never observed"
        case .parametersForbid: "parameters of the request do not allow resources from other answers"
        case .placesNeverCompared:
            "no resource was observed both in the kind of answer that has it and in the kind that needs it"
        case .placesRarelyCompared:
            "too few resources were observed in both kinds of answers, or an attribute in the one kind alone"
        case .placesDiffer:
            "resources had other attributes in the kind of answer that has them than in the kind that needs them"
        case .membersDiffer: "the stored resource has other members than the form"
        case .relationshipNotHeld: "no stored answer has the relationship"
        case .relationshipDiffers: "the stored relationship has other members than the form"
        case .sizeNeverSeen: "the origin was never observed to cut a list of this length"
        case .elementNotHeld: "an element is not stored, and no known batch request can fetch it"
        case .contradicted: "a newer answer contradicts the stored ones about a resource or the list"
        case .withdrawn: "the newest answer shows that a resource is absent"
        case .severalTypes: "resources of several types are missing"
        case .tooManyMissing: "more resources are missing than one request can fetch"
        case .answerTooLarge: "the answer, or the part that is missing, is likely to be too large to be kept"
        case .sourcesTooLarge: "the stored answers that it would be made of are too many bytes to be read now"
        case .overAge: "the composed answer is older than the ttl line of its class allows"
        }
    }
}
