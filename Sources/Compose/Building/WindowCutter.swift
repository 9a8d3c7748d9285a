import AppleMusic
import Cache

// Cuts a window out of a stored page of the same list (DECISIONS 10.1).
// Must hold: the items are those of one stored page, so pages of different ages never mix, but the
// bytes of an item may be another answer's; the position of every item is certain (`StoredPage`);
// the limit was accepted or is documented; `next` is written as learnt, completed if configured,
// and only where the request has the owner's own id.

struct WindowCutter {
    let request: CatalogRequest
    let record: FormRecord
    let limit: Int
    let offset: Int
    private let growth: GrowthAccounts
    private let sizes: LearntSizes
    /// The origin's limit for requests without one, and its greatest, learnt or documented
    /// (APPLE-MUSIC-API 4).
    private let limits: (standard: Int?, greatest: Int)
    private let completesNext: Bool

    /// Throws where the origin was not seen to answer such a request.
    init(
        _ request: CatalogRequest, _ record: FormRecord, growth: GrowthAccounts, sizes: LearntSizes,
        completingNext: Bool
    ) throws(MissReason) {
        guard case .list(let name, let isView) = request.shape.subject, record.envelope == 0 else {
            throw .formNotUnderstood
        }
        let type = request.shape.type
        let standard = record.lists.standardLimit(of: request)
        let documented = CatalogRequest.limits(ofList: name, isView: isView, of: type)?.greatest ?? 0
        limits = (standard, max(record.lists.greatestLimit, standard ?? 0, documented))
        guard let limit = request.limit ?? standard else { throw .standardLimitUnknown }
        guard limit <= limits.greatest else { throw .limitNeverSeen }
        (self.request, self.record, self.growth, self.sizes) = (request, record, growth, sizes)
        self.limit = limit
        offset = request.offset ?? 0
        completesNext = completingNext
    }

    func cut(_ list: UInt64, _ empty: consuming Assembler) -> CompositionOutcome {
        var assembler = empty
        var (pages, newer): ([StoredPage], [ListedPage]) = ([], [])
        var refusal = Refusal(nothingHeldOf: request)
        for (part, place, isFresh, isOutdated) in assembler.sources.allPlaces(list) {
            guard let page = ListedPage(part, place, of: request, limits.standard) else { continue }
            let isContradicted =
                isOutdated || newer.contains(where: page.contradicts) || !page.isCurrent(&assembler)
            newer.append(page)
            guard isFresh else { continue }
            guard !isContradicted else {
                refusal = Refusal(.window, .contradicted).orFurther(refusal)
                continue
            }
            pages.append(page.facts)
            // An empty list may be a 404 (APPLE-MUSIC-API 7.13).
            guard let cut = page.cut(for: request, offset, limit, record.lists.cut), !cut.items.isEmpty,
                let link = link(to: cut.next), link.isEmpty || page.namesOwner(of: request) || isNamed(list, &assembler)
            else {
                refusal = Refusal(.window, reason(of: page.facts)).orFurther(refusal)
                continue
            }
            let mark = assembler.mark
            let writing = write(page, cut.items, link, &assembler)
            if case .impossible(let reason) = writing {
                refusal = Refusal(.window, reason).orFurther(refusal)
                assembler.rewind(to: mark)
                continue
            }
            guard var window = assembler.finished(.window, reliesUntil: record.countsUntil) else {
                return .impossible(Refusal(.window, .answerTooLarge))
            }
            window.growth = growth(whoseUseIs: page, list)
            return .answer(window)
        }
        do throws(MissReason) {
            return try enlarged(list, pages, &assembler).map { .partial($0) } ?? .impossible(refusal)
        } catch {
            return .impossible(Refusal(.growth, error).orFurther(refusal))
        }
    }

    /// The reason for not cutting the window out of the page.
    private func reason(of page: StoredPage) -> MissReason {
        guard let cut = page.cut(offset: offset, limit: limit, record.lists.cut) else { return reasonWithoutCut(page) }
        return cut.items.isEmpty ? .windowEmpty : .nextUnknown
    }

    /// The reason for the window's items being unknown.
    private func reasonWithoutCut(_ page: StoredPage) -> MissReason {
        let last = page.next.map { $0 - 1 } ?? Int.max
        guard page.offset...max(page.offset, last) ~= offset else { return .pageNotHeld }
        guard let next = page.next else { return .endUncertain }
        return next - page.offset > page.count ? .pageHasGaps : .pageTooShort
    }

