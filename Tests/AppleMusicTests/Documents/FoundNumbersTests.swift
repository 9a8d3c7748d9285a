import TestSupport
import Testing

@testable import AppleMusic

@Suite struct FoundNumbersTests {
    @Test(arguments: [0, 1, 2, 32, 33, 100, 5_000])
    func numbersComeOutDistinctAndInOrder(count: Int) {
        var random = SeededGenerator(seed: UInt64(count) + 1)
        for _ in 0..<20 {
            // Some twice, some alike in their upper halves.
            var numbers = (0..<count).map { _ in
                random.next() & [.max, 0xFFFF, 0xFF << 56].randomElement(using: &random)!
            }
            if count > 2_048 { numbers = numbers.map { $0 % 1_000 << 40 | $0 >> 62 } }
            var found = FoundNumbers()
            for number in numbers { found.add(number) }
            #expect(found.sorted() == Set(numbers).sorted())
        }
    }
}
