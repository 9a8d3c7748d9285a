import AppleMusic
import Cache

// Hints for other nodes about an answer, and hints asked of them: numbers, under each of which one
// answer is found that may hold a resource. As with the index, the answer that a hint leads to is
// checked for the resource.
//
// A resource that was asked for by its id and one inside another answer have different numbers,
// because the latter shows less: a song among the results of a search would hide the answer that is
// the song.

extension ResourceLibrary {
    /// The most numbers told of one answer, the requested resources first: each is an entry in the
    /// tier, and a hundred ids may be asked for at once.
    private static let mostTold = 100
    /// The most numbers asked for one answer: an `ids` list has up to 300 ids, most of them fewer.
    private static let mostAsked = 128

    /// The numbers under which other nodes may look for parts of the answer; none for one that is
    /// no part.
    package func hints(of response: StoredResponse) -> [UInt64] {
        guard settings.compose == .on, classes.allowParts(of: response),
            let map = response.outline as? ResourceDocument
        else { return [] }
        let part = StoredSource(response, map)
        guard let request = part.request else { return [] }
        var (first, others): ([UInt64], [UInt64]) = ([], [])
        for entry in Self.entries(part, request, Self.shown(part, request)) {
            let isAskedFor = IndexedPlace(packed: entry.place).isAskedFor
            if isAskedFor { first.append(entry.number) } else { others.append(Self.inside(entry.number)) }
        }
        return Array((first + others).prefix(Self.mostTold))
    }

    /// The numbers under which to look for parts of an answer, without those that are fresh here.
    package func hints(for request: CatalogRequest, _ reader: FileReader?, at now: Int64) -> [UInt64] {
        if let list = request.listNumber { return [list] }
        guard request.shape.subject == .item || request.shape.subject == .batch else { return [] }
        var sources = sources(reader, for: request, at: now, isPeeking: true)
        var hints: [UInt64] = []
        for name in request.resources where hints.count < Self.mostAsked {
            let number = request.indexNumber(ofResource: name.number)
            let held = sources.places(number).map(\.place)
            if !held.contains(where: \.isAskedFor) { hints.append(number) }
            if !held.contains(where: { !$0.isAskedFor }) { hints.append(Self.inside(number)) }
        }
        return hints
    }

    /// The number of a resource inside another one.
    private static func inside(_ number: UInt64) -> UInt64 { ~number }
}

extension IndexedPlace {
    /// Whether a request asked for it by its id or its path, also where it is absent.
    fileprivate var isAskedFor: Bool {
        switch kind {
        case .object(let placement): placement.isPrimary
        case .page, .inlinePage, .absence: true
        }
    }
}
