import AppleMusic
import Cache
import Freshness
import Synchronization

/// All loops' knowledge of the resources in stored answers: where they are, and in which forms the
/// origin shows them.
///
/// It is told of every answer that is stored under an operator's TTL, and asked where nothing is
/// stored under a request's own key.
public final class ResourceLibrary: Sendable {
    /// Settings of composing.
    public let settings: CompositionSettings
    let index: ResourceIndex
    package let forms: LearntForms
    package let growth = GrowthAccounts()
    let held: HeldNames
    let cache: ResponseCache
    let classes: ResourceClasses
    private let hasReadStored = Atomic<Bool>(false)

    /// Bytes of the index for an answer of twenty resources, as measured: with more, older answers
    /// would push out newer ones.
    private static let indexBytesOfAnAnswer = 640

    /// Most resources of one answer that are compared with other answers.
    private static let comparisons = 16

    /// The part of the index's bytes that `held` takes.
    private static let partOfNames = 16

    /// Room for the parts of an answer that is verified.
    private static let bytesApart = 12 << 20

    /// - Parameter classes: those with an operator's TTL.
    package init(_ cache: ResponseCache, _ classes: ResourceClasses, _ settings: CompositionSettings) {
        (self.cache, self.classes, self.settings) = (cache, classes, settings)
        forms = LearntForms(isDocumented: settings.trustsDocumentation)
        let heldBytes = settings.indexBytes / Self.partOfNames
        held = HeldNames(maxBytes: heldBytes)
        index = ResourceIndex(maxBytes: settings.isActive ? settings.indexBytes - heldBytes : 0)
    }

    /// Whether anything is known, or built, of such requests: for what everyone shares, under an
    /// operator's TTL.
    public func covers(_ scope: CacheKey.Scope?, _ route: Route, _ rule: TTLRule) -> Bool {
        guard settings.isActive, scope == .shared, route.isShared, case .fixed = rule else {
            return false
        }
        return true
    }

    /// How an answer of the origin's goes with what was known.
    package enum Lesson {
        case nothingNew
        /// It contradicts what was learnt of its form, which rests.
        case otherForm
        /// A resource shows other attributes in it than in another placement.
        case otherAttributes
    }

    /// Learns from an answer that is stored. `now` in unix seconds.
    /// - Parameters:
    ///   - known: what it answers, where that is known already.
    ///   - original: the body as the origin sent it, where another one is stored.
    @discardableResult
    package func note(
        _ response: StoredResponse, _ known: CatalogRequest? = nil, original: [UInt8]? = nil, at now: Int64
    ) -> Lesson {
        guard settings.isActive, classes.allowParts(of: response),
            let map = response.outline as? ResourceDocument
        else { return .nothingNew }
        let part = StoredSource(response, map)
        guard let request = known ?? part.request else { return .nothingNew }
        let fits = observe(request, original, part)
        let shown = Self.shown(part, request)
        let agrees = comparePlacements(part, request, shown, at: now)
        add(part, request, shown, at: now)
        return !fits ? .otherForm : agrees ? .nothingNew : .otherAttributes
    }

    private func observe(_ request: CatalogRequest, _ original: [UInt8]?, _ part: StoredSource) -> Bool {
        growth.note(answer: request, part.document)
        var document = part.document
        if let original {
            guard let map = DocumentScan(original).document else { return true }
            document = MappedDocument(body: original, map: map)
        } else if settings.completesNext, !document.map.envelope.next.isEmpty {
            // From the file: it is not known who wrote its link.
            return true
        }
        if case .list = request.shape.subject, request.shape.relates, let plain = request.undecorated {
            forms.observe(page: plain, document, at: part.response.receivedAt)
        }
        return request.shape.subject == .results
            || forms.observe(
                request, document, at: part.response.receivedAt, freshFor: part.response.freshFor)
    }