    /// The larger page to ask for instead; nil if there is none, or it is stored.
    ///
    /// Pages of its size must be likely to have no gaps, as others cannot be cut, and must have
    /// paid (DECISIONS 10.4).
    private func enlarged(
        _ list: UInt64, _ pages: [StoredPage], _ assembler: inout Assembler
    ) throws(MissReason) -> Supplement? {
        guard let (start, size) = try larger(pages) else { return nil }
        // The reason for a miss is that of any page.
        if pages.contains(where: { $0.offset == start && $0.limit == size }) { return nil }
        guard record.lists.favoursPage(of: size, in: request.storefront) else { throw .growthMeetsGaps }
        guard link(to: offset + limit) != nil, isNamed(list, &assembler) else { throw .nextUnknown }
        let page = named(list, start, size)
        guard growth.mayGrow(page) else { throw .growthRests }
        guard sizes.most(request.shape, upTo: size) == size else { throw .answerTooLarge }
        return Supplement(target: request.target(limit: size, offset: start), growth: .page(page))
    }

    private func larger(_ pages: [StoredPage]) throws(MissReason) -> (offset: Int, limit: Int)? {
        if let proof = proof(pages) { return proof }
        return try around(pages)
    }

    /// The page that proves the offsets of a list's last items.
    private func proof(_ pages: [StoredPage]) -> (offset: Int, limit: Int)? {
        pages.lazy.compactMap { page in
            page.limitOfProof(offset: offset, limit: limit, record.lists.cut).map { (page.offset, $0) }
        }.first
    }

    /// The aligned page around the window, for a client that pages through the list. It must hold
    /// this window and two more.
    private func around(_ pages: [StoredPage]) throws(MissReason) -> (offset: Int, limit: Int)? {
        guard pages.contains(where: { $0.next == offset && $0.isFull }) else { return nil }
        // A list's last page cannot be cut, so the list must be likely to be longer.
        let size = offset < limits.greatest ? min(limits.greatest, ListLengths.span) : limits.greatest
        let start = offset / size * size
        let windows = (start + size - offset) / limit
        // Pages of another size end elsewhere.
        let isFavoured =
            size != ListLengths.span || record.lists.lengths.favourPage(from: offset, windows: windows)
        guard windows >= 3, isFavoured else { throw .growthGainsLittle }
        return pages.contains { $0.offset == start && ($0.limit ?? 0) >= size } ? nil : (start, size)
    }

    /// Credits the larger request that may have brought the page. A list inside its owner does so
    /// where the owner was asked for with it by name.
    private func growth(whoseUseIs page: ListedPage, _ list: UInt64) -> Growth? {
        if page.owner != nil {
            let superset = Superset(ownerOf: request)
            return page.part.request?.shape.selection.covers(superset.selection) == true ? .superset(superset) : nil
        }
        return page.facts.limit.map { .page(named(list, page.facts.offset, $0)) }
    }

    private func named(_ list: UInt64, _ offset: Int, _ limit: Int) -> ListPage {
        ListPage(list: list, offset: offset, limit: limit, shape: request.shape, storefront: request.storefront)
    }

    /// The `next` link as learnt, empty for the last page; nil where it is unknown.
    private func link(to next: Int?) -> [UInt8]? {
        guard let next else { return [] }
        let link = record.lists.link(for: request)?.write(offset: next, request)
        return completesNext ? link.map(completed) : link
    }

    /// Adds the client's own parameters, as for fetched answers.
    private func completed(_ link: [UInt8]) -> [UInt8] {
        var target = CanonicalTarget()
        guard (try? target.parse(request.target(limit: request.limit, offset: request.offset).span)) != nil else {
            return link
        }
        return CompletedNext(link.span, of: target)?.link ?? link
    }

    /// Whether any page of the list, or any answer that has its owner, shows that the request has
    /// the owner's own id. That does not change, so stale answers count too.
    private func isNamed(_ list: UInt64, _ assembler: inout Assembler) -> Bool {
        let places = assembler.sources.allPlaces(list)
        let isNamed = places.contains { part, place, _, _ in
            ListedPage(part, place, of: request, limits.standard)?.namesOwner(of: request) == true
        }
        return isNamed || request.resources.allSatisfy { assembler.isShown($0) }
    }

    private func write(_ page: ListedPage, _ items: Range<Int>, _ link: [UInt8], _ assembler: inout Assembler)
        -> Writing
    {
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
                element: element, of: page.part, record.objects, .listed, shownAs: page.placement)
            switch writing {
            case .done: break
            case .lacking: return .impossible(.elementNotHeld)
            case .impossible: return writing
            }
        }
        assembler.append("]}")
        assembler.use(page.part)
        return .done
    }
}

extension ListedPage {
    /// Whether the page says that its owner has the id by which the request asks: a list inside its
    /// owner was found by that, and in a page's `next` it is the owner's own.
    fileprivate func namesOwner(of request: CatalogRequest) -> Bool {
        if owner != nil { return true }
        guard next.count > 2 else { return false }
        let document = part.document
        return request.list(linkedBy: document.body.span.extracting(next.unquoted)) != nil
    }

    /// Whether no newer answer contradicts the page's owner.
    fileprivate func isCurrent(_ assembler: inout Assembler) -> Bool {
        owner.map { assembler.isCurrent($0, in: part) } ?? true
    }
}
