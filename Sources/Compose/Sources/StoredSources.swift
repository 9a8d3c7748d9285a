import AppleMusic
import Cache
import Store

/// A stored answer with the map of its resources. Others are made of it while it is fresh.
package final class StoredSource {
    package let response: StoredResponse
    let document: MappedDocument

    init(_ response: StoredResponse, _ map: ResourceDocument) {
        self.response = response
        document = MappedDocument(body: response.body, map: map)
    }

    /// The answer with its map; nil where its resources cannot be told.
    /// - Parameter cache: keeps a map that the answer did not have; nil: nothing keeps it.
    convenience init?(_ response: StoredResponse, keepingMapIn cache: ResponseCache?) {
        if let map = response.outline as? ResourceDocument {
            self.init(response, map)
        } else {
            guard let map = DocumentScan(response.body).document else { return nil }
            self.init(cache?.attach(map, to: response) ?? response, map)
        }
    }

    /// Scans an answer that has no map; nil where its resources cannot be told.
    convenience init?(scanning response: StoredResponse) {
        guard let map = DocumentScan(response.body).document else { return nil }
        self.init(response.with(outline: map), map)
    }

    /// The request that it answers, as far as it is understood.
    var request: CatalogRequest? { CatalogRequest(canonical: Array(response.key.target)) }
}

/// A resource at its place in a stored answer.
struct Candidate {
    let part: StoredSource
    let object: ResourceDocument.Object
    let placement: Placement
}

/// The stored answers that one composition can draw on, each looked up once.
///
/// Must hold: no more than `SourceReading.most` bytes are read from the file, inflated or scanned
/// for one composition, beside one answer that turns out to be too large once it is read. Answers
/// in memory that were scanned before cost a look-up.
package struct StoredSources {
    private let cache: ResponseCache
    let index: ResourceIndex
    private let origin: OriginTag
    private let reader: FileReader?
    private let classes: ResourceClasses
    private let now: Int64
    private let isPeeking: Bool
    private let bornFrom: Int64
    private var parts: [CacheKey: Part?] = [:]
    /// The bytes that may still be read.
    private var unread: Int
    /// Told of the bytes that were read, and of those that were not.
    let reading: SourceReading?
    /// The cache's count of contradicted answers before anything was looked up.
    let contradictions: Int

    private struct Part {
        let source: StoredSource
        /// Whether other answers may be made of it; else it is only compared.
        let isFresh: Bool
    }

    /// The most answers that are looked up for one composition. Their bytes have a bound of their
    /// own; 256 look-ups take a millisecond.
    private static let maxParts = 256

    /// - Parameters:
    ///   - isPeeking: whether looking must leave no trace: nothing is promoted, counted as
    ///   used or kept.
    ///   - bornFrom: answers that were born under an earlier number do not count.
    ///   - reading: the room for bytes that have to be read; nil: that of one composition.
    init(
        _ cache: ResponseCache, _ index: ResourceIndex, of origin: OriginTag, reader: FileReader?,
        classes: ResourceClasses, at now: Int64,
        isPeeking: Bool, bornFrom: Int64 = 0, reading: SourceReading? = nil
    ) {
        (self.isPeeking, self.bornFrom, self.classes) = (isPeeking, bornFrom, classes)
        (self.reading, unread) = (reading, reading?.room ?? SourceReading.most)
        (self.cache, self.index, self.origin, self.reader, self.now) = (cache, index, origin, reader, now)
        contradictions = cache.contradictions
    }

    /// The resource in the answer of a source, if it is still there, and whether other answers may
    /// be made of it.
    mutating func candidate(_ name: NamedResource, _ source: ResourceIndex.Source)
        -> (candidate: Candidate, isFresh: Bool)?
    {
        let place = IndexedPlace(packed: source.place)
        guard case .object(let placement) = place.kind, let key = source.key, let part = part(key),
            let object = part.source.document.map.objects[checked: place.index], object.number == name.number,
            part.source.document.body[object.id.range].elementsEqual(name.id)
        else { return nil }
        return (Candidate(part: part.source, object: object, placement: placement), part.isFresh)
    }

    /// Whether a fresh answer to this very request is in memory.
    func hasAnswer(to target: [UInt8]) -> Bool {
        cache.peek(CacheKey(of: origin, scope: .shared, target: target), nil, at: now)?.isFresh(at: now) ?? false
    }

    /// The fresh answers in which places of this number were noted, with those places, the newest
    /// first.
    mutating func places(_ number: UInt64) -> [(part: StoredSource, place: IndexedPlace)] {
        allPlaces(number).filter { $0.isFresh && !$0.isOutdated }.map { ($0.part, $0.place) }
    }

    /// A place in an answer; nothing may be made of it where that is stale, or outdated there.
    typealias Place = (part: StoredSource, place: IndexedPlace, isFresh: Bool, isOutdated: Bool)

    /// Places of this number, also in stale and outdated answers, the newest first.
    mutating func allPlaces(_ number: UInt64) -> [Place] {
        index.sources(of: number).compactMap { source in
            guard let key = source.key, let part = part(key) else { return nil }
            return (part.source, IndexedPlace(packed: source.place), part.isFresh, source.isOutdated)
        }
    }

    /// The answer under `key`, fresh or not, if its resources can be told.
    mutating func answer(under key: CacheKey) -> StoredSource? { part(key)?.source }

    /// The answer under `key`, if its resources can be told.
    private mutating func part(_ key: CacheKey) -> Part? {
        if let known = parts[key] { return known }
        guard parts.count < Self.maxParts else { return nil }
        let part = look(up: key)
        parts[key] = .some(part)
        return part
    }

    private mutating func look(up key: CacheKey) -> Part? {
        // Without room only memory is asked.
        let reader = unread > 0 ? reader : nil
        let stored = isPeeking ? cache.peek(key, reader, at: now) : cache.lookup(key, reader, at: now)
        guard let found = stored else {
            if unread <= 0 { reading?.isShort = true }
            return nil
        }
        // One from the file has no map yet.
        if !(found.outline is ResourceDocument), !read(found) { return nil }
        guard classes.allowParts(of: found), let source = StoredSource(found, keepingMapIn: isPeeking ? nil : cache)
        else { return nil }
        return Part(source: source, isFresh: found.born >= bornFrom && found.isFresh(at: now))
    }

    /// Takes room for a body that has to be read; false where there is none left, and then it is
    /// neither inflated nor scanned.
    private mutating func read(_ found: StoredResponse) -> Bool {
        unread -= found.bodyCount
        reading?.bytes += found.bodyCount
        if unread < 0 { reading?.isShort = true }
        return unread >= 0
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
