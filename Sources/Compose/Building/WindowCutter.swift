import AppleMusic
import Cache

// Cuts a window out of a stored page of the same list (DECISIONS 10.1).
// Must hold: a window comes out of one answer of the origin's, so that pages of different ages
// never mix; the position of every item is certain (`StoredPage`); the limit is one that the origin
// was seen to accept; `next` is what it would have written, completed where that is asked for.

struct WindowCutter {
    let request: CatalogRequest
    let record: FormRecord
    let limit: Int
    let offset: Int
    private let growth: GrowthAccounts
    private let now: Int64
    /// Positions on a page that is asked for without a limit, as learnt or, until then, as
    /// documented (APPLE-MUSIC-API 4).
    private let standardLimit: Int?
    private let completesNext: Bool

    /// Throws where the origin was not seen to answer such a request.
    init(
        _ request: CatalogRequest, _ record: FormRecord, _ growth: GrowthAccounts, completingNext: Bool,
        at now: Int64
    ) throws(Lack) {
        guard case .list(let name, let isView) = request.shape.subject, record.envelope == 0 else {
            throw Lack(.formNotUnderstood)
        }
        standardLimit =
            record.lists.standardLimit
            ?? CatalogRequest.standardLimit(ofList: name, isView: isView, of: request.shape.type)
        guard let limit = request.limit ?? standardLimit else { throw Lack(.standardLimitUnknown) }
        guard limit <= max(record.lists.greatestLimit, standardLimit ?? 0) else {
            throw Lack(.limitNeverSeen, .number(limit))
        }
        self.request = request
        self.record = record
        self.growth = growth
        self.now = now
        self.limit = limit
        offset = request.offset ?? 0
        completesNext = completingNext
    }

    func cut(_ list: UInt64, _ empty: consuming Assembler) -> CompositionOutcome {
        var assembler = empty
        var pages: [StoredPage] = []
        var refusal = Refusal(nothingHeldOf: request)
        let habits = record.lists.habits(in: request.storefront, at: now)
        for (part, place) in assembler.places(list) {
            guard let page = Page(part, place, of: request, standardLimit) else { continue }
            pages.append(page.facts)
            if page.facts.endsBefore(offset, habits) {
                guard let answer = record.lists.answerPastEnd(request) else {
                    refusal = Refusal(.pastEnd, .pastEndUnknown).orFurther(refusal)
                    continue
                }
                assembler.use(part)
                return .answer(assembler.finished(like: answer.response, reliesUntil: record.countsUntil))
            }
            // A list without anything may be a 404 (APPLE-MUSIC-API 7.13).
            guard let cut = page.facts.cut(offset: offset, limit: limit, habits), !cut.items.isEmpty,
                let link = link(to: cut.next)
            else {
                refusal = Refusal(.window, lack(of: page.facts, habits)).orFurther(refusal)
                continue
            }
            let mark = assembler.output.count
            let writing = write(page, cut.items, link, &assembler)
            if case .impossible(let lack) = writing {
                refusal = Refusal(.window, lack).orFurther(refusal)
                assembler.rewind(to: mark)
                continue
            }
            var window = assembler.finished(.window, reliesUntil: record.countsUntil)
            window.growth = .page(named(list, page.facts.offset))
            return .answer(window)
        }
        do throws(Lack) {
            return try enlarged(list, pages).map { .partial($0) } ?? .impossible(refusal)
        } catch {
            return .impossible(Refusal(.growth, error).orFurther(refusal))
        }
    }

    /// Why nothing was cut out of the page.
    private func lack(of page: StoredPage, _ habits: ListHabits) -> Lack {
        guard let cut = page.cut(offset: offset, limit: limit, habits) else { return lackOfCut(page) }
        return cut.items.isEmpty ? Lack(.windowEmpty) : Lack(.nextUnknown)
    }