    /// Goes through what the file holds from earlier runs, behind the caller's back, the latest
    /// first. Called once.
    package func readStored(at now: Int64) {
        guard settings.isActive else { return }
        cache.store?.visitRests(at: now) { [self] target, until in
            guard let request = CatalogRequest(canonical: target) else { return }
            forms.switchOff(request.shape, until: until, at: now)
        }
        let seen = SeenPlacements()
        cache.visitStored { [self] response in
            if response.status == 404, let request = CatalogRequest(canonical: Array(response.key.target)) {
                noteAbsence(response.key, at: response.receivedAt, request)
            }
            guard classes.allowParts(of: response), let part = StoredSource(scanning: response) else { return true }
            if response.isFresh(at: now) {
                note(part.response, at: now)
                noteNames(in: part.response, at: now)
                comparePlacements(part, seen)
            } else if let request = part.request {
                // Nothing is made of it, but it may contradict an older answer.
                add(part, request, Self.shown(part, request), at: now)
            }
            return seen.canTakeMore(than: settings.indexBytes / Self.indexBytesOfAnAnswer)
        } _: { [self] _ in
            hasReadStored.store(true, ordering: .releasing)
        }
    }

    /// A request was not answered out of what is held. Forms that the origin never answered in are
    /// not counted: clients make them up.
    package func note(miss request: CatalogRequest, at now: Int64) {
        if request.shape.selection.isEmpty, request.shape.subject == .item || request.shape.subject == .batch {
            growth.note(miss: request)
        } else if forms.record(request.shape, at: now) != nil {
            growth.note(miss: request)
        }
    }

    /// An answer that was built for the request was not what the origin said: none is built in its
    /// form until then (unix seconds), whatever restarts there are.
    package func switchOff(_ request: CatalogRequest, until: Int64, at now: Int64) {
        forms.switchOff(request.shape, until: until, at: now)
        cache.store?.storeRest(of: request.target, until: until)
    }

    /// False where nothing was noted of anything that is asked for, so that there is nothing to
    /// make an answer of. A page may be a reason to ask for a larger one where nothing of its list
    /// is stored.
    package func mayHoldParts(of request: CatalogRequest) -> Bool {
        switch request.shape.subject {
        case .item, .batch: request.resources.contains { index.holds(request.indexNumber(ofResource: $0.number)) }
        case .list, .results: true
        }
    }

    /// The stored sources of answers.
    /// - Parameter request: what they answer: where that was purged, nothing as old as the purge
    ///   counts. Nil: where nothing is made of them.
    package func sources(
        _ reader: FileReader?, for request: CatalogRequest? = nil, at now: Int64, isPeeking: Bool = false
    ) -> StoredSources {
        let purgedAt = request.map { request in
            let type = request.resources.first?.type ?? request.shape.type
            return cache.lastPurge(
                of: request.target, storefront: request.storefront.bytes, classTag: type.rawValue, at: now)
        }
        return StoredSources(
            cache, index, reader, classes, at: now, isPeeking: isPeeking, newerThan: purgedAt ?? .min)
    }

