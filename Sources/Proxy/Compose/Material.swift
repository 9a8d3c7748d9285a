import AppleMusic
import Cache

/// A stored answer as material for others: fresh, and with the map of its resources.
final class Part {
    let response: StoredResponse
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
    let part: Part
    let object: ResourceDocument.Object
    let role: Role
}

/// The stored answers that one composition can draw on, each looked up once.
struct Material {
    private let cache: ResponseCache
    private let index: ResourceIndex
    private let reader: StoreReader?
    private let policy: Policy
    private let now: Int64
    private let isPeeking: Bool
    private var parts: [CacheKey: Part?] = [:]

    /// So many answers are looked up for one composition: each may be read from the file, on the
    /// loop.
    private static let maxParts = 256

    /// - Parameter isPeeking: whether looking must leave no trace: nothing is promoted, counted as
    ///   used or kept.
    init(
        _ cache: ResponseCache, _ index: ResourceIndex, _ reader: StoreReader?, _ policy: Policy, at now: Int64,
        isPeeking: Bool
    ) {
        self.isPeeking = isPeeking
        self.policy = policy
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
            let place = Place(packed: source.place)
            guard case .object(let role) = place.kind, let part = part(source.key),
                let object = part.document.map.objects[checked: place.index], object.number == resource,
                part.document.body[object.id.range].elementsEqual(id)
            else { continue }
            found.append(Candidate(part: part, object: object, role: role))
        }
        return found
    }

    /// The fresh answers in which places of this number were noted, with those places.
    mutating func places(_ number: UInt64) -> [(part: Part, place: Place)] {
        index.sources(of: number).compactMap { source in
            part(source.key).map { ($0, Place(packed: source.place)) }
        }
    }

    /// The answer under `key`, if it is fresh and its resources can be told.
    private mutating func part(_ key: CacheKey) -> Part? {
        if let known = parts[key] { return known }
        guard parts.count < Self.maxParts else { return nil }
        let part = look(up: key)
        parts[key] = .some(part)
        return part
    }

    private func look(up key: CacheKey) -> Part? {
        let stored = isPeeking ? cache.peek(key, reader, at: now) : cache.lookup(key, reader, at: now)
        guard let found = stored, found.isFresh(at: now), policy.allowsParts(of: found) else { return nil }
        if let map = found.outline as? ResourceDocument { return Part(found, map) }
        // From the file: read once, and kept with the answer from now on.
        guard let map = DocumentScan(found.body).document else { return nil }
        return Part(isPeeking ? found : cache.attach(map, to: found), map)
    }
}

extension Array {
    /// Nil beyond the end: places are noted apart from the documents they are in.
    subscript(checked index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

extension Policy {
    /// Whether others may be made of the answer: one of the origin's to everybody, of a class with
    /// an operator's TTL.
    func allowsParts(of response: StoredResponse) -> Bool {
        guard response.status == 200, response.composition == nil, !response.key.isPersonal,
            response.key.variant.isEmpty, let type = ResourceClass(rawValue: response.classTag)
        else { return false }
        return if case .fixed = self[type] { true } else { false }
    }
}
