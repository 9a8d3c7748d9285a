import TestSupport
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

    @Test func `any window inside a full page is cut out of it`() {
        let page = StoredPage(offset: 20, count: 10, limit: nil, next: 30)
        #expect(page.cut(offset: 20, limit: 10) == PageCut(items: 0..<10, next: 30))
        #expect(page.cut(offset: 20, limit: 1) == PageCut(items: 0..<1, next: 21))
        #expect(page.cut(offset: 25, limit: 5) == PageCut(items: 5..<10, next: 30))
        #expect(page.cut(offset: 29, limit: 1) == PageCut(items: 9..<10, next: 30))
    }

    @Test func `what reaches beyond a full page is not on it`() {
        let page = StoredPage(offset: 20, count: 10, limit: 10, next: 30)
        for (offset, limit) in [(19, 1), (19, 5), (20, 11), (29, 2), (30, 1), (0, 10), (20, 0), (25, -1), (-1, 5)] {
            #expect(page.cut(offset: offset, limit: limit) == nil, "\(offset) \(limit)")
        }
        #expect(page.cut(offset: 29, limit: .max) == nil && page.cut(offset: .max, limit: .max) == nil)
        #expect(page.cut(offset: .min, limit: .max) == nil)
    }

    @Test func `a short page answers its own window and no other`() {
        let page = StoredPage(offset: 0, count: 22, limit: 25, next: 25)
        #expect(page.cut(offset: 0, limit: 25) == PageCut(items: 0..<22, next: 25))
        for (offset, limit) in [(0, 22), (0, 24), (0, 26), (1, 24), (0, 1), (24, 1)] {
            #expect(page.cut(offset: offset, limit: limit) == nil, "\(offset) \(limit)")
        }
        let empty = StoredPage(offset: 5, count: 0, limit: 5, next: 10)
        #expect(empty.cut(offset: 5, limit: 5) == PageCut(items: 0..<0, next: 10))
    }

    @Test func `25 items with a next of 28 are not the window of 28`() {
        #expect(StoredPage(offset: 0, count: 25, limit: 25, next: 28).cut(offset: 0, limit: 28) == nil)
        #expect(StoredPage(offset: 0, count: 25, limit: nil, next: 28).cut(offset: 0, limit: 28) == nil)
        #expect(StoredPage(offset: 0, count: 25, limit: 20, next: 28).cut(offset: 0, limit: 20) == nil)
    }

    @Test func `the last page answers what begins with it and is not smaller`() {
        for count in [0, 3, 10] {
            let page = StoredPage(offset: 20, count: count, limit: 10, next: nil)
            let all = PageCut(items: 0..<count, next: nil)
            #expect(page.cut(offset: 20, limit: 10) == all && page.cut(offset: 20, limit: 300) == all)
            for (offset, limit) in [(20, 9), (20, 1), (21, 9), (21, 100), (29, 1), (30, 10), (19, 10)] {
                #expect(page.cut(offset: offset, limit: limit) == nil, "\(offset) \(limit)")
            }
            #expect(StoredPage(offset: 20, count: count, limit: nil, next: nil).cut(offset: 20, limit: 10) == nil)
        }
    }

    @Test func `a last page with as many items as its limit may still have dropped some`() {
        let origin = ModelOrigin(isAvailable: [false, true, true], fillsUp: true)
        #expect(origin.page(offset: 0, limit: 2) == .init(items: [1, 2], next: nil))
        #expect(origin.page(offset: 1, limit: 1) == .init(items: [1], next: 2))
        #expect(StoredPage(offset: 0, count: 2, limit: 2, next: nil).cut(offset: 1, limit: 1) == nil)
    }

    @Test func `pages that contradict themselves answer nothing`() {
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

    /// How often each kind of window was answered, so that it would be noticed if none ever were.
    private struct Coverage {
        var (inside, atEnd, short, last, none) = (0, 0, 0, 0, 0)

        mutating func count(_ page: StoredPage, _ cut: PageCut?) {
            guard let cut else {
                none += 1
                return
            }
            guard let next = page.next else {
                last += 1
                return
            }
            guard page.count == next - page.offset else {
                short += 1
                return
            }
            if cut.next == next { atEnd += 1 } else { inside += 1 }
        }
    }

    /// Every window into what one page of an origin can answer: what is cut is what the origin
    /// answers, and of a full page every window is cut.
    private func compare(
        _ origin: ModelOrigin, offset start: Int, limit size: Int, isLimitKnown: Bool, _ coverage: inout Coverage
    ) -> [String] {
        let stored = origin.page(offset: start, limit: size)
        let page = StoredPage(
            offset: start, count: stored.items.count, limit: isLimitKnown ? size : nil, next: stored.next)
        var failures: [String] = []
        for offset in 0...origin.isAvailable.count + 2 {
            for limit in 1...origin.isAvailable.count + 3 {
                let cut = page.cut(offset: offset, limit: limit)
                coverage.count(page, cut)
                let answer = cut.map { ModelOrigin.Answer(items: Array(stored.items[$0.items]), next: $0.next) }
                let isCertain = stored.next.map {
                    stored.items.count == $0 - start && offset >= start && offset + limit <= $0
                }
                if answer == nil ? isCertain == true : answer != origin.page(offset: offset, limit: limit) {
                    failures.append("\(origin) \(page) \(offset) \(limit): \(answer as Any)")
                }
            }
        }
        return failures
    }

    @Test(arguments: [false, true])
    func `every cut of every page of short lists is what the origin would have answered`(fillsUp: Bool) {
        var coverage = Coverage()
        for count in 0...4 {
            for pattern in 0..<1 << count {
                let list = (0..<count).map { pattern >> $0 & 1 == 1 }
                let origin = ModelOrigin(isAvailable: list, fillsUp: fillsUp)
                for start in 0...count + 1 {
                    for size in 1...count + 2 {
                        for isLimitKnown in [false, true] {
                            let failures = compare(
                                origin, offset: start, limit: size, isLimitKnown: isLimitKnown, &coverage)
                            #expect(failures.isEmpty)
                        }
                    }
                }
            }
        }
        #expect(coverage.inside > 20 && coverage.atEnd > 50 && coverage.last > 1000, "\(coverage)")
        #expect(fillsUp ? coverage.short == 0 : coverage.short > 20, "\(coverage)")
        #expect(coverage.none > 10000, "\(coverage)")
    }

    @Test(arguments: UInt64(1)...10, [false, true])
    func `a cut of a long list is what the origin would have answered`(seed: UInt64, fillsUp: Bool) {
        var random = SeededGenerator(seed: seed)
        var coverage = Coverage()
        for _ in 0..<60 {
            let dropped = Int.random(in: 0...2, using: &random)
            let list = (0..<Int.random(in: 16...24, using: &random)).map { _ in
                Int.random(in: 0..<12, using: &random) >= dropped
            }
            let origin = ModelOrigin(isAvailable: list, fillsUp: fillsUp)
            let (start, size) = (Int.random(in: 0...20, using: &random), Int.random(in: 1...10, using: &random))
            let isLimitKnown = Int.random(in: 0..<4, using: &random) > 0
            let failures = compare(origin, offset: start, limit: size, isLimitKnown: isLimitKnown, &coverage)
            #expect(failures.isEmpty, "seed \(seed)")
        }
        #expect(coverage.inside > 100 && coverage.atEnd > 50 && coverage.last > 50, "seed \(seed): \(coverage)")
    }

    /// Every window into every page of every list of at most five places, for an origin whose way
    /// of cutting is known: what is cut is what it would answer.
    @Test(arguments: [false, true])
    func `what is concluded from a known way of cutting is what the origin would have answered`(fillsUp: Bool) {
        var found = Findings()
        for count in 1...5 {
            for pattern in 0..<1 << count {
                let origin = ModelOrigin(isAvailable: (0..<count).map { pattern >> $0 & 1 == 1 }, fillsUp: fillsUp)
                for start in 0...count {
                    for size in 1...count + 1 { found.add(origin, offset: start, limit: size) }
                }
            }
        }
        #expect(found.failures.isEmpty, "\(found.failures)")
        #expect(found.windows > 300 && found.proofs > 50, "\(found)")
    }

    private struct Findings {
        var failures: [String] = []
        var (windows, proofs) = (0, 0)

        /// Looks at every window of an origin whose way of cutting is known.
        mutating func add(_ origin: ModelOrigin, offset start: Int, limit size: Int) {
            let listCut = origin.fillsUp ? ListCut.filling : .first
            let (page, stored) = origin.stored(offset: start, limit: size)
            for offset in 0...origin.isAvailable.count + 2 {
                for limit in 1...origin.isAvailable.count + 2 {
                    check(page.cut(offset: offset, limit: limit, listCut), of: stored, origin, offset, limit)
                    for known in [listCut, .unknown] { prove(page, origin, offset, limit, known) }
                }
            }
        }

        private mutating func check(
            _ cut: PageCut?, of stored: ModelOrigin.Answer, _ origin: ModelOrigin, _ offset: Int, _ limit: Int
        ) {
            guard let cut else { return }
            windows += 1
            let answer = ModelOrigin.Answer(items: Array(stored.items[cut.items]), next: cut.next)
            if answer != origin.page(offset: offset, limit: limit) {
                failures.append("\(origin) \(stored) \(offset) \(limit): \(answer)")
            }
        }

        /// Of a list without gaps the window can be cut out of the answer, and whatever is cut is
        /// right.
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

    @Test func `a page that holds a whole list answers any greater limit of an origin that fills up`() {
        let page = StoredPage(offset: 0, count: 10, limit: 300, next: nil)
        let all = PageCut(items: 0..<10, next: nil)
        #expect(page.cut(offset: 0, limit: 11, .filling) == all && page.cut(offset: 0, limit: 100, .filling) == all)
        #expect(page.cut(offset: 0, limit: 10, .filling) == nil, "places after the last item may follow in `next`")
        #expect(page.cut(offset: 0, limit: 9, .filling) == nil && page.cut(offset: 1, limit: 100, .filling) == nil)
        for listCut in [ListCut.unknown, .first, .various] {
            #expect(page.cut(offset: 0, limit: 100, listCut) == nil, "its items may lie after the hundredth place")
            #expect(page.cut(offset: 0, limit: 300, listCut) == all)
        }
    }

    @Test func `of a last page with gaps that was cut first no window is known`() {
        let page = StoredPage(offset: 20, count: 7, limit: 10, next: nil)
        #expect(page.cut(offset: 20, limit: 3, .first) == nil, "which three is not known")
    }

    @Test func `a last page that was cut first and is full is cut anywhere`() {
        let page = StoredPage(offset: 20, count: 10, limit: 10, next: nil)
        #expect(page.cut(offset: 20, limit: 3, .first) == PageCut(items: 0..<3, next: 23))
        #expect(page.cut(offset: 26, limit: .max, .first) == PageCut(items: 6..<10, next: nil))
        #expect(page.cut(offset: 30, limit: 1, .first) == nil && page.cut(offset: .max, limit: 1, .first) == nil)
    }

    @Test func `what proves the places of a last page`() {
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

    /// Of lists with one gap in so many places, a client that reads them by steps has larger pages
    /// asked for as the proxy does, and every cut is held against the origin.
    @Test(arguments: [100, 300, 1_000, 3_000], [false, true])
    func `rare gaps give no wrong page`(placesForEachGap: Int, fillsUp: Bool) {
        var (cuts, wrong, withGaps) = (0, 0, 0)
        let seeds = UInt64(1)...20
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            for _ in 0..<40 {
                let origin = ModelOrigin(
                    isAvailable: (0..<Int.random(in: 5...150, using: &random)).map { _ in
                        Int.random(in: 0..<placesForEachGap, using: &random) > 0
                    }, fillsUp: fillsUp)
                if origin.isAvailable.contains(false) { withGaps += 1 }
                let reader = Reader(origin: origin, listCut: seed % 2 == 0 ? .unknown : fillsUp ? .filling : .first)
                for step in [10, 25, 100] { reader.read(by: step, &cuts, &wrong) }
            }
        }
        let lists = "\(withGaps) of \(seeds.count * 40) lists with gaps of 1 in \(placesForEachGap)"
        let found = "seeds \(seeds), fills up: \(fillsUp), \(lists): \(cuts) cuts, \(wrong) wrong"
        #expect(wrong == 0 && cuts > 3_000 && withGaps > 10, "\(found)")
    }
}

/// A client that goes through a list, and a proxy that keeps the pages of it.
private final class Reader {
    private let origin: ModelOrigin
    private let listCut: ListCut
    private var held: [(page: StoredPage, answer: ModelOrigin.Answer)] = []

    init(origin: ModelOrigin, listCut: ListCut) { (self.origin, self.listCut) = (origin, listCut) }

    func read(by limit: Int, _ cuts: inout Int, _ wrong: inout Int) {
        var next: Int? = 0
        while let offset = next {
            let said = origin.page(offset: offset, limit: limit)
            for _ in 0..<2 {
                for (page, answer) in held {
                    guard let cut = page.cut(offset: offset, limit: limit, listCut) else { continue }
                    cuts += 1
                    if ModelOrigin.Answer(items: Array(answer.items[cut.items]), next: cut.next) != said { wrong += 1 }
                }
                let proof = held.lazy.compactMap { page, _ in
                    page.limitOfProof(offset: offset, limit: limit, self.listCut).map { (page.offset, $0) }
                }.first
                let (start, size) = proof ?? (offset / 100 * 100, 100)
                hold(offset: start, limit: size)
            }
            hold(offset: offset, limit: limit)
            next = said.next
        }
    }

    private func hold(offset: Int, limit: Int) {
        let stored = origin.stored(offset: offset, limit: limit)
        if !held.contains(where: { $0.page == stored.page }) { held.append(stored) }
    }
}
