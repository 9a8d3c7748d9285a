/// Decides how the answer to a `CatalogRequest` is built, whatever its resources: the key of learnt
/// forms.
public struct RequestShape: Hashable, Sendable {
    public let subject: CatalogRequest.Subject
    /// The type of the primary resources; of the parent for a list; `charts` or `search` for
    /// results; `catalog` for a batch of several types.
    public let type: ResourceClass
    /// The elements of the unscoped `include`, ascending, without duplicates or empty ones; none
    /// for results.
    public let include: [[UInt8]]
    /// The elements of the unscoped `views` of an item, as those of `include`; none for other
    /// subjects (APPLE-MUSIC-API 4.3.5).
    public let views: [[UInt8]]
    /// Every other parameter, canonical, joined by `&`: all but `l`, but `ids`, `include` and
    /// `views` where there are resources to build an answer of, and but `limit` and `offset` of
    /// lists and results.
    public let decoration: [UInt8]

    public init(
        subject: CatalogRequest.Subject, type: ResourceClass, include: [[UInt8]], views: [[UInt8]] = [],
        decoration: [UInt8]
    ) {
        (self.subject, self.type, self.include) = (subject, type, include)
        (self.views, self.decoration) = (views, decoration)
    }

    /// Every miss is looked up by its shape, and most shapes have nothing but a subject and a type:
    /// one number says both, and that there is no more.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(Int(type.rawValue) | subject.number << 8 | (include.count + views.count) << 16)
        if case .list(let name, _) = subject { hasher.combine(name) }
        for name in include { hasher.combine(name) }
        for name in views { hasher.combine(name) }
        if !decoration.isEmpty { hasher.combine(decoration) }
    }
}

extension CatalogRequest.Subject {
    fileprivate var number: Int {
        switch self {
        case .item: 0
        case .batch: 1
        case .results: 2
        case .list(_, isView: false): 3
        case .list(_, isView: true): 4
        }
    }
}
