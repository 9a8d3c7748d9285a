import Testing

@testable import AppleMusic

@Suite struct StoredPageTests {
    /// A list of 26 places with one gap was taken for one of 25 without: inside its parent it was
    /// filled up, and its own pages are cut first.
    @Test func aFullListInsideItsParentSaysNothingOfPlaces() {
        let page = StoredPage(offset: 0, count: 25, limit: 25, next: nil, isInline: true)
        #expect(page.cut(offset: 10, limit: 10, .first) == nil && page.cut(offset: 0, limit: 25, .first) == nil)
        #expect(page.cut(offset: 0, limit: 49) == nil)
        #expect(page.cut(offset: 0, limit: 50) == PageCut(items: 0..<25, next: nil))
        #expect(page.cut(offset: 0, limit: 26, .filling) == PageCut(items: 0..<25, next: nil))
        let short = StoredPage(offset: 0, count: 22, limit: 25, next: 25, isInline: true)
        #expect(short.cut(offset: 0, limit: 25, .filling) == nil)
        #expect(short.cut(offset: 0, limit: 25, .first) == PageCut(items: 0..<22, next: 25))
    }

    @Test func windowsBeyondAFullPageAreNotOnIt() {
        let page = StoredPage(offset: 20, count: 10, limit: 10, next: 30)
        for (offset, limit) in [(19, 1), (19, 5), (20, 11), (29, 2), (30, 1), (0, 10), (20, 0), (25, -1), (-1, 5)] {
            #expect(page.cut(offset: offset, limit: limit) == nil, "\(offset) \(limit)")
        }
        #expect(page.cut(offset: 29, limit: .max) == nil && page.cut(offset: .max, limit: .max) == nil)
        #expect(page.cut(offset: .min, limit: .max) == nil)
        let pages = [
            StoredPage(offset: 0, count: 11, limit: 10, next: 10),
            StoredPage(offset: 0, count: 11, limit: 10, next: nil),
            StoredPage(offset: 10, count: 0, limit: 10, next: 10), StoredPage(offset: 10, count: 5, limit: 10, next: 5),
            StoredPage(offset: 0, count: -1, limit: 10, next: nil),
        ]
        for page in pages {
            for offset in 0...12 {
                for limit in 0...20 { #expect(page.cut(offset: offset, limit: limit) == nil, "\(page)") }
            }
        }
    }

    /// Every window into every page of every list of at most five places, of an origin whose way of
    /// cutting is known or not: each cut equals the origin's answer, and of a full page every
    /// window is cut.
    @Test(arguments: [false, true])
    func everyCutOfShortListsEqualsTheOriginsAnswer(fillsUp: Bool) {
        var found = Findings()
        for count in 0...5 {
            for pattern in 0..<1 << count {
                let origin = ModelOrigin(isAvailable: (0..<count).map { pattern >> $0 & 1 == 1 }, fillsUp: fillsUp)
                for start in 0...count + 1 {
                    for size in 1...count + 2 { found.add(origin, offset: start, limit: size) }
                }
            }
        }
        #expect(found.failures.isEmpty, "\(found.failures)")
        // So that it would be noticed if some kind of window were never answered.
        #expect(found.inside > 20 && found.atEnd > 50 && found.last > 1000 && found.none > 10000, "\(found)")
        #expect(fillsUp ? found.short == 0 : found.short > 20, "\(found)")
        #expect(found.proofs > 50, "\(found)")
    }

    private struct Findings {
        var failures: [String] = []
        var (inside, atEnd, short, last, none, proofs) = (0, 0, 0, 0, 0, 0)

        mutating func add(_ origin: ModelOrigin, offset start: Int, limit size: Int) {
            let listCut = origin.fillsUp ? ListCut.filling : .first
            let (page, stored) = origin.stored(offset: start, limit: size)
            let unlimited = StoredPage(offset: start, count: page.count, limit: nil, next: page.next)
            for offset in 0...origin.isAvailable.count + 2 {
                for limit in 1...origin.isAvailable.count + 3 {
                    for page in [page, unlimited] {
                        let cut = page.cut(offset: offset, limit: limit)
                        count(page, cut)
                        check(cut, of: stored, origin, offset, limit)
                        let isOnIt = page.isFull && offset >= start && offset + limit <= page.next ?? 0
                        if isOnIt, cut == nil { failures.append("\(origin) \(page) \(offset) \(limit): no cut") }
                    }
                    check(page.cut(offset: offset, limit: limit, listCut), of: stored, origin, offset, limit)
                    for known in [listCut, .unknown] { prove(page, origin, offset, limit, known) }
                }
            }
        }

        private mutating func count(_ page: StoredPage, _ cut: PageCut?) {
            guard let cut else {
                none += 1
                return
            }
            guard let next = page.next else {
                last += 1
                return
            }
            guard page.isFull else {
                short += 1
                return
            }
            if cut.next == next { atEnd += 1 } else { inside += 1 }
        }

        private mutating func check(
            _ cut: PageCut?, of stored: ModelOrigin.Answer, _ origin: ModelOrigin, _ offset: Int, _ limit: Int
        ) {
            guard let cut else { return }
            let answer = ModelOrigin.Answer(items: Array(stored.items[cut.items]), next: cut.next)
            if answer != origin.page(offset: offset, limit: limit) {
                failures.append("\(origin) \(stored) \(offset) \(limit): \(answer)")
            }
        }

        /// Proves a page: if the list has no gaps, the window can be cut out of the answer, and
        /// every cut is right.
        private mutating func prove(
            _ page: StoredPage, _ origin: ModelOrigin, _ offset: Int, _ limit: Int, _ listCut: ListCut
        ) {
            guard let size = page.limitOfProof(offset: offset, limit: limit, listCut) else { return }
            let (proof, stored) = origin.stored(offset: page.offset, limit: size)
            let cut = proof.cut(offset: offset, limit: limit, listCut)
            check(cut, of: stored, origin, offset, limit)
            if cut != nil { proofs += 1 }
            if cut == nil, !origin.isAvailable.contains(false) {
                failures.append("\(origin) \(page) \(offset) \(limit): no proof")
            }
        }
    }

    @Test func aLastPageAnswersByHowListsAreCut() {
        let page = StoredPage(offset: 0, count: 10, limit: 300, next: nil)
        let all = PageCut(items: 0..<10, next: nil)
        #expect(page.cut(offset: 0, limit: 11, .filling) == all && page.cut(offset: 0, limit: 100, .filling) == all)
        #expect(page.cut(offset: 0, limit: 10, .filling) == nil, "places after the last item may follow in `next`")
        #expect(page.cut(offset: 0, limit: 9, .filling) == nil && page.cut(offset: 1, limit: 100, .filling) == nil)
        for listCut in [ListCut.unknown, .first, .various] {
            #expect(page.cut(offset: 0, limit: 100, listCut) == nil, "its items may lie after the hundredth place")
            #expect(page.cut(offset: 0, limit: 300, listCut) == all)
        }
        for (places, least) in [(10, 20), (20, 20), (21, 21), (299, 299), (301, 301)] {
            var counted = StoredPage(offset: 0, count: 10, limit: 300, next: nil, isInline: true)
            counted.places = places
            #expect(counted.cut(offset: 0, limit: least) == all && counted.cut(offset: 0, limit: least - 1) == nil)
        }
        let full = StoredPage(offset: 20, count: 10, limit: 10, next: nil)
        #expect(full.cut(offset: 20, limit: 3, .first) == PageCut(items: 0..<3, next: 23))
        #expect(full.cut(offset: 26, limit: .max, .first) == PageCut(items: 6..<10, next: nil))
        #expect(full.cut(offset: 30, limit: 1, .first) == nil && full.cut(offset: .max, limit: 1, .first) == nil)
    }

    @Test func aLimitProvesThePlacesOfALastPage() {
        let page = StoredPage(offset: 20, count: 45, limit: 100, next: nil)
        #expect(page.limitOfProof(offset: 20, limit: 10, .unknown) == 44)
        #expect(page.limitOfProof(offset: 54, limit: 10, .unknown) == 44)
        #expect(page.limitOfProof(offset: 55, limit: 10, .unknown) == nil, "the last item's place is not shown")
        #expect(page.limitOfProof(offset: 64, limit: 10, .first) == 45)
        #expect(page.limitOfProof(offset: 65, limit: 10, .first) == nil)
        #expect(page.limitOfProof(offset: 20, limit: 44, .unknown) == nil, "it would be the window itself")
        #expect(page.limitOfProof(offset: 19, limit: 10, .unknown) == nil)
        #expect(page.limitOfProof(offset: 20, limit: .max, .unknown) == nil)
        #expect(page.limitOfProof(offset: .max, limit: 10, .unknown) == nil)
        for count in 0...1 {
            let short = StoredPage(offset: 0, count: count, limit: 10, next: nil)
            #expect(short.limitOfProof(offset: 0, limit: 1, .unknown) == nil)
        }
        let further = StoredPage(offset: 0, count: 45, limit: 100, next: 100)
        #expect(further.limitOfProof(offset: 0, limit: 1, .first) == nil)
    }
}
