import AppleMusic

// Why nothing could be built, for `explain` and the counters.
// Must hold: it is made on the way of every miss, so it is a few numbers and allocates nothing;
// its text is made where it is shown (`Refusal-text.swift`). A word never changes its meaning.

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
        self.rule = rule
        self.lack = lack
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
    /// last one is the most telling.
    package enum Kind: UInt8, CaseIterable, Sendable {
        // MARK: Nothing was tried

        /// The target is of no kind that is composed.
        case notUnderstood
        /// Charts and searches find resources by other means.
        case foundOtherwise
        /// `compose off`, `windows off`.
        case switchedOff

        // MARK: Nothing is held, or nothing is known of the form

        /// None of the resources, or no page of the list, is in a fresh answer.
        case notHeld
        /// No answer in this form was seen.
        case formNeverSeen
        /// An answer contradicted what was known of the form.
        case formRests
        /// The answers that showed the form have lived out their time.
        case formRanOut
        /// Answers of this form have members around `data` that are not understood.
        case formNotUnderstood
        /// The form was seen without a resource of this type.
        case typeNeverSeen

        // MARK: Batches

        /// No batch of several was seen, so that the order of its resources is not known.
        case orderUnknown
        /// The answer to an id that is asked for twice was not seen.
        case duplicatesUnknown
        /// More ids than the origin was seen, or is documented, to take.
        case tooManyIDs

        // MARK: Lists

        /// How many items a page has that is asked for without a limit is not known.
        case standardLimitUnknown
        /// The limit is above any that the origin was seen to take.
        case limitNeverSeen
        /// No held page of the list has the offset.
        case pageNotHeld
        /// A larger page would save little: three windows from here on are not on it, or such lists
        /// have mostly ended on it.
        case growthGainsLittle
        /// Lists of this form have too many gaps in this storefront.
        case growthMeetsGaps
        /// Larger pages have not paid in lists like this one.
        case growthRests
        /// The page that has the offset has fewer items than places.
        case pageHasGaps
        /// The window goes on behind the page that has its offset.
        case pageTooShort
        /// The list ends with the page, and it is not known on which of its places items stand.
        case endUncertain
        /// The window has no item.
        case windowEmpty
        /// How the origin writes `next` for such a request was not seen.
        case nextUnknown
        /// The list ends before the window, and what the origin answers there was not seen.
        case pastEndUnknown

        // MARK: Resources and relationships

        /// A parameter such as `extend` changes the resources that are asked for, so that they look
        /// otherwise in other places.
        case parametersForbid
        /// It was never seen that resources look the same in the place held and in the place
        /// wanted.
        case placesNeverCompared
        /// They were seen to differ.
        case placesDiffer
        /// The resource is held with other members than the form shows.
        case membersDiffer
        /// No held answer has the relationship.
        case relationshipNotHeld
        /// It is held with other members than the form shows.
        case relationshipDiffers
        /// Where the origin would end a list of that length was not seen.
        case sizeNeverSeen
        /// An element is held nowhere, and no batch is known to bring it in this shape.
        case elementNotHeld
        /// A newer answer shows the resource, one inside it, or the list otherwise than the answers
        /// that could be used.
        case contradicted
        /// The newest answer shows that the resource is absent.
        case withdrawn

        // MARK: At the end

        /// The missing resources are of several types, so that no one request brings them.
        case severalTypes
        /// More is missing than one request may ask for.
        case tooManyMissing
        /// The answer would be older than the `ttl` line of its class allows.
        case overAge
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
        self.kind = kind
        self.detail = detail
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
