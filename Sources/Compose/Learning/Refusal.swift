import AppleMusic

// Why nothing could be built, for `explain` and the counters.
// Must hold: it is made on the way of every miss, so it is a few numbers and allocates nothing;
// its text is made where it is shown (`Refusal-text.swift`). A case is its word in the counters,
// and a word never changes its meaning.

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
        /// The origin's answer behind the end of a list.
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

    init(_ rule: Rule, _ kind: Lack.Kind, _ detail: Lack.Detail = .none) {
        self.init(rule, Lack(kind, detail))
    }

    /// The one that came further, of two that were tried for one request.
    func orFurther(_ other: Refusal) -> Refusal { lack.kind < other.lack.kind ? other : self }
}

extension Refusal {
    /// The refusal of a request that is not composed, or of which nothing is noted.
    /// - Parameter request: nil where the target is not understood.
    package init(nothingHeldOf request: CatalogRequest?) {
        guard let request else {
            self.init(.other, .notUnderstood)
            return
        }
        self.init(Rule(request), .notHeld, .type(request.shape.type))
    }
}

extension Refusal.Rule {
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

/// The missing material of a rule.
package struct Lack: Error, Equatable {
    /// The kinds, in the order in which a composition meets them: of several that were met, the
    /// last one is the most telling. Each is said in words in `Refusal-text.swift`.
    package enum Kind: UInt8, CaseIterable, Sendable {
        // Nothing was tried.
        case notUnderstood, foundOtherwise, switchedOff

        // Nothing is held, or nothing is known of the form.
        case notHeld, formNeverSeen, formRests, formRanOut, formNotUnderstood, typeNeverSeen

        // Batches. More ids than the origin was seen, or is documented, to take are too many.
        case orderUnknown, duplicatesUnknown, tooManyIDs

        // Lists.
        case standardLimitUnknown, limitNeverSeen, pageNotHeld
        /// A larger page would save little: three windows from here on are not on it, or such lists
        /// have mostly ended on it.
        case growthGainsLittle
        case growthMeetsGaps, growthRests, pageHasGaps, pageTooShort
        /// The list ends with the page, and it is not known on which of its places items stand.
        case endUncertain
        case windowEmpty, nextUnknown, pastEndUnknown

        // Resources and relationships.
        /// A parameter such as `extend` changes the resources that are asked for, so that they look
        /// otherwise in other places.
        case parametersForbid
        case placesNeverCompared, placesDiffer, membersDiffer, relationshipNotHeld, relationshipDiffers
        /// Where the origin would end a list of that length was not seen.
        case sizeNeverSeen
        case elementNotHeld
        /// A newer answer shows the resource, one inside it, or the list otherwise than the answers
        /// that could be used.
        case contradicted
        case withdrawn

        // At the end.
        case severalTypes, tooManyMissing, overAge
    }

    /// The subject of a sentence about it.
    enum Detail: Equatable, Sendable {
        case none
        case type(ResourceClass)
        /// Resources of this type, as they are held and as they are wanted.
        case places(ResourceClass, Placement, Placement)
        /// A relationship by the number of its name.
        case relation(ResourceClass, UInt64)
        case offset(Int)
        /// The offset of a page, and how many of its places have no item.
        case gaps(Int, offset: Int)
        case number(Int)
    }

    package let kind: Kind
    let detail: Detail

    init(_ kind: Kind, _ detail: Detail = .none) {
        (self.kind, self.detail) = (kind, detail)
    }

    /// The one of two that came further.
    func orFurther(_ other: Lack?) -> Lack {
        guard let other else { return self }
        return kind < other.kind ? other : self
    }
}

extension Lack.Kind: Comparable {
    package static func < (one: Lack.Kind, other: Lack.Kind) -> Bool { one.rawValue < other.rawValue }
}