    /// Whether that is done.
    /// These answers alone as sources, as if nothing else were stored. Nothing is learnt from them.
    package func sources(
        holding answers: [StoredResponse], for request: CatalogRequest, at now: Int64
    ) -> StoredSources {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: Self.bytesApart), store: nil)
        let library = ResourceLibrary(cache, classes, settings)
        for part in answers.compactMap({ StoredSource(scanning: $0) }) {
            cache.store(part.response)
            library.note(part.response, at: now)
        }
        return library.sources(nil, for: request, at: now, isPeeking: true)
    }

    var isComplete: Bool { hasReadStored.load(ordering: .acquiring) }

    /// Whether resources that were seen before in another placement show the same attributes.
    /// With what is in memory: nothing is read from the file for it.
    private func comparePlacements(_ part: StoredSource, _ request: CatalogRequest, _ shown: [Shown], at now: Int64)
        -> Bool
    {
        guard request.hasPlainResources else { return true }
        var sources = sources(nil, at: now)
        var (rest, agrees) = (Self.comparisons, true)
        for (index, placement) in shown where rest > 0 {
            let object = part.document.map.objects[index]
            guard !object.attributes.isEmpty, let type = object.type else { continue }
            let name = NamedResource(number: object.number, id: part.document.body[object.id.range])
            for other in sources.candidates(request.indexNumber(ofResource: object.number), name)
            where other.placement != placement && !other.object.attributes.isEmpty {
                rest -= 1
                let isEqual = other.object.attributeNames == object.attributeNames
                if !forms.note(type, placement, other.placement, isEqual: isEqual) { agrees = false }
            }
        }
        return agrees
    }

    /// The same among the answers of the file: none of them is in memory, to be compared with.
    private func comparePlacements(_ part: StoredSource, _ seen: SeenPlacements) {
        guard let request = part.request, request.hasPlainResources else { return }
        for (index, placement) in Self.shown(part, request) {
            let object = part.document.map.objects[index]
            guard !object.attributes.isEmpty, let type = object.type,
                let other = seen.other(than: placement, of: request.indexNumber(ofResource: object.number), object)
            else { continue }
            _ = forms.note(type, placement, other.placement, isEqual: other.attributeNames == object.attributeNames)
        }
    }
}

/// In which placement a resource was met first in the file, and what it showed there.
private final class SeenPlacements: Sendable {
    typealias Seen = (placement: Placement, attributeNames: UInt64)

    private let resources = Mutex<[UInt64: Seen]>([:])
    /// The latest are met first, and so many say enough.
    private static let maxResources = 1 << 16

    private let answers = Atomic<Int>(0)

    /// Counts an answer; false once there were so many.
    func canTakeMore(than most: Int) -> Bool { answers.add(1, ordering: .relaxed).newValue < most }

    /// The resource's earlier look in another placement; nothing the first time that it is met.
    func other(than placement: Placement, of number: UInt64, _ object: ResourceDocument.Object) -> Seen? {
        resources.withLock { resources in
            if let seen = resources[number] { return seen.placement == placement ? nil : seen }
            if resources.count < Self.maxResources { resources[number] = (placement, object.attributeNames) }
            return nil
        }
    }
}

// MARK: - What is noted

extension ResourceLibrary {
    /// An object of a document, by its index, and its placement there.
    typealias Shown = (index: Int, placement: Placement)

    /// The objects of an answer that others can be made of: no identifiers.
    static func shown(_ part: StoredSource, _ request: CatalogRequest) -> [Shown] {
        let objects = part.document.map.objects
        let envelope = part.document.map.envelope
        // The next element of the document's own list; -1 behind the last.
        var primary = envelope.firstElement < envelope.endElement ? Int(envelope.firstElement) : -1
        var result: [Shown] = []
        result.reserveCapacity(objects.count)
        for (index, object) in objects.enumerated() {
            let isPrimary = index == primary
            if isPrimary { primary = object.end < envelope.endElement ? Int(object.end) : -1 }
            guard !object.attributes.isEmpty || object.hasRelationships else { continue }
            if object.parent >= 0 {
                let isInView = part.document.map.relations[Int(object.parent)].isView
                result.append((index, isInView ? .viewed : .included))
            } else if let placement = request.placement(isPrimary: isPrimary) {
                result.append((index, placement))
            }
        }
        return result
    }

    /// The shown objects come first, in their order.
    static func entries(
        _ part: StoredSource, _ request: CatalogRequest, _ shown: [Shown]
    ) -> [ResourceIndex.Entry] {
        let objects = part.document.map.objects
        var entries: [ResourceIndex.Entry] = []
        entries.reserveCapacity(shown.count + 8)
        for (index, placement) in shown {
            let place = IndexedPlace(
                .object(placement), index, relationSum: part.document.relationSum(of: objects[index]))
            entries.append(
                ResourceIndex.Entry(
                    request.indexNumber(ofResource: objects[index].number), place: place.packed,
                    content: objects[index].attributeSum))
        }
        switch request.shape.subject {
        case .item: addLists(part, request, &entries)
        case .batch:
            addLists(part, request, &entries)
            addAbsences(part, request, &entries)
        case .list:
            if let list = request.listNumber {
                entries.append(ResourceIndex.Entry(list, .page, showing: part.document.primary))
            }
        case .results: break
        }
        return entries
    }

