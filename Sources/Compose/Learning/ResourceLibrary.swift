import AppleMusic
import Cache
import Freshness
import Store
import Synchronization

/// Knows the resources in stored answers, and the forms in which the origin shows them. Shared by
/// all loops.
///
/// It learns from every answer of its origin's that is stored under an operator's TTL, and composes
/// where nothing is stored under a request's own key. Each origin has a library of its own: what
/// one shows says nothing about another.
public final class ResourceLibrary: Sendable {
    /// Settings of composition.
    public let settings: CompositionSettings
    let index: ResourceIndex
    package let forms: LearntForms
    package let growth: GrowthAccounts
    package let sizes: LearntSizes
    let held: HeldNames
    let absences = KnownAbsences()
    let cache: ResponseCache
    /// The upstream whose answers it knows; others come late, after a change of `upstream`.
    let origin: OriginTag
    let classes: ResourceClasses
    private let hasReadStored = Atomic<Bool>(false)
    /// Misses since the names that clients want were kept.
    private let unkept = Atomic<Int>(0)
    /// When something was last learnt, unix seconds.
    let latest = Atomic<Int64>(.min)

    /// Bytes of the index for an answer of twenty resources, as measured.
    private static let indexBytesOfAnAnswer = 640

    /// The most resources of one answer that are compared with other answers.
    static let comparisons = 16

    /// `held` takes one in this many bytes of the index.
    private static let partOfNames = 16

    /// Room for the parts of a verified answer, in bytes.
    private static let bytesApart = 12 << 20

    /// - Parameter classes: those with an operator's TTL.
    package init(
        _ cache: ResponseCache, of origin: OriginTag, _ classes: ResourceClasses, _ settings: CompositionSettings
    ) {
        (self.cache, self.origin, self.classes, self.settings) = (cache, origin, classes, settings)
        let mostKept = cache.file == nil ? cache.memory.maxResponseBytes : LearntSizes.mostCollected
        sizes = LearntSizes(mostKept: mostKept)
        growth = GrowthAccounts(sizes)
        forms = LearntForms(isDocumented: settings.trustsDocumentation, settings.placements)
        let heldBytes = settings.indexBytes / Self.partOfNames
        held = HeldNames(maxBytes: heldBytes)
        index = ResourceIndex(maxBytes: settings.isActive ? settings.indexBytes - heldBytes : 0)
    }

    /// Whether such answers are learnt from and composed: shared ones under an operator's TTL.
    public func covers(_ scope: CacheKey.Scope?, _ route: Route, _ rule: TTLRule) -> Bool {
        guard case .fixed = rule else { return false }
        return settings.isActive && scope == .shared && route.isShared
    }

    /// Result of learning from an answer.
    package enum Lesson {
        case nothingNew
        /// The answer contradicts its form, which rests.
        case otherForm
        /// The answer contradicts what was concluded of its form: conclusions about its type rest.
        case otherThanConcluded
        /// A resource has other attributes than in another placement.
        case otherAttributes
    }

    /// Learns from a stored answer. `now` in unix seconds.
    /// - Parameters:
    ///   - known: its request, where that was parsed before.
    ///   - original: the origin's body, where another one is stored.
    ///   - asked: the number of the latest answer when it was asked for (`ResponseCache.arrivals`).
    ///   - reader: of the answers that it is compared with.
    @discardableResult
    package func note(
        _ response: StoredResponse, _ known: CatalogRequest? = nil, original: [UInt8]? = nil, asked: Int64 = .max,
        _ reader: FileReader? = nil, at now: Int64
    ) -> Lesson {
        guard settings.isActive, response.key.origin == origin, classes.allowParts(of: response),
            let map = response.outline as? ResourceDocument
        else { return .nothingNew }
        let part = StoredSource(response, map)
        guard let request = known ?? part.request else { return .nothingNew }
        noteAbsences(part, request)
        return learn(from: part, request, original: original, asked: asked, reader, at: now)
    }