    /// Why the page does not say what is in the window.
    private func lackOfCut(_ page: StoredPage) -> Lack {
        let last = page.next.map { $0 - 1 } ?? Int.max
        guard page.offset...max(page.offset, last) ~= offset else { return Lack(.pageNotHeld, .offset(offset)) }
        guard let next = page.next else { return Lack(.endUncertain, .offset(page.offset)) }
        let gaps = next - page.offset - page.count
        return gaps > 0
            ? Lack(.pageHasGaps, .gaps(gaps, offset: page.offset)) : Lack(.pageTooShort, .offset(page.offset))
    }

    /// Whether a stored page shows that the list ends before the window.
    func isPastEnd(_ list: UInt64, _ sources: consuming StoredSources) -> Bool {
        let habits = record.lists.habits(in: request.storefront, at: now)
        return sources.places(list).contains { part, place in
            Page(part, place, of: request, standardLimit)?.facts.endsBefore(offset, habits) ?? false
        }
    }

    /// The largest aligned page around the window, so that its neighbours come with it (DECISIONS
    /// 10.4): only where clients are going through the list, where it was seen without gaps so far,
    /// since a page with gaps cannot be cut, and where such pages have paid. Nil where no client
    /// goes through the list, or the page is there.
    private func enlarged(_ list: UInt64, _ pages: [StoredPage]) throws(Lack) -> Supplement? {
        guard pages.contains(where: { $0.next == offset && $0.count == offset - $0.offset }) else { return nil }
        if record.lists.showsGaps(in: request.storefront, at: now) { throw Lack(.growthMeetsGaps) }
        guard link(to: offset + limit) != nil else { throw Lack(.nextUnknown) }
        let size = greatestLimit
        let start = offset / size * size
        guard limit * 2 <= size, offset + limit <= start + size else { throw Lack(.growthGainsLittle) }
        // What it lacks is said of it as of any page.
        if pages.contains(where: { $0.offset == start && ($0.limit ?? 0) >= size }) { return nil }
        guard growth.mayGrow(named(list, start), at: now) else { throw Lack(.growthRests) }
        return Supplement(target: request.target(limit: size, offset: start), growth: .page(named(list, start)))
    }

    /// The largest page in place of a list's first one, of which nothing is held: where clients of
    /// such lists often go on, and lists have no gaps, so that any window can be cut out of it. Nil
    /// where that is not so.
    func firstPage(of list: UInt64) -> Supplement? {
        let (size, page) = (greatestLimit, named(list, 0))
        guard offset == 0, limit * 2 <= size, record.lists.habits(in: request.storefront, at: now).hasNoGaps,
            link(to: limit) != nil, growth.mayBegin(with: page, at: now)
        else { return nil }
        return Supplement(target: request.target(limit: size, offset: 0), growth: .firstPage(page))
    }

    /// The most that the origin takes, as documented or seen.
    private var greatestLimit: Int {
        guard case .list(let name, let isView) = request.shape.subject else { return limit }
        let documented = CatalogRequest.greatestLimit(ofList: name, isView: isView, of: request.shape.type)
        return max(documented ?? 0, record.lists.greatestLimit, limit)
    }

    private func named(_ list: UInt64, _ offset: Int) -> ListPage {
        ListPage(list: list, offset: offset, shape: request.shape, storefront: request.storefront)
    }

    /// The `next` that the origin would write, empty for the last page; nil where that is not
    /// known.
    private func link(to next: Int?) -> [UInt8]? {
        guard let next else { return [] }
        let link = record.lists.link(for: request)?.write(offset: next, request)
        return completesNext ? link.map(completed) : link
    }

    /// With the client's own parameters, as in what is fetched.
    private func completed(_ link: [UInt8]) -> [UInt8] {
        var target = CanonicalTarget()
        guard (try? target.parse(request.target(limit: request.limit, offset: request.offset).span)) != nil else {
            return link
        }
        return CompletedNext(link.span, of: target)?.link ?? link
    }

