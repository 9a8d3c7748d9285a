import Testing
import Text

@Suite struct EditDistanceTests {
    private func distance(_ first: String, _ second: String) -> Int {
        editDistance(Array(first.utf8), Array(second.utf8))
    }

    @Test func countsEdits() {
        #expect(distance("listen", "listen") == 0)
        #expect(distance("", "abc") == 3)
        #expect(distance("abc", "") == 3)
        #expect(distance("kitten", "sitting") == 3)
        #expect(distance("lisetn", "listen") == 1, "a swap of neighbours is one edit")
    }
}