    private func learn(
        from part: StoredSource, _ request: CatalogRequest, original: [UInt8]? = nil, asked: Int64 = .max,
        _ reader: FileReader? = nil, at now: Int64, isFound: Bool = false
    ) -> Lesson {
        let lesson = observe(request, original, part)
        let shown = Self.shown(part, request)
        let agrees = comparePlacements(part, request, shown, asked: asked, at: now)
        add(IndexedAnswer(part, request, shown, asked: asked, isFound: isFound), reader, at: now)
        // More was composed across placements than in a form.
        return agrees ? lesson : .otherAttributes
    }

    private func observe(_ request: CatalogRequest, _ original: [UInt8]?, _ part: StoredSource) -> Lesson {
        sizes.note(answer: request, part.document)
        var document = part.document
        if let original {
            guard let map = DocumentScan(original).document else { return .nothingNew }
            document = MappedDocument(body: original, map: map)
        } else if settings.completesNext, !document.map.envelope.next.isEmpty {
            // An answer from the file may have a link that this proxy completed.
            return .nothingNew
        }
        if case .list = request.shape.subject, request.shape.relates, let plain = request.undecorated {
            forms.observe(page: plain, document, at: part.response.receivedAt)
        }
        guard request.shape.subject != .results else { return .nothingNew }
        return forms.observe(
            request, document, at: part.response.receivedAt, freshFor: part.response.freshFor)
    }

    /// Begins to be used: reads the file's answers of earlier runs in the background, the latest
    /// first.
    /// - Parameter clock: the time in unix seconds. Reading may take minutes; a time that is long
    ///   past would be taken for a clock that went back.
    package func readStored(_ clock: @escaping @Sendable () -> Int64) {
        held.heed(cache)
        guard settings.isActive else { return }
        cache.kept(wantedFact) { [growth] summary in
            if let summary { growth.restore(summary) }
        }
        let now = clock()
        cache.file?.visitFloors(of: origin, at: now) { [self] number, time in
            // Answers of that second may be those that raised it.
            index.raiseFloor(of: number, to: time - 1, by: nil)
        }
        cache.file?.visitRests(of: origin, at: now) { [self] target, until in
            guard let request = CatalogRequest(canonical: target) else { return }
            forms.switchOff(request.shape, until: until, at: now)
        }
        let seen = SeenPlacements()
        cache.visitStored { [self] response in
            guard response.key.origin == origin else { return true }
            let now = clock()
            cache.note(receivedAt: response.receivedAt, at: now)
            if ErrorMeaning(status: response.status) == .absence,
                let request = CatalogRequest(canonical: Array(response.key.target))
            {
                noteAbsence(response.key, at: response.receivedAt, request, isFound: true)
            }
            guard classes.allowParts(of: response), let part = StoredSource(scanning: response) else { return true }
            if response.isFresh(at: now) {
                if let request = part.request { _ = learn(from: part, request, at: now, isFound: true) }
                held.note(part.response, at: now)
                comparePlacements(part, seen, at: now)
            } else if let request = part.request {
                note(stale: part, request, at: now)
            }
            return seen.canTakeMore(than: settings.indexBytes / Self.indexBytesOfAnAnswer)
        } _: { [self] _ in
            hasReadStored.store(true, ordering: .releasing)
        }
    }

    /// Counts a request that stored answers could not serve. Forms that the origin never answered
    /// in are not counted: clients choose them.
    package func note(miss request: CatalogRequest, at now: Int64) {
        let isOfResources = request.shape.subject == .item || request.shape.subject == .batch
        if isOfResources && request.shape.selection.isEmpty || forms.record(request.form, at: now) != nil {
            growth.note(miss: request)
            keepWanted()
        }
    }

    /// Keeps the names that clients want for the next start.
    private func keepWanted() {
        guard cache.file != nil, unkept.add(1, ordering: .relaxed).newValue % Self.missesToKeep == 0 else { return }
        cache.keep(growth.summary, as: wantedFact)
    }

