/// What decides how the answer to a `CatalogRequest` is built, whatever resources it is about: the
/// key of what is learnt.
public struct RequestShape: Hashable, Sendable {
    public let subject: CatalogRequest.Subject
    /// Of the primary resources; of the parent for a list; `charts` or `search` for results;
    /// `catalog` for a batch of several types.
    public let type: ResourceClass
    /// The elements of the unscoped `include`, ascending, without duplicates or empty ones; none
    /// for results.
    public let include: [[UInt8]]
    /// The elements of the unscoped `views` of an item, as those of `include`; none for what is no
    /// item (APPLE-MUSIC-API 4.3.5).
    public let views: [[UInt8]]
    /// Every other parameter, canonical, joined by `&`: all but `l`, but `ids`, `include` and
    /// `views` where there are resources to build an answer of, and but `limit` and `offset` of
    /// lists and results.
    public let decoration: [UInt8]

    public init(
        subject: CatalogRequest.Subject, type: ResourceClass, include: [[UInt8]], views: [[UInt8]] = [],
        decoration: [UInt8]
    ) {
        self.subject = subject
        self.type = type
        self.include = include
        self.views = views
        self.decoration = decoration
    }
}
