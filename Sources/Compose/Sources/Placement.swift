import Cache

/// A resource's place in an answer (APPLE-MUSIC-API 5.3): the same resource may look different in
/// each.
enum Placement: UInt8, CaseIterable, Sendable {
    /// The resource of `/{type}/{id}`.
    case item
    /// A resource of `?ids=`.
    case batched
    /// An element of a relationship of another resource.
    case included
    /// An element of a view of another resource.
    case viewed
    /// An element of a relationship or view that was asked for by its path.
    case listed
    /// A result of a search or a chart.
    case found

    /// Whether the request asked for it by its id.
    var isPrimary: Bool { self == .item || self == .batched }
}

/// A place in a stored answer, as the index holds it: its kind and its number.
struct IndexedPlace: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        /// An object of the document, by its index.
        case object(Placement)
        /// The page that the document is; no number.
        case page
        /// A relationship inside the document, by its index: the first page of that list.
        case inlinePage
        /// The resource is absent from the batch that the document answers; no number.
        case absence
    }

    let kind: Kind
    let index: Int
    /// Number for the ids in an object's relationships; 0 for none.
    let relationSum: UInt32

    init(_ kind: Kind, _ index: Int = 0, relationSum: UInt32 = 0) {
        (self.kind, self.index, self.relationSum) = (kind, index, relationSum)
    }

    /// The bits of an index: a document has fewer than 2^14 objects, and as many relationships.
    private static let indexBits: UInt32 = 14
    /// The bits of `relationSum`.
    static let sumBits = ResourceIndex.Entry.detailBits

    /// Four bits of kind, then the index, then the sum.
    var packed: UInt32 {
        let code: UInt32 =
            switch kind {
            case .object(let placement): UInt32(placement.rawValue)
            case .page: 13
            case .inlinePage: 14
            case .absence: 15
            }
        return code << 28 | UInt32(index) << Self.sumBits | relationSum
    }

    init(packed: UInt32) {
        let code = UInt8(packed >> 28)
        kind =
            if let placement = Placement(rawValue: code) { .object(placement) } else {
                code == 13 ? .page : code == 14 ? .inlinePage : .absence
            }
        index = Int(packed >> Self.sumBits & (1 << Self.indexBits - 1))
        relationSum = packed & (1 << Self.sumBits - 1)
    }
}