    private func write(_ page: Page, _ items: Range<Int>, _ link: [UInt8], _ assembler: inout Assembler) -> Writing {
        assembler.append("{")
        if !link.isEmpty {
            assembler.append("\"next\":\"")
            assembler.append(link)
            assembler.append("\",")
        }
        assembler.append("\"data\":[")
        for (index, element) in page.elements.enumerated() where items.contains(index) {
            if index > items.lowerBound { assembler.append(",") }
            let writing = assembler.write(
                element: element, of: page.part, record.objects, .listed, standingAs: page.placement)
            switch writing {
            case .done: break
            case .lacking: return .impossible(Lack(.elementNotHeld, element.type.map { .type($0) } ?? .none))
            case .impossible: return writing
            }
        }
        assembler.append("]}")
        assembler.use(page.part)
        return .done
    }

    /// A stored page of the list: an answer of its own, or a relationship inside another.
    private struct Page {
        let part: StoredSource
        let placement: Placement
        let facts: StoredPage
        let elements: MappedDocument.Elements

        /// Nil where the part has no page of the list by now: places are noted, and answers change.
        init?(_ part: StoredSource, _ place: IndexedPlace, of list: CatalogRequest, _ standardLimit: Int?) {
            let document = part.document
            self.part = part
            let next: ByteSpan
            var (offset, limit): (Int, Int?) = (0, nil)
            switch place.kind {
            case .page:
                guard let request = part.request, request.isSameList(as: list) else { return nil }
                placement = .listed
                elements = document.primary
                next = document.map.envelope.next
                (offset, limit) = (request.offset ?? 0, request.limit ?? standardLimit)
            case .inlinePage:
                guard let relation = document.relation(place.index, thatBegins: list) else { return nil }
                placement = relation.isView ? .viewed : .included
                elements = document.elements(of: relation)
                next = relation.next
                // A list that ends within its first page; one that goes on is as long as it is.
                limit = next.isEmpty ? standardLimit : document.offset(in: next)
            default: return nil
            }
            var count = 0
            for _ in elements { count += 1 }
            facts = StoredPage(offset: offset, count: count, limit: limit, next: document.offset(in: next))
            if !next.isEmpty && facts.next == nil { return nil }
        }
    }
}

extension ResourceLibrary {
    /// Learns from an answer of the origin's that something was not found, if that was behind the
    /// end of a list.
    package func note(
        notFound response: StoredResponse, _ request: CatalogRequest, _ reader: StoreReader?, at now: Int64
    ) {
        guard settings.windows, let answer = PastEnd(response), let list = request.listNumber,
            let record = forms.record(request.shape, at: now),
            let cutter = try? WindowCutter(
                request, record, growth, completingNext: settings.completesNext, at: now),
            cutter.isPastEnd(list, sources(reader, at: now))
        else { return }
        forms.note(pastEnd: answer, request)
    }
}

extension CatalogRequest {
    /// Whether both ask for pages of one list, in the same shape.
    fileprivate func isSameList(as other: CatalogRequest) -> Bool {
        shape == other.shape && resources == other.resources && storefront == other.storefront
            && language == other.language
    }
}

extension MappedDocument {
    /// The relationship of this index, if it is that of the list's parent and of its name.
    fileprivate func relation(_ index: Int, thatBegins list: CatalogRequest) -> Relation? {
        guard case .list(let name, let isView) = list.shape.subject, let parent = list.resources.first,
            let relation = map.relations[checked: index],
            relation.name == ResourceDocument.nameNumber(name.span, isView: isView)
        else { return nil }
        let isOwned = primary.contains { object in
            Int(object.firstRelation)..<Int(object.endRelation) ~= index && object.number == parent.number
                && body[object.id.range].dropFirst().dropLast().elementsEqual(parent.id)
        }
        return isOwned ? relation : nil
    }
}