    /// The relationships of primary resources are the first pages of lists. With parameters like
    /// `extend` they show their elements otherwise than the list's own pages do.
    private static func addLists(
        _ part: StoredSource, _ request: CatalogRequest, _ entries: inout [ResourceIndex.Entry]
    ) {
        guard request.hasPlainResources else { return }
        for object in part.document.primary {
            for index in Int(object.firstRelation)..<Int(object.endRelation) {
                let relation = part.document.map.relations[index]
                let list = request.listNumber(ofParent: object.number, name: relation.name)
                let items = part.document.elements(of: relation)
                entries.append(ResourceIndex.Entry(list, .inlinePage, index, showing: items))
            }
        }
    }

    private static func addAbsences(
        _ part: StoredSource, _ request: CatalogRequest, _ entries: inout [ResourceIndex.Entry]
    ) {
        let found = Set(part.document.primary.map(\.number))
        for name in request.resources where !found.contains(name.number) {
            entries.append(ResourceIndex.Entry(request.indexNumber(ofResource: name.number), .absence))
        }
    }
}

// MARK: - The index

extension ResourceLibrary {
    /// Adds to the index what an answer shows, and drops what was composed from answers that it
    /// contradicts.
    private func add(_ part: StoredSource, _ request: CatalogRequest, _ shown: [Shown], at now: Int64) {
        let differing = index.add(
            part.response.key, at: part.response.receivedAt, Self.entries(part, request, shown))
        guard !differing.isEmpty else { return }
        cache.noteContradiction()
        var sources = sources(nil, at: now, isPeeking: true)
        var compared = 0
        for (entry, source) in differing {
            guard let key = source.key, cache.hasComposed(from: key) else { continue }
            compared += 1
            // Pairs beyond the limit count as contradictions; their answers are composed again.
            if compared <= Self.comparisons, entry < shown.count {
                let object = part.document.map.objects[shown[entry].index]
                let name = NamedResource(number: object.number, id: part.document.body[object.id.range])
                let new = Candidate(part: part, object: object, placement: shown[entry].placement)
                if let old = sources.candidate(name, source), !new.contradicts(old.candidate) { continue }
            }
            cache.dropDependents(of: key)
        }
    }

    /// Notes that a resource was not found: an older answer that has it is no source any more.
    func noteAbsence(_ key: CacheKey, at receivedAt: Int64, _ request: CatalogRequest) {
        guard request.shape.subject == .item || request.shape.subject == .batch,
            classes.contains(request.shape.type), key.variant.isEmpty
        else { return }
        let entries = request.resources.map {
            ResourceIndex.Entry(request.indexNumber(ofResource: $0.number), .absence)
        }
        let differing = index.add(key, at: receivedAt, entries)
        guard !differing.isEmpty else { return }
        cache.noteContradiction()
        for key in differing.compactMap(\.source.key) { cache.dropDependents(of: key) }
    }
}

extension ResourceIndex.Entry {
    init(
        _ number: UInt64, _ kind: IndexedPlace.Kind, _ index: Int = 0, showing items: MappedDocument.Elements? = nil
    ) {
        let content = items.map { UInt32(truncatingIfNeeded: MappedDocument.sum(of: $0, named: 0)) } ?? 0
        self.init(number, place: IndexedPlace(kind, index).packed, content: content)
    }
}

extension CompositionSettings {
    /// Whether anything has to be known of resources at all.
    var isActive: Bool { compose != .off || windows || batch }
}

extension CatalogRequest {
    fileprivate func placement(isPrimary: Bool) -> Placement? {
        switch shape.subject {
        case .item: isPrimary ? .item : nil
        case .batch: isPrimary ? .batched : nil
        case .list: isPrimary ? .listed : nil
        case .results: .found
        }
    }
}
