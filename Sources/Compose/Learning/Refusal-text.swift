import AppleMusic
import Text

// The words of refusals: for the counters, and for people.

extension Refusal.Rule {
    private static let words = CaseWords<Self>(separator: "-")

    /// The word in counters.
    package var word: String { Self.words[self] }
}

extension Lack.Kind {
    private static let words = CaseWords<Self>(separator: "-")

    /// The word in counters.
    package var word: String { Self.words[self] }
}

extension Refusal {
    /// In plain English, such as `window: the page at offset 0 has 2 gaps`.
    /// - Parameter request: what was asked for; nil where it is not understood.
    package func sentence(of request: CatalogRequest?) -> String {
        guard let request else { return "answers to such targets are not composed" }
        return "\(rule.word): \(text(request))"
    }

    private func text(_ request: CatalogRequest) -> String {
        switch lack.kind {
        case .notUnderstood: "answers to such targets are not composed"
        case .foundOtherwise: "charts and searches are never composed"
        case .switchedOff: "it is switched off (compose, windows)"
        case .notHeld where rule == .window: "no fresh page of the list is held"
        case .notHeld: "none of the \(resources) is held in a fresh answer"
        case .formNeverSeen: "the form \(request.formText) was never seen"
        case .formRests: "the form \(request.formText) rests, because an answer contradicted it"
        case .formRanOut: "the form \(request.formText) was not seen again within the lifetime of its answers"
        case .formNotUnderstood: "the form \(request.formText) has members beside data and next"
        case .typeNeverSeen: "the form \(request.formText) was never seen with \(resources)"
        case .orderUnknown: "the order in which \(request.formText) lists several was never seen"
        case .duplicatesUnknown: "what \(request.formText) does with an id that is asked for twice was never seen"
        case .tooManyIDs: "\(number) ids are more than the origin was seen to take"
        default: rule == .window || rule == .growth || rule == .pastEnd ? listText(request) : resourceText(request)
        }
    }

    /// Text about lists. Elements of a page are resources, so the rest is said of those.
    private func listText(_ request: CatalogRequest) -> String {
        switch lack.kind {
        case .standardLimitUnknown: "how many items a page without a limit has is not known"
        case .limitNeverSeen: "the limit \(number) is above any that was seen"
        case .pageNotHeld: "no page of the list with offset \(number) is held"
        case .growthGainsLittle: "a larger page would spare no requests, as far as is known of such lists"
        case .growthMeetsGaps: "lists of the form \(request.formText) have many gaps in \(request.storefront.text)"
        case .growthRests: "larger pages of the form \(request.formText) have not paid"
        case .pageHasGaps: gapsText
        case .pageTooShort: "the page at offset \(number) ends within the window"
        case .endUncertain:
            "the list ends with the page at offset \(number), and it is not known whether items are missing"
        case .windowEmpty: "the page has no item for it"
        case .nextUnknown: "where next would lead was never seen"
        case .pastEndUnknown: "the list ends before it, and what the origin answers there was not seen"
        default: resourceText(request)
        }
    }

    private func resourceText(_ request: CatalogRequest) -> String {
        switch lack.kind {
        case .parametersForbid: "parameters of the request forbid to take \(resources) from other places"
        case .placesNeverCompared: "it was never seen that \(placesText)"
        case .placesDiffer: "it was not so lately that \(placesText)"
        case .membersDiffer: "the \(resources) are held with other members than \(request.formText) shows"
        case .relationshipNotHeld: "\(relation(request)) is not held"
        case .relationshipDiffers: "\(relation(request)) is held with other members than \(request.formText) shows"
        case .sizeNeverSeen: "where the origin ends a list of that length as \(relation(request)) was never seen"
        case .elementNotHeld: "an element of type \(resources) is not held, and no batch is known to bring it"
        case .contradicted: "a newer answer shows \(resources) otherwise than the held ones that could be used"
        case .withdrawn: "the newest answer shows that \(resources) are absent"
        case .severalTypes: "what is missing is of several types"
        case .tooManyMissing: "\(number) resources are missing, more than one request brings"
        case .overAge: "what was built is older than the ttl line of its class allows"
        default: lack.kind.word
        }
    }

    // MARK: Parts

    private var resources: String {
        switch lack.detail {
        case .type(let type), .places(let type, _, _), .relation(let type, _): type.name
        case .none, .offset, .gaps, .number: "resources"
        }
    }

    private var number: Int {
        switch lack.detail {
        case .number(let number), .offset(let number), .gaps(_, let number): number
        case .none, .type, .places, .relation: 0
        }
    }

    private var gapsText: String {
        guard case .gaps(let gaps, let offset) = lack.detail else { return "the page has gaps" }
        return "the page at offset \(offset) has \(gaps) \(gaps == 1 ? "gap" : "gaps")"
    }

    private var placesText: String {
        guard case .places(let type, let held, let wanted) = lack.detail else { return "places show the same" }
        return "\(type.name) show the same \(held.text) and \(wanted.text)"
    }

    /// By the names of the request, of which the lack has a number.
    private func relation(_ request: CatalogRequest) -> String {
        guard case .relation(let type, let name) = lack.detail else { return "a relationship" }
        let named = request.shape.include.first { ResourceDocument.nameNumber($0.span) == name }
        guard let named else { return "a relationship of \(type.name) that always comes" }
        return "the relationship \(String(decoding: named, as: UTF8.self)) of \(type.name)"
    }
}

extension Placement {
    /// Where a resource stands, in words.
    fileprivate var text: String {
        switch self {
        case .item: "alone"
        case .batched: "in a batch"
        case .included: "in a relationship"
        case .viewed: "in a view"
        case .listed: "on a page"
        case .found: "among results"
        }
    }
}

extension CatalogRequest {
    /// The form without ids, such as `albums?include=artists` or `artists/albums`.
    fileprivate var formText: String {
        var text = shape.type.name
        switch shape.subject {
        case .item: break
        case .batch: text += "?ids"
        case .list(let name, let isView): text += (isView ? "/view/" : "/") + String(decoding: name, as: UTF8.self)
        case .results: break
        }
        let names = shape.include.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",")
        let parameters =
            (names.isEmpty ? [] : ["include=" + names])
            + (shape.decoration.isEmpty ? [] : [String(decoding: shape.decoration, as: UTF8.self)])
        guard !parameters.isEmpty else { return text }
        return text + (shape.subject == .batch ? "&" : "?") + parameters.joined(separator: "&")
    }
}
