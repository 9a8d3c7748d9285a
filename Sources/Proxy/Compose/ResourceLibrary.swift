import AppleMusic
import Cache
import Synchronization

/// What all loops know of the resources in stored answers: where they stand, and in which forms the origin shows them.
///
/// Told of every answer that is stored under an operator's TTL; asked where nothing is stored under a request's own key.
final class ResourceLibrary: Sendable {
    let settings: CompositionSettings
    let index: ResourceIndex
    let forms = LearntForms()
    private let cache: ResponseCache
    private let hasReadStored = Atomic<Bool>(false)

    /// Of one answer, so many resources are compared with what other answers say of them.
    private static let comparisons = 16

    init(_ cache: ResponseCache, _ settings: CompositionSettings) {
        self.cache = cache
        self.settings = settings
        index = ResourceIndex(maxBytes: settings.isActive ? settings.indexBytes : 0)
    }

    /// Learns from an answer that is stored; false where it contradicts what was known. `now` in unix seconds.
    /// - Parameter original: the body as the origin sent it, where another one is stored.
    @discardableResult
    func note(
        _ response: StoredResponse, original: [UInt8]? = nil, _ reader: StoreReader?, at now: Int64
    ) -> Bool {
        guard settings.isActive, response.status == 200, response.composition == nil,
            let map = response.outline as? ResourceDocument
        else { return true }
        let part = Part(response, map)
        guard let request = part.request else { return true }
        let fits = observe(request, original, part)
        let agrees = compareRoles(part, request, reader, at: now)
        index.add(response.key, Self.entries(part, request))
        return fits && agrees
    }

    private func observe(_ request: CatalogRequest, _ original: [UInt8]?, _ part: Part) -> Bool {
        var document = part.document
        if let original {
            guard let map = DocumentScan(original).document else { return true }
            document = MappedDocument(body: original, map: map)
        } else if settings.completesNext, !document.map.envelope.next.isEmpty {
            // From the file: nobody knows who wrote its link.
            return true
        }
        return request.form.subject == .results
            || forms.observe(
                request, document, at: part.response.receivedAt, freshFor: part.response.freshFor)
    }

    /// Goes through what the file holds from earlier runs, behind the caller's back, the latest first. Called once.
    func readStored(at now: Int64) {
        guard settings.isActive else { return }
        let seen = SeenRoles()
        cache.visitStored { [self] response in
            guard response.isFresh(at: now), let map = DocumentScan(response.body).document else { return true }
            let outlined = response.with(outline: map)
            note(outlined, nil, at: now)
            compareRoles(Part(outlined, map), seen)
            return true
        } _: { [self] _ in
            hasReadStored.store(true, ordering: .releasing)
        }
    }

    /// Whether that is done.
    var isComplete: Bool { hasReadStored.load(ordering: .acquiring) }

    /// Whether resources that were seen before in another role show the same attributes.
    private func compareRoles(_ part: Part, _ request: CatalogRequest, _ reader: StoreReader?, at now: Int64) -> Bool {
        guard request.hasPlainResources else { return true }
        var material = Material(cache, index, reader, at: now)
        var (rest, agrees) = (Self.comparisons, true)
        for (object, role) in Self.shown(part, request) where rest > 0 && !object.attributes.isEmpty {
            guard let type = object.type else { continue }
            let id = part.document.body[object.id.range]
            let number = request.indexNumber(ofResource: object.number)
            for other in material.candidates(number, resource: object.number, id: id)
            where other.role != role && !other.object.attributes.isEmpty {
                rest -= 1
                let isEqual = other.object.attributeNames == object.attributeNames
                if !forms.note(type, role, other.role, isEqual: isEqual) { agrees = false }
            }
        }
        return agrees
    }

    /// The same among the answers of the file: none of them is in memory, to be compared with.
    private func compareRoles(_ part: Part, _ seen: SeenRoles) {
        guard let request = part.request, request.hasPlainResources else { return }
        for (object, role) in Self.shown(part, request) where !object.attributes.isEmpty {
            guard let type = object.type,
                let other = seen.other(than: role, of: request.indexNumber(ofResource: object.number), object)
            else { continue }
            _ = forms.note(type, role, other.role, isEqual: other.attributeNames == object.attributeNames)
        }
    }
}

/// In which role a resource was met first in the file, and what it showed there.
private final class SeenRoles: Sendable {
    typealias Seen = (role: Role, attributeNames: UInt64)

    private let resources = Mutex<[UInt64: Seen]>([:])
    /// The latest are met first, and so many say enough.
    private static let maxResources = 1 << 16

