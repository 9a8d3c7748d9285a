import AppleMusic
import Cache
import Freshness
import Store

// Floors (DECISIONS 9.22): where two answers contradict each other about a resource or a list, the
// older is outdated for it from then on, also when the newer is gone. So no URL goes back.
// Must hold: a floor is raised when the later of the two is indexed, before anything is composed of
// it; nothing is asked of anyone for it, and no hit looks at it.

extension ResourceLibrary {
    /// An answer that was indexed, for the comparison with the others.
    struct IndexedAnswer {
        let part: StoredSource
        let request: CatalogRequest
        let shown: [Shown]
        let entries: [ResourceIndex.Entry]
        /// The number of the latest answer when it was asked for (`ResponseCache.arrivals`): later
        /// ones may show an older or a newer state than it.
        let asked: Int64
        /// Whether it was found in the file, whose floors are known by then.
        let isFound: Bool

        init(_ part: StoredSource, _ request: CatalogRequest, _ shown: [Shown], asked: Int64, isFound: Bool) {
            (self.part, self.request, self.shown) = (part, request, shown)
            entries = ResourceLibrary.entries(part, request, shown)
            (self.asked, self.isFound) = (asked, isFound)
        }

        /// The resources by which answers are found that show what an entry does. A page of a list
        /// has most of its resources in common with other pages of it.
        fileprivate func resources(of entry: Int) -> [UInt64] {
            let (document, place) = (part.document, IndexedPlace(packed: entries[entry].place))
            switch place.kind {
            case .object: return [document.map.objects[shown[entry].index].number]
            case .absence:
                let number = entries[entry].number
                return request.resources.map(\.number).filter { request.indexNumber(ofResource: $0) == number }
            case .page: return document.primary.map(\.number)
            case .inlinePage: return document.elements(of: document.map.relations[place.index]).map(\.number)
            }
        }
    }

    /// The most pairs of one answer that are looked at, of older and of newer ones each. Beyond,
    /// nothing is outdated by it for good.
    private static let mostPairs = 512
    /// Bytes of other answers that may be read for it, on the loop: half a millisecond.
    private static let mostRead = 128 << 10

    /// Raises the floors of what the answer and others show differently, and drops the composed
    /// answers that name a resource of which one was raised: the index knows four answers of it,
    /// and they may be made of others.
    func raiseFloors(
        _ answer: IndexedAnswer, _ differences: [ResourceIndex.Difference], _ reader: FileReader?, at now: Int64
    ) {
        let reading = SourceReading()
        reading.begin(room: Self.mostRead)
        var comparison = AnswerComparison(
            answer, forms, near: sources(nil, at: now, isPeeking: true),
            all: sources(reader, at: now, isPeeking: true, reading: reading), reading, at: now)
        let own = answer.part.response
        var contradicted: Set<UInt64> = []
        // The oldest of newer answers comes first: those after it may agree with it. The newest of
        // older ones does: it may be of the same second, which the file has to know.
        let (older, newer) = (differences.filter { !$0.isNewer }, differences.filter(\.isNewer))
        for difference in older.prefix(Self.mostPairs) + newer.reversed().prefix(Self.mostPairs) {
            let number = answer.entries[difference.entry].number
            guard !isOlderOutdated(of: number, difference, own.key, at: own.receivedAt),
                let contradiction = comparison.contradiction(difference)
            else { continue }
            // Neither is known to be newer where both were asked for at one time.
            raiseFloor(
                of: number, difference, own.key, at: own.receivedAt, sparesNewest: contradiction == .ordered)
            contradicted.formUnion(answer.resources(of: difference.entry))
        }
        if !contradicted.isEmpty { cache.dropComposed(naming: contradicted) }
    }

    /// Whether the older of two answers that differ is below the floor already: to raise it to the
    /// newer one would outdate those between them that agree with that one.
    func isOlderOutdated(
        of number: UInt64, _ difference: ResourceIndex.Difference, _ key: CacheKey, at receivedAt: Int64
    ) -> Bool {
        difference.isNewer
            ? index.isOutdated(number, at: receivedAt, in: key)
            : index.isOutdated(number, at: difference.source.receivedAt, in: difference.source.key)
    }

    /// Raises the floor of a number that two answers show differently, to the newer of them.
    func raiseFloor(
        of number: UInt64, _ difference: ResourceIndex.Difference, _ key: CacheKey, at receivedAt: Int64,
        sparesNewest: Bool = true
    ) {
        let time = max(difference.source.receivedAt, receivedAt)
        let newest = difference.isNewer ? difference.source.key : key
        guard
            index.raiseFloor(
                of: number, to: time, by: sparesNewest ? newest : nil, isLatest: !difference.isNewer)
        else { return }
        // The file tells no two of one second apart.
        let countsFrom = sparesNewest && difference.source.receivedAt != receivedAt ? time : time + 1
        cache.file?.storeFloor(of: number, from: origin, at: countsFrom)
    }

    /// Takes over the floors of the library that it replaces, unless that was of another origin.
    package func takeFloors(of former: ResourceLibrary) {
        if former !== self, former.origin == origin { index.raiseFloors(toThoseOf: former.index) }
    }

    /// After a clock that was ahead, answers would else be outdated for as long as it was.
    func noteTime(_ now: Int64) {
        let last = latest.exchange(now, ordering: .relaxed)
        if last > now, last - now > ClockStep.adjustment { index.capFloors(at: now) }
    }

