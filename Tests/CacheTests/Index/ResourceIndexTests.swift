import TestSupport
import Testing

@testable import Cache

/// The answers of an index with room for everything.
private struct IndexModel {
    private(set) var sources: [UInt64: [(target: Int, place: UInt32, at: Int64)]] = [:]
    /// Everything ever added, gone or not.
    private(set) var added: Set<[UInt64]> = []

    mutating func add(_ target: Int, _ entries: [(number: UInt64, place: UInt32)], at: Int64) {
        for (number, place) in entries {
            added.insert([UInt64(target), number, UInt64(place)])
            var list = sources[number, default: []].filter { $0.target != target }
            list.insert((target, place, at), at: list.firstIndex { $0.at <= at } ?? list.endIndex)
            sources[number] = Array(list.prefix(4))
        }
    }

    func texts(_ number: UInt64) -> [String] { sources[number, default: []].map { "\($0.target)@\($0.place)" } }
}

extension ResourceIndex {
    fileprivate func add(_ key: CacheKey, _ entries: [(UInt64, UInt32)], at receivedAt: Int64 = 0) {
        add(key, at: receivedAt, entries.map { Entry($0.0, place: $0.1, content: 0) })
    }
}

@Suite(.timeLimit(.minutes(10))) struct ResourceIndexTests {
    private let index = ResourceIndex(maxBytes: 1 << 20)

    private func texts(_ sources: [ResourceIndex.Source]) -> [String] {
        sources.map { source in
            (source.key.map { String(decoding: $0.target, as: UTF8.self).dropFirst() } ?? "gone") + "@\(source.place)"
        }
    }

    @Test func sourcesThatShowSomethingElseAreSaid() {
        func add(
            _ target: String, content: UInt32, detail: UInt32 = 0, at receivedAt: Int64, isFound: Bool = false,
            newer: Bool = false
        ) -> [String] {
            let differing = index.add(
                key(target), at: receivedAt, [.init(7, place: 1 << 20 | detail, content: content)], isFound: isFound)
            return differing.filter { $0.isNewer == newer }.compactMap { difference in
                difference.source.key.map { String(decoding: $0.target, as: UTF8.self) }
            }
        }
        #expect(add("/a", content: 1, at: 1).isEmpty)
        #expect(add("/b", content: 1, detail: 3, at: 2).isEmpty, "only one has a detail")
        #expect(add("/c", content: 1, detail: 4, at: 3) == ["/b"])
        #expect(add("/old", content: 2, at: 0).isEmpty, "the others are newer")
        #expect(add("/d", content: 2, at: 4) == ["/c", "/b", "/a"])
        #expect(add("/d", content: 3, at: 5) == ["/c", "/b", "/a"], "not of itself")
        #expect(add("/older", content: 1, at: 4, newer: true) == ["/d"])
        #expect(add("/same", content: 1, at: 5) == ["/d"], "the later of one second is newer")
        #expect(
            add("/found", content: 2, at: 5, isFound: true, newer: true) == ["/same", "/d"], "read the newest first")
    }

    @Test func numbersMayBeAnything() {
        let numbers: [UInt64] = [0, 1, .max, .max - 1, 1 << 63]
        for (place, number) in numbers.enumerated() { index.add(key("/a"), [(number, UInt32(place))]) }
        index.add(key("/b"), [(0, .max)])
        for (place, number) in numbers.enumerated().dropFirst() {
            #expect(texts(index.sources(of: number)) == ["a@\(place)"])
        }
        #expect(texts(index.sources(of: 0)) == ["b@\(UInt32.max)", "a@0"])
    }

    @Test func variantsAndScopesAreAnswersLongKeysAreNot() {
        let keys = [key("/a"), key("/a", "de"), key("/a", "", someone(1))]
        for (place, key) in keys.enumerated() { index.add(key, [(7, UInt32(place))]) }
        #expect(index.sources(of: 7).map(\.key) == keys.reversed().map(Optional.some) && index.count == 3)
        let small = ResourceIndex(maxBytes: 10_000)
        small.add(key("/a"), [(7, 0)])
        small.add(key("/" + String(repeating: "x", count: 20_000)), [(7, 1)])
        #expect(texts(small.sources(of: 7)) == ["a@0"])
    }

    /// With room to spare it says everything that was added; it never says anything else.
    @Test(arguments: [(1, 8 << 20), (2, 8 << 20), (3, 40_000), (4, 9_000), (5, 3_000)] as [(UInt64, Int)])
    func itSaysWhatWasAdded(seed: UInt64, maxBytes: Int) {
        var generator = SeededGenerator(seed: seed)
        let index = ResourceIndex(maxBytes: maxBytes, seed: seed)
        var model = IndexModel()
        for round in 0..<1_500 {
            let target = Int.random(in: 0..<100, using: &generator)
            let at = Int64.random(in: 0..<300, using: &generator)
            let entries = (0..<Int.random(in: 0..<12, using: &generator)).map { _ in
                (
                    number: UInt64.random(in: 0..<500, using: &generator),
                    place: UInt32.random(in: 0..<9, using: &generator)
                )
            }
            index.add(key("/\(target)"), entries.map { ($0.number, $0.place) }, at: at)
            model.add(target, entries, at: at)
            if round % 50 == 0 { #expect(index.byteCount <= maxBytes, "seed \(seed)") }
        }
        for number in 0..<500 as Range<UInt64> {
            let said = index.sources(of: number)
            if maxBytes > 1 << 20 {
                #expect(texts(said) == model.texts(number), "seed \(seed), \(number)")
                #expect(index.newest(of: number)?.receivedAt == said.first?.receivedAt, "seed \(seed), \(number)")
                #expect(index.holds(number) != said.isEmpty && !index.holds(number + 500), "seed \(seed), \(number)")
            }
            let keys = said.compactMap(\.key)
            #expect(Set(keys).count == keys.count && said.count <= 4, "seed \(seed), \(number)")
            #expect(said.map(\.receivedAt) == said.map(\.receivedAt).sorted(by: >), "seed \(seed), \(number)")
            for source in said {
                guard let key = source.key else { continue }
                let target = UInt64(String(decoding: key.target.dropFirst(), as: UTF8.self)) ?? .max
                #expect(model.added.contains([target, number, UInt64(source.place)]), "seed \(seed), \(number)")
            }
        }
        #expect(index.count > 0)
    }

    @Test(arguments: [0, 1, 500, 5_000, 100_000, 1 << 20])
    func itStaysWithinItsBytes(maxBytes: Int) {
        let index = ResourceIndex(maxBytes: maxBytes)
        for target in 0..<3_000 {
            let long = String(repeating: "x", count: target % 50 == 0 ? 2_000 : 20)
            let places = UInt32(0)..<20
            index.add(key("/\(target)/\(long)"), places.map { (UInt64(target) << 8 | UInt64($0), $0) })
            if target % 100 == 0 { #expect(index.byteCount <= maxBytes) }
        }
        #expect(index.byteCount <= maxBytes)
        if maxBytes >= 5_000 { #expect(index.byteCount > maxBytes / 4, "what it may take is used") }
        if maxBytes == 0 { #expect(index.count == 0 && index.sources(of: 2_999 << 8).isEmpty) }
    }

    @Test func theLatestAnswersStayAndThoseThatAreAddedAgain() {
        let index = ResourceIndex(maxBytes: 100_000)
        for target in 0..<20_000 { index.add(key("/\(target)"), [(UInt64(target), UInt32(target))]) }
        let kept = (0..<20_000).filter { index.sources(of: UInt64($0)).first?.key != nil }
        #expect(kept.count > 200 && kept.min() ?? 0 > 15_000)
        for target in kept { #expect(texts(index.sources(of: UInt64(target))) == ["\(target)@\(target)"]) }
        // One that is added over and over does not go because it was first added long ago.
        let other = ResourceIndex(maxBytes: 100_000)
        for target in 0..<20_000 {
            other.add(key("/loved"), [(1 << 40, 1)])
            other.add(key("/\(target)"), [(UInt64(target), 0)])
            #expect(texts(other.sources(of: 1 << 40)) == ["loved@1"], "after \(target)")
        }
    }

    @Test func loopsMayUseItAtOnce() {
        let index = ResourceIndex(maxBytes: 60_000)
        concurrently(4) { thread in
            var generator = SeededGenerator(seed: UInt64(thread))
            for _ in 0..<5_000 {
                let number = UInt64.random(in: 0..<500, using: &generator)
                let target = Int.random(in: 0..<200, using: &generator)
                switch Int.random(in: 0..<10, using: &generator) {
                case 0..<5: index.add(key("/\(target)"), [(number, UInt32(number) &+ UInt32(target))])
                default:
                    for source in index.sources(of: number) {
                        guard let key = source.key else { continue }
                        let target = UInt32(String(decoding: key.target.dropFirst(), as: UTF8.self)) ?? .max
                        #expect(source.place == UInt32(number) &+ target)
                    }
                }
            }
        }
        #expect(index.byteCount <= 60_000)
    }
}
