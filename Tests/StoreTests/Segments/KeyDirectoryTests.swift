import TestSupport
import Testing

@testable import Store

@Suite struct KeyDirectoryTests {
    @Test func placesAndNamesOfSegmentsAreNumbers() throws {
        for segment in [1, 77, Place.lastSegment] {
            for offset in [0, 64, 1 << 20, Place.longestSegment - 64] {
                for bytes in [1, 64, 65, 4_096, 131_008, 131_009, 1 << 20, 64 << 20] {
                    let span = Place.span(of: bytes)
                    let place = try #require(Place(Place(segment: segment, offset: offset, span: span).number))
                    #expect(place.segment == segment && place.offset == offset && place.span == span)
                    #expect(span >= bytes && span < bytes + 64 + bytes / 512, "\(bytes): \(span)")
                    #expect(Place.span(of: span) == span)
                }
            }
        }
        #expect(Place(0) == nil && Place(-1) == nil)
        for number in [1, 999_999, 1_000_000] { #expect(Segments.number(Segments.name(number)) == number) }
        for name in ["1", "000000", "0000001", "00000a", "-00001", "99999999", "000001.x"] {
            #expect(Segments.number(name) == nil, "\(name)")
        }
    }

    /// A table that is asked for every key after each of many changes.
    @Test(arguments: TestSize.of([5], release: [5, 6, 7]) as [UInt64])
    func aTableHoldsWhatADictionaryDoes(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var table = PlaceTable()
        var model: [Int64: Int64] = [:]
        // So few homes that probes run into each other.
        let keys = (0..<300).map { Int64($0) << 8 | Int64($0 % 3) << 40 }
        for step in 0..<20_000 {
            let key = keys.randomElement(using: &generator) ?? 0
            let place = Bool.random(using: &generator) ? Int64(step + 1) : nil
            table[key] = place
            model[key] = place
            guard step % 50 == 0 else { continue }
            for key in keys where table[key] != model[key] { Issue.record("seed \(seed), step \(step), key \(key)") }
        }
        let count = table.count
        #expect(count == model.count, "seed \(seed)")
    }

    @Test func aDirectoryKnowsWhatItHasLearnt() {
        let directory = KeyDirectory(mostKeys: 99)
        #expect(directory.find(5) == .unknown && directory.find(.min + 1) == .unknown)
        let place = Place(segment: 1, offset: 64, span: 128)
        directory.learn([(key: 5, place: place.number)], through: 9)
        #expect(directory.find(5) == .place(place) && directory.find(8) == .absent && directory.find(10) == .unknown)
        directory.set(10, place.number)
        #expect(directory.find(10) == .unknown, "beyond what is known nothing is kept")
        directory.set(5, -place.number)
        #expect(directory.find(5) == .unknown, "its row is to be asked")
        directory.learn([], through: .max)
        directory.set(5, nil)
        #expect(directory.known == .max && directory.find(5) == .absent)
        directory.forget()
        #expect(directory.find(8) == .unknown)
    }

    /// A file with more keys than may be known: the database is asked for the others.
    @Test(arguments: TestSize.of([31], release: [31, 32]) as [UInt64])
    func aDirectoryThatIsFullForgetsHalf(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let directory = KeyDirectory(mostKeys: 1_000)
        directory.learn([], through: .max)
        let keys = (0..<3_000).map { _ in Int64.random(in: .min + 1 ... .max, using: &generator) }
        for (index, key) in keys.enumerated() { directory.set(key, Int64(index + 1)) }
        #expect(directory.known < .max && directory.hasRoom(for: 0), "seed \(seed)")
        var known = 0
        for (index, key) in keys.enumerated() {
            switch directory.find(key) {
            case .place(let place):
                #expect(place.number == Int64(index + 1) && key <= directory.known)
                known += 1
            case .absent: Issue.record("seed \(seed): \(key) is lost")
            case .unknown: #expect(key > directory.known)
            }
        }
        #expect(known > 300 && known <= 1_000, "seed \(seed): \(known)")
    }
}