    /// Whether a later answer contradicted this one about any resource or list: then it is no
    /// stand-in. False for answers that are no sources.
    public func isOutdated(_ response: StoredResponse) -> Bool {
        guard index.hasFloors, response.key.origin == origin, response.composition == nil, !response.key.isPersonal,
            response.key.variant.isEmpty, response.status == 200 || ErrorMeaning(status: response.status) == .absence,
            let type = ResourceClass(rawValue: response.classTag), classes.contains(type),
            let request = CatalogRequest(canonical: Array(response.key.target))
        else { return false }
        let numbers: [UInt64]
        if response.status == 200, let part = StoredSource(response, keepingMapIn: cache) {
            numbers = Self.entries(part, request, Self.shown(part, request)).map(\.number)
        } else {
            // A list that was not found says nothing about its parent.
            guard request.shape.subject == .item || request.shape.subject == .batch else { return false }
            numbers = request.resources.map { request.indexNumber(ofResource: $0.number) }
        }
        return numbers.contains { index.isOutdated($0, at: response.receivedAt, in: response.key) }
    }
}

/// Compares what an answer shows with what others show.
private struct AnswerComparison {
    enum Contradiction {
        case ordered
        /// The one was asked for before the other had come.
        case simultaneous
    }

    private let answer: ResourceLibrary.IndexedAnswer
    private let forms: LearntForms
    private let now: Int64
    /// Pairs of objects that may still be compared as values, which takes some 40 us each; lists,
    /// absences and what is outdated already cost less and do not count.
    private var pairsOfValues = 64
    /// Answers in memory.
    private var near: StoredSources
    /// Answers in memory and in the file.
    private var all: StoredSources
    private let reading: SourceReading
    private var agreements: [ResourceClass: PlacementAgreement] = [:]

    init(
        _ answer: ResourceLibrary.IndexedAnswer, _ forms: LearntForms, near: StoredSources, all: StoredSources,
        _ reading: SourceReading, at now: Int64
    ) {
        (self.answer, self.forms, self.near, self.all) = (answer, forms, near, all)
        (self.reading, self.now) = (reading, now)
    }

    /// How the other answer contradicts this one; nil where both may be of one revision.
    mutating func contradiction(_ difference: ResourceIndex.Difference) -> Contradiction? {
        let own = IndexedPlace(packed: answer.entries[difference.entry].place)
        let other = IndexedPlace(packed: difference.source.place)
        switch (own.kind, other.kind) {
        case (.object(let one), .object(let another)): return compareObjects(difference, one, another)
        case (.object, .absence), (.absence, .object): return saysAbsence(difference, own) ? .ordered : nil
        case (.page, .page), (.page, .inlinePage), (.inlinePage, .page): return compareLists(difference, own, other)
        default: return nil
        }
    }

    private mutating func compareObjects(
        _ difference: ResourceIndex.Difference, _ own: Placement, _ placement: Placement
    ) -> Contradiction? {
        let object = answer.part.document.map.objects[answer.shown[difference.entry].index]
        let name = NamedResource(number: object.number, id: answer.part.document.body[object.id.range])
        let isAlike = object.type.map { agree($0, own, placement) } ?? (own == placement)
        let found = isAlike ? all.candidate(name, difference.source) : near.candidate(name, difference.source)
        guard let found else {
            // A checksum tells attributes in another order apart too, so it counts only where the
            // answer went meanwhile.
            guard isAlike, !answer.isFound, !reading.isShort, difference.source.content != 0,
                object.attributeSum != 0
            else { return nil }
            return difference.source.content != object.attributeSum ? .ordered : nil
        }
        guard pairsOfValues > 0 else { return nil }
        pairsOfValues -= 1
        let candidate = Candidate(part: answer.part, object: object, placement: own)
        return candidate.contradicts(found.candidate) ? order(difference, found.candidate.part) : nil
    }

    /// Whether the resource is said to be absent, not left out under one of its other names.
    private mutating func saysAbsence(_ difference: ResourceIndex.Difference, _ own: IndexedPlace) -> Bool {
        if case .absence = own.kind { return answer.part.foundNothing }
        guard let key = difference.source.key, let other = near.answer(under: key) else { return true }
        return other.foundNothing
    }

    private mutating func agree(_ type: ResourceClass, _ one: Placement, _ other: Placement) -> Bool {
        if one == other { return true }
        let agreement = agreements[type] ?? forms.agreement(type, in: answer.request.storefront, at: now)
        agreements[type] = agreement
        return agreement.isCompared(one, other) && !agreement.isRefuted(one, other)
    }

    private mutating func compareLists(
        _ difference: ResourceIndex.Difference, _ own: IndexedPlace, _ place: IndexedPlace
    ) -> Contradiction? {
        guard let key = difference.source.key, let other = all.answer(under: key),
            let list = own.kind == .page ? answer.request : other.request
        else { return nil }
        let limit = forms.record(list.form, at: now)?.lists.standardLimit(of: list)
        guard let one = ListedPage(answer.part, own, of: list, limit),
            let another = ListedPage(other, place, of: list, limit)
        else { return nil }
        return one.contradicts(another) ? order(difference, other) : nil
    }

    private func order(_ difference: ResourceIndex.Difference, _ other: StoredSource) -> Contradiction {
        !difference.isNewer && other.response.arrival > answer.asked ? .simultaneous : .ordered
    }
}
