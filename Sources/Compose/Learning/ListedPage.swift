import AppleMusic
import Cache

// A stored page of a list, be it an answer of its own or a relationship inside another, and whether
// two of them can be of one revision of the list.

/// A stored page of the list: an answer of its own, or a relationship inside another.
struct ListedPage {
    let part: StoredSource
    let placement: Placement
    let facts: StoredPage
    let elements: MappedDocument.Elements
    /// The link to the page after it, with its quotation marks; empty on the last one.
    let next: ByteSpan
    /// The request of a page of the list itself.
    private let asked: CatalogRequest?
    /// The resource whose relationship is the list's first page.
    let owner: MappedDocument.Object?

    /// Nil where the part has no page of the list any more.
    init?(_ part: StoredSource, _ place: IndexedPlace, of list: CatalogRequest, _ standardLimit: Int?) {
        let document = part.document
        self.part = part
        var (offset, limit): (Int, Int?) = (0, nil)
        switch place.kind {
        case .page:
            guard let request = part.request, request.isSameList(as: list) else { return nil }
            (placement, owner, asked) = (.listed, nil, request)
            elements = document.primary
            next = document.map.envelope.next
            (offset, limit) = (request.offset ?? 0, request.limit ?? standardLimit)
        case .inlinePage:
            guard let (relation, owner) = document.relation(place.index, thatBegins: list) else { return nil }
            placement = relation.isView ? .viewed : .included
            (self.owner, asked) = (owner, nil)
            elements = document.elements(of: relation)
            next = relation.next
            limit = standardLimit
        default: return nil
        }
        facts = StoredPage(
            offset: offset, count: elements.count, limit: limit, next: document.offset(in: next),
            isInline: owner != nil)
        if !next.isEmpty && facts.next == nil { return nil }
    }

    /// The window on the page; the page's own window is the whole page.
    func cut(for window: CatalogRequest, _ offset: Int, _ limit: Int, _ cut: ListCut) -> PageCut? {
        if let asked, asked.limit == window.limit, offset == facts.offset {
            return PageCut(items: 0..<facts.count, next: facts.next)
        }
        if let own = facts.cut(offset: offset, limit: limit, cut) { return own }
        guard facts.next == nil, let places = places(of: window) else { return nil }
        var counted = facts
        counted.places = places
        return counted.cut(offset: offset, limit: limit, cut)
    }

    /// How many places an album's tracks have, as the album says: with those that are not shown
    /// (`trackCount`: of all 13 whole albums of the catalog that were recorded, the number of their
    /// tracks).
    private func places(of list: CatalogRequest) -> Int? {
        guard list.shape.type == .albums, case .list(let name, isView: false) = list.shape.subject,
            name.elementsEqual("tracks".utf8), let owner,
            let places = part.document.attributes(of: owner)?["trackCount"]?.countValue
        else { return nil }
        return places >= facts.count ? places : nil
    }

    /// Whether the pages show different revisions: they differ from the greater offset on.
    func contradicts(_ other: ListedPage) -> Bool {
        let offset = max(facts.offset, other.facts.offset)
        guard let own = list(from: offset), let others = other.list(from: offset) else { return false }
        return own.contradicts(others)
    }

    /// The list from an offset on; nil if the item there is uncertain.
    private func list(from offset: Int) -> ListBeginning? {
        guard offset == facts.offset || facts.isFull && offset - facts.offset < facts.count else { return nil }
        var items = elements
        for _ in facts.offset..<offset { _ = items.next() }
        return ListBeginning(items: items, isWhole: facts.next == nil)
    }
}

extension CatalogRequest {
    /// Whether both ask for one list, in the same shape apart from `relate`.
    fileprivate func isSameList(as other: CatalogRequest) -> Bool {
        shape.isLike(other.shape) && resources == other.resources && storefront == other.storefront
            && language == other.language
    }
}

extension MappedDocument {
    /// The relationship of this index, if it is the list's.
    fileprivate func relation(_ index: Int, thatBegins list: CatalogRequest) -> (Relation, owner: Object)? {
        guard case .list(let name, let isView) = list.shape.subject, let parent = list.resources.first,
            let relation = map.relations[checked: index],
            relation.name == ResourceDocument.nameNumber(name.span, isView: isView)
        else { return nil }
        let owner = primary.first { object in
            Int(object.firstRelation)..<Int(object.endRelation) ~= index && object.number == parent.number
                && body[object.id.range].dropFirst().dropLast().elementsEqual(parent.id)
        }
        return owner.map { (relation, $0) }
    }
}
