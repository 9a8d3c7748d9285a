import AppleMusic
import Cache

// The answers that show one resource, the newest first: which of them it can be taken from.
// Must hold: the newest answer decides, be it stale or gone by now; an older one that contradicts
// it is no source any more; an absence counts as an object does.

/// A resource as documents name it.
struct NamedResource {
    /// See `ResourceDocument.Object`.
    let number: UInt64
    /// With its quotation marks.
    let id: ArraySlice<UInt8>
}

/// A walk through the answers that show one resource.
struct ResourceHistory {
    private let name: NamedResource
    private let sources: [ResourceIndex.Source]
    private var position = 0
    /// Candidates met before the last one, fresh or stale, contradicted or not.
    private var newer: [(candidate: Candidate, isUsable: Bool)] = []
    /// The last one that was met. Most resources are in one answer, which needs no array.
    private var last: (candidate: Candidate, isUsable: Bool)?
    /// Attribute checksums of newer answers that are gone.
    private var newerSums: [UInt32] = []
    /// Why an older answer is no source.
    private(set) var objection: Objection?

    enum Objection {
        /// The newest answer shows that the resource is absent.
        case withdrawn
        /// A newer answer shows it otherwise.
        case contradicted
    }

    init(of name: NamedResource, _ sources: [ResourceIndex.Source]) {
        (self.name, self.sources) = (name, sources)
    }

    /// The fresh ones that were met, the newest first, of which no two contradict each other.
    var usable: [Candidate] {
        (newer + (last.map { [$0] } ?? [])).filter(\.isUsable).map(\.candidate)
    }

    /// The next answer that the resource can be taken from; nil for no further one.
    mutating func next(_ stored: inout StoredSources) -> Candidate? {
        while position < sources.count {
            let source = sources[position]
            position += 1
            switch IndexedPlace(packed: source.place).kind {
            case .absence where source.isOutdated: break
            case .absence:
                if last == nil && newerSums.isEmpty { objection = .withdrawn }
                position = sources.count
            case .object: if let found = take(source, &stored) { return found }
            default: break
            }
        }
        return nil
    }

    private mutating func take(_ source: ResourceIndex.Source, _ stored: inout StoredSources) -> Candidate? {
        guard !source.isOutdated else {
            objection = .contradicted
            return nil
        }
        guard let (found, isFresh) = stored.candidate(name, source) else {
            if source.content != 0 { newerSums.append(source.content) }
            return nil
        }
        if let last { newer.append(last) }
        let isContradicted =
            !newerSums.allSatisfy { $0 == found.object.attributeSum }
            || newer.contains { found.contradicts($0.candidate) }
        if isContradicted { objection = .contradicted }
        last = (found, isFresh && !isContradicted)
        return isFresh && !isContradicted ? found : nil
    }
}

extension StoredSources {
    /// Whether no newer answer contradicts a part's state of a resource.
    mutating func isCurrent(
        _ object: ResourceDocument.Object, in part: StoredSource, _ request: CatalogRequest
    ) -> Bool {
        let number = request.indexNumber(ofResource: object.number)
        if index.isOutdated(number, at: part.response.receivedAt, in: part.response.key) { return false }
        guard let newest = index.newest(of: number), newest.receivedAt >= part.response.receivedAt else { return true }
        let place = IndexedPlace(packed: newest.place)
        if case .object = place.kind, newest.content == object.attributeSum {
            let own = part.document.relationSum(of: object)
            if own == 0 || own == place.relationSum { return true }
        }
        return isCurrent(object, in: part, among: index.sources(of: number))
    }

    private mutating func isCurrent(
        _ object: ResourceDocument.Object, in part: StoredSource, among sources: [ResourceIndex.Source]
    ) -> Bool {
        let name = NamedResource(number: object.number, id: part.document.body[object.id.range])
        for source in sources where source.receivedAt >= part.response.receivedAt {
            if source.key == part.response.key { return true }
            guard case .object = IndexedPlace(packed: source.place).kind else { return false }
            if let (other, _) = candidate(name, source) {
                let own = Candidate(part: part, object: object, placement: other.placement)
                if own.contradicts(other) { return false }
            } else if source.content != object.attributeSum {
                return false
            }
        }
        return true
    }

    /// Whether no newer answer contradicts the resources inside an object.
    mutating func isCurrent(
        inside object: ResourceDocument.Object, of part: StoredSource, _ request: CatalogRequest
    ) -> Bool {
        let objects = part.document.map.objects
        for index in Int(object.index) + 1..<Int(object.end) where !objects[index].isIdentifier {
            guard isCurrent(objects[index], in: part, request) else { return false }
        }
        return true
    }
}

extension ResourceDocument.Object {
    /// Whether it only names the resource.
    var isIdentifier: Bool { attributes.isEmpty && !hasRelationships }
}