    /// The names change slowly: they are halved after 256 misses of a type.
    private static let missesToKeep = 64

    private var wantedFact: String { "wanted \(String(origin.bits, radix: 16))" }

    /// Counts a larger request that is being sent.
    package func begin(_ growth: Growth, at now: Int64) {
        self.growth.begin(growth)
        switch growth {
        case .superset(let superset), .owner(let superset):
            if let wider = superset.wider { forms.begin(superset.form(in: wider), at: now) }
        case .page: break
        }
    }

    /// The origin refused (400) a larger request: its form rests.
    package func note(refused request: CatalogRequest, at now: Int64) { forms.noteRefusal(request.form, at: now) }

    /// Has the form of a wrong answer rest until then (unix seconds), also after a restart.
    package func switchOff(_ request: CatalogRequest, until: Int64, at now: Int64) {
        forms.switchOff(request.shape, until: until, at: now)
        cache.file?.storeRest(of: request.target, from: origin, until: until)
    }

    /// Whether the index has any of the resources. True for a page: a larger one may be asked for
    /// although nothing of its list is stored.
    package func mayHoldParts(of request: CatalogRequest) -> Bool {
        switch request.shape.subject {
        case .item, .batch: request.resources.contains { index.holds(request.indexNumber(ofResource: $0.number)) }
        case .list, .results: true
        }
    }

    /// The stored sources of answers.
    /// - Parameters:
    ///   - request: the request to compose for: sources from before a purge of it do not count.
    ///   - reading: the room for bytes that have to be read; nil: that of one composition.
    package func sources(
        _ reader: FileReader?, for request: CatalogRequest? = nil, at now: Int64, isPeeking: Bool = false,
        reading: SourceReading? = nil
    ) -> StoredSources {
        let lastPurge = request.map { request in
            let type = request.resources.first?.type ?? request.shape.type
            return cache.purges.lastPurge(
                of: request.target, storefront: request.storefront.bytes, classTag: type.rawValue)
        }
        return StoredSources(
            cache, index, of: origin, reader: reader, classes: classes, at: now, isPeeking: isPeeking,
            bornFrom: lastPurge ?? 0, reading: reading)
    }

    /// Sources of these answers alone, as if nothing else were stored. Nothing is learnt from them.
    package func sources(
        holding answers: [StoredResponse], for request: CatalogRequest, at now: Int64
    ) -> StoredSources {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: Self.bytesApart), file: nil)
        let library = ResourceLibrary(cache, of: answers.first?.key.origin ?? origin, classes, settings)
        for part in answers.compactMap({ StoredSource(scanning: $0) }) {
            cache.store(part.response)
            library.note(part.response, at: now)
        }
        return library.sources(nil, for: request, at: now, isPeeking: true)
    }

    /// Whether `readStored` has ended.
    var isComplete: Bool { hasReadStored.load(ordering: .acquiring) }
}

// MARK: - Index entries

extension ResourceLibrary {
    /// An object of a document, by its index, and its placement there.
    typealias Shown = (index: Int, placement: Placement)

    /// The objects of an answer that can be sources: no identifiers.
    static func shown(_ part: StoredSource, _ request: CatalogRequest) -> [Shown] {
        let objects = part.document.map.objects
        let envelope = part.document.map.envelope
        // The next element of the document's own list; -1 after the last.
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

    /// Adds the relationships of primary resources, which are first pages of lists. With parameters
    /// like `extend` their elements differ from those of the list's own pages.
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
        for name in part.missing(of: request) {
            entries.append(ResourceIndex.Entry(request.indexNumber(ofResource: name.number), .absence))
            let absence = CatalogRequest.absenceNumber(ofResource: name.number, in: request.storefront)
            entries.append(ResourceIndex.Entry(absence, .absence))
        }
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
    /// Whether any kind of composition is on.
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
