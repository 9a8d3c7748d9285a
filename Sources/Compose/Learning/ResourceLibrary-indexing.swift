import AppleMusic
import Cache

// How answers get into the index: what they contradict goes, or counts no longer.

extension ResourceLibrary {
    /// Indexes an answer, drops answers composed from those that it contradicts, and raises floors.
    func add(_ answer: IndexedAnswer, _ reader: FileReader?, at now: Int64) {
        let (part, shown) = (answer.part, answer.shown)
        noteTime(now)
        let differing = index.add(
            part.response.key, at: part.response.receivedAt, answer.entries, isFound: answer.isFound)
        guard !differing.isEmpty else { return }
        raiseFloors(answer, differing, reader, at: now)
        let older = differing.filter { !$0.isNewer }
        guard !older.isEmpty else { return }
        cache.noteContradiction()
        var sources = sources(nil, at: now, isPeeking: true)
        var compared = 0
        for difference in older {
            guard let key = difference.source.key, cache.hasComposed(from: key) else { continue }
            compared += 1
            // Pairs beyond the limit count as contradictions; their answers are composed again.
            if compared <= Self.comparisons, difference.entry < shown.count {
                let object = part.document.map.objects[shown[difference.entry].index]
                let name = NamedResource(number: object.number, id: part.document.body[object.id.range])
                let new = Candidate(part: part, object: object, placement: shown[difference.entry].placement)
                if let old = sources.candidate(name, difference.source), !new.contradicts(old.candidate) { continue }
            }
            cache.dropDependents(of: key)
        }
    }

    /// Indexes a stale answer of the file: it is no source, but it may contradict an older one.
    func note(stale part: StoredSource, _ request: CatalogRequest, at now: Int64) {
        add(IndexedAnswer(part, request, Self.shown(part, request), asked: .max, isFound: true), nil, at: now)
    }

    /// Notes that a resource was not found, so that older answers that have it are no sources.
    /// - Parameter isBelieved: whether they are outdated for good.
    func noteAbsence(
        _ key: CacheKey, at receivedAt: Int64, _ request: CatalogRequest, isFound: Bool = false,
        isBelieved: Bool = true
    ) {
        guard request.shape.subject == .item || request.shape.subject == .batch,
            classes.contains(request.shape.type), key.variant.isEmpty
        else { return }
        let entries = request.resources.map {
            ResourceIndex.Entry(request.indexNumber(ofResource: $0.number), .absence)
        }
        let differing = index.add(key, at: receivedAt, entries, isFound: isFound)
        let (newer, older) = (differing.filter(\.isNewer), differing.filter { !$0.isNewer })
        for difference in older + newer.reversed() where isBelieved {
            let number = entries[difference.entry].number
            if isOlderOutdated(of: number, difference, key, at: receivedAt) { continue }
            raiseFloor(of: number, difference, key, at: receivedAt)
        }
        guard !older.isEmpty else { return }
        cache.dropComposed(naming: isBelieved ? Set(request.resources.map(\.number)) : [])
        for key in older.compactMap(\.source.key) { cache.dropDependents(of: key) }
    }
}
