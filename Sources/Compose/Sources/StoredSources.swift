import AppleMusic
import Cache

/// A stored answer that others are made of: fresh, and with the map of its resources.
package final class StoredSource {
    package let response: StoredResponse
    let document: MappedDocument

    init(_ response: StoredResponse, _ map: ResourceDocument) {
        self.response = response
        document = MappedDocument(body: response.body, map: map)
    }

    /// What it answers, as far as it is understood.
    var request: CatalogRequest? { CatalogRequest(canonical: Array(response.key.target)) }
}

/// A resource where it stands in a stored answer.
struct Candidate {
    let part: StoredSource
    let object: ResourceDocument.Object
    let placement: Placement
}

/// The stored answers that one composition can draw on, each looked up once.
package struct StoredSources {
    private let cache: ResponseCache
    private let index: ResourceIndex
    private let reader: StoreReader?
    private let classes: ResourceClasses
    private let now: Int64
    private let isPeeking: Bool
    private let newerThan: Int64
    private var parts: [CacheKey: StoredSource?] = [:]

    /// So many answers are looked up for one composition: each may be read from the file, on the
    /// loop.
    private static let maxParts = 256

    /// - Parameters:
    ///   - isPeeking: whether looking must leave no trace: nothing is promoted, counted as
    ///   used or kept.
    ///   - newerThan: answers that came by then, in unix seconds, do not count.
    init(
        _ cache: ResponseCache, _ index: ResourceIndex, _ reader: StoreReader?, _ classes: ResourceClasses,
        at now: Int64,
        isPeeking: Bool, newerThan: Int64 = .min
    ) {
        self.isPeeking = isPeeking
        self.newerThan = newerThan
        self.classes = classes
        self.cache = cache
        self.index = index
        self.reader = reader
        self.now = now
    }

    /// Where the resource of this number stands in fresh answers, the latest first; `id` with its
    /// quotation marks.
    mutating func candidates(_ number: UInt64, resource: UInt64, id: ArraySlice<UInt8>) -> [Candidate] {
        var found: [Candidate] = []
        for source in index.sources(of: number) {
            let place = IndexedPlace(packed: source.place)
            guard case .object(let placement) = place.kind, let part = part(source.key),
                let object = part.document.map.objects[checked: place.index], object.number == resource,
                part.document.body[object.id.range].elementsEqual(id)
            else { continue }
            found.append(Candidate(part: part, object: object, placement: placement))
        }
        return found
    }

    /// Whether a fresh answer to this very request is in memory.
    func hasAnswer(to target: [UInt8]) -> Bool {
        cache.peek(CacheKey(scope: .shared, target: target), nil, at: now)?.isFresh(at: now) ?? false
    }

    /// Whether places of this number were noted, be it in answers that are gone or stale by now.
    func holds(_ number: UInt64) -> Bool { index.holds(number) }

    /// The fresh answers in which places of this number were noted, with those places.
    mutating func places(_ number: UInt64) -> [(part: StoredSource, place: IndexedPlace)] {
        index.sources(of: number).compactMap { source in
            part(source.key).map { ($0, IndexedPlace(packed: source.place)) }
        }
    }

    /// The answer under `key`, if it is fresh and its resources can be told.
    private mutating func part(_ key: CacheKey) -> StoredSource? {
        if let known = parts[key] { return known }
        guard parts.count < Self.maxParts else { return nil }
        let part = look(up: key)
        parts[key] = .some(part)
        return part
    }

    private func look(up key: CacheKey) -> StoredSource? {
        let stored = isPeeking ? cache.peek(key, reader, at: now) : cache.lookup(key, reader, at: now)
        guard let found = stored, found.receivedAt > newerThan, found.isFresh(at: now), classes.allowParts(of: found)
        else { return nil }
        if let map = found.outline as? ResourceDocument { return StoredSource(found, map) }
        // From the file: read once, and kept with the answer from now on.
        guard let map = DocumentScan(found.body).document else { return nil }
        return StoredSource(isPeeking ? found : cache.attach(map, to: found), map)
    }
}

extension Array {
    /// Nil beyond the end: places are noted apart from the documents they are in.
    subscript(checked index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

extension ResourceClasses {
    /// Whether other answers may be made of this one: it is the origin's own, it is for everyone,
    /// and its class is one of these.
    func allowParts(of response: StoredResponse) -> Bool {
        guard response.status == 200, response.composition == nil, !response.key.isPersonal,
            response.key.variant.isEmpty, let type = ResourceClass(rawValue: response.classTag)
        else { return false }
        return contains(type)
    }
}
