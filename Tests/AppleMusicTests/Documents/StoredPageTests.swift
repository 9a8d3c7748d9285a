import TestSupport
import Testing

@testable import AppleMusic

@Suite struct StoredPageTests {
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

    /// Every window into every page of every list of at most five places, for an origin whose
    /// habits are known: what is cut, and what is said to lie behind the end, is what it would
    /// answer.
    @Test(arguments: [false, true])
    func `what is concluded from known habits is what the origin would have answered`(fillsUp: Bool) {
        var (windows, ends) = (0, 0)
        for count in 1...5 {
            for pattern in 0..<1 << count {
                let origin = ModelOrigin(isAvailable: (0..<count).map { pattern >> $0 & 1 == 1 }, fillsUp: fillsUp)
                let habits = ListHabits(cutsFirst: !fillsUp, hasNoGaps: !origin.isAvailable.contains(false))
                for start in 0...count {
                    for size in 1...count + 1 {
                        let found = compare(origin, habits, offset: start, limit: size)
                        #expect(found.failures.isEmpty, "\(found.failures)")
                        windows += found.windows
                        ends += found.ends
                    }
                }
            }
        }
        #expect(windows > 300 && ends > (fillsUp ? 50 : 300), "\(windows) \(ends)")
    }

    private func compare(
        _ origin: ModelOrigin, _ habits: ListHabits, offset start: Int, limit size: Int
    ) -> (failures: [String], windows: Int, ends: Int) {
        let stored = origin.page(offset: start, limit: size)
        let page = StoredPage(offset: start, count: stored.items.count, limit: size, next: stored.next)
        var found = (failures: [String](), windows: 0, ends: 0)
        for offset in 0...origin.isAvailable.count + 2 {
            if page.endsBefore(offset, habits) {
                found.ends += 1
                if offset < origin.isAvailable.count {
                    found.failures.append("\(origin) \(page) ends before \(offset)")
                }
            }
            for limit in 1...origin.isAvailable.count + 2 {
                guard let cut = page.cut(offset: offset, limit: limit, habits) else { continue }
                found.windows += 1
                let answer = ModelOrigin.Answer(items: Array(stored.items[cut.items]), next: cut.next)
                if answer != origin.page(offset: offset, limit: limit) {
                    found.failures.append("\(origin) \(page) \(offset) \(limit): \(answer)")
                }
            }
        }
        return found
    }

    @Test func `the last page of a list without gaps is cut anywhere`() {
        let page = StoredPage(offset: 20, count: 7, limit: 10, next: nil)
        let habits = ListHabits(hasNoGaps: true)
        #expect(page.cut(offset: 20, limit: 3, habits) == PageCut(items: 0..<3, next: 23))
        #expect(page.cut(offset: 24, limit: 3, habits) == PageCut(items: 4..<7, next: nil))
        #expect(page.cut(offset: 26, limit: .max, habits) == PageCut(items: 6..<7, next: nil))
        #expect(page.cut(offset: 27, limit: 1, habits) == nil && page.cut(offset: .max, limit: 1, habits) == nil)
        #expect(page.endsBefore(27, habits) && !page.endsBefore(26, habits) && !page.endsBefore(20, habits))
    }

    @Test func `behind the limit of a last page that was cut first there is nothing`() {
        let page = StoredPage(offset: 20, count: 7, limit: 10, next: nil)
        let habits = ListHabits(cutsFirst: true)
        #expect(page.cut(offset: 20, limit: 3, habits) == nil, "which three is not known")
        #expect(page.endsBefore(30, habits) && !page.endsBefore(29, habits))
        #expect(!page.endsBefore(30, ListHabits()), "an origin that fills up may have looked further")
        #expect(!StoredPage(offset: 20, count: 7, limit: nil, next: nil).endsBefore(99, habits))
        #expect(!StoredPage(offset: 20, count: 10, limit: 10, next: 30).endsBefore(99, habits))
    }
}
