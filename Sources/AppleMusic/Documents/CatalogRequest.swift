// What a target of the catalog asks for, taken apart as far as answers are composed by it.
//
// What must hold: two targets with equal parts ask for the same; whatever is not understood is in `decoration`, byte for
// byte, so that nothing is ever mixed that an unknown parameter might tell apart.

/// A request for resources of the shared catalog (API.md 3.1).
public struct CatalogRequest: Sendable {
    /// What kind of answer it is.
    public enum Subject: Hashable, Sendable {
        /// `/{type}/{id}`.
        case item
        /// `/{type}?ids=`.
        case batch
        /// `/{type}/{id}/{name}`, or `/{type}/{id}/view/{name}`.
        case list(name: [UInt8], isView: Bool)
        /// `/charts`, `/search`: resources found by other means; only looked through, never composed.
        case results
    }

    /// What decides how an answer is built, whatever resources it is about: the key of what is learnt.
    public struct Form: Hashable, Sendable {
        public let subject: Subject
        /// Of the primary resources; of the parent for a list; `charts` or `search` for results.
        public let type: ResourceClass
        /// The elements of the unscoped `include`, ascending, without duplicates or empty ones.
        public let include: [[UInt8]]
        /// Every parameter but `ids`, `include`, `limit`, `offset` and `l`, canonical, joined by `&`.
        public let decoration: [UInt8]
    }

    public let storefront: Storefront
    public let form: Form
    /// The value of `l`; empty where there is none.
    public let language: [UInt8]
    /// Of an item or a list's parent: one. Of a batch: as they were asked for, duplicates and order kept, empty ones left
    /// out. As they stand in the canonical target.
    public let ids: [[UInt8]]
    /// Of a list; nil where the parameter is absent.
    public let limit: Int?
    public let offset: Int?
}
