import Glibc
import Testing

@testable import Bench

@Suite struct ProcessUseTests {
    private let rollup = """
        55d0c0e00000-7ffd5a5fe000 ---p 00000000 00:00 0                          [rollup]
        Rss:                9144 kB
        Pss:                3071 kB
        Pss_Dirty:          1724 kB
        Pss_Anon:           1720 kB
        SwapPss:               7 kB

        """

    @Test func theProportionalSetSizeIsFound() {
        #expect(ProcessUse.proportionalBytes(in: rollup) == 3071 * 1024)
    }

    @Test(arguments: ["", "Rss: 1 kB\n", "Pss: x kB\n", "Pss: 12\n", "Pss_Anon: 12 kB\n"])
    func whatDoesNotSayItIsNoFigure(text: String) {
        #expect(ProcessUse.proportionalBytes(in: text) == nil)
    }

    @Test func thisProcessHasOne() throws {
        #expect(try #require(ProcessUse.proportionalBytes(of: getpid())) > 0)
        #expect(ProcessUse.proportionalBytes(of: -1) == nil)
    }
}
