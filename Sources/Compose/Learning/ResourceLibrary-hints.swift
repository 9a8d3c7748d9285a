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
    /// So many are told of one answer, what was asked for first: each is an entry in the tier, and
    /// a hundred ids may be asked for at once.
    private static let mostTold = 100
    /// So many are asked for one answer: an `ids` list has up to 300 ids, most of them fewer.
    private static let mostAsked = 128

    /// Under which numbers other nodes may look for what the answer holds; none for one that no
    /// other can be made of.
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

    /// Under which numbers to look for what an answer can be made of, but for what is fresh here.
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
    /// Whether it is what a request asked for by its id or its path, or is known to be absent then.
    fileprivate var isAskedFor: Bool {
        switch kind {
        case .object(let placement): placement.isPrimary
        case .page, .inlinePage, .absence: true
        }
    }
}