    /// What the resource of this number showed in another role; the first time that it is met, nothing.
    func other(than role: Role, of number: UInt64, _ object: ResourceDocument.Object) -> Seen? {
        resources.withLock { resources in
            if let seen = resources[number] { return seen.role == role ? nil : seen }
            if resources.count < Self.maxResources { resources[number] = (role, object.attributeNames) }
            return nil
        }
    }
}

// MARK: - What is noted

extension ResourceLibrary {
    /// The objects of an answer that others can be made of, with their roles: no identifiers.
    private static func shown(
        _ part: Part, _ request: CatalogRequest
    ) -> some Sequence<(object: ResourceDocument.Object, role: Role)> {
        indices(part, request).lazy.map { (part.document.map.objects[$0.index], $0.role) }
    }

    private static func indices(_ part: Part, _ request: CatalogRequest) -> [(index: Int, role: Role)] {
        let (objects, envelope) = (part.document.map.objects, part.document.map.envelope)
        var result: [(index: Int, role: Role)] = []
        result.reserveCapacity(objects.count)
        for (index, object) in objects.enumerated() where !object.attributes.isEmpty || object.hasRelationships {
            if object.parent >= 0 {
                result.append((index, .included))
            } else if let role = request.role(isPrimary: index.isWithin(envelope)) {
                result.append((index, role))
            }
        }
        return result
    }

    private static func entries(_ part: Part, _ request: CatalogRequest) -> [(number: UInt64, place: UInt32)] {
        let objects = part.document.map.objects
        var entries: [(number: UInt64, place: UInt32)] = []
        for (index, role) in indices(part, request) {
            let number = request.indexNumber(ofResource: objects[index].number)
            entries.append((number, Place(.object(role), index).packed))
        }
        switch request.form.subject {
        case .item: addLists(part, request, &entries)
        case .batch:
            addLists(part, request, &entries)
            addAbsences(part, request, &entries)
        case .list: if let list = request.listNumber { entries.append((list, Place(.page).packed)) }
        case .results: break
        }
        return entries
    }

    /// The relationships of primary resources are the first pages of lists. With parameters like `extend` they show their
    /// elements otherwise than the list's own pages do.
    private static func addLists(
        _ part: Part, _ request: CatalogRequest, _ entries: inout [(number: UInt64, place: UInt32)]
    ) {
        guard request.hasPlainResources else { return }
        for object in part.document.primary {
            for index in Int(object.firstRelation)..<Int(object.endRelation) {
                let relation = part.document.map.relations[index]
                let list = request.listNumber(ofParent: object.number, name: relation.name)
                entries.append((list, Place(.inlinePage, index).packed))
            }
        }
    }

    private static func addAbsences(
        _ part: Part, _ request: CatalogRequest, _ entries: inout [(number: UInt64, place: UInt32)]
    ) {
        let found = Set(part.document.primary.map(\.number))
        for name in request.resources where !found.contains(name.number) {
            entries.append((request.indexNumber(ofResource: name.number), Place(.absence).packed))
        }
    }
}

extension CompositionSettings {
    /// Whether anything has to be known of resources at all.
    public var isActive: Bool { compose != .off || windows || batch }
}

extension CatalogRequest {
    fileprivate func role(isPrimary: Bool) -> Role? {
        switch form.subject {
        case .item: isPrimary ? .item : nil
        case .batch: isPrimary ? .batched : nil
        case .list: isPrimary ? .listed : nil
        case .results: .found
        }
    }

    /// The number of the list that a relationship begins.
    func listNumber(ofParent parent: UInt64, name: UInt64) -> UInt64 {
        indexNumber(ofResource: (parent ^ name.byteSwapped) &* 0x9E37_79B9_7F4A_7C15)
    }

    /// The number of the list that is asked for, the same as that of the relationship inside its parent; nil where the
    /// elements are asked for in another way than there.
    var listNumber: UInt64? {
        guard case .list(let name, let isView) = form.subject, let parent = resources.first else { return nil }
        let own = ResourceDocument.nameNumber(name.span)
        let list = listNumber(ofParent: parent.number, name: isView ? ~own : own)
        return form.include.isEmpty
            ? list
            : form.include.reduce(list) { number, name in
                (number ^ ResourceDocument.nameNumber(name.span)) &* 0x9E37_79B9_7F4A_7C15
            }
    }
}

extension Int {
    fileprivate func isWithin(_ envelope: ResourceDocument.Envelope) -> Bool {
        Int(envelope.firstElement) <= self && self < Int(envelope.endElement)
    }
}
