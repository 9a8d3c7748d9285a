import Testing
import Text

@Suite struct PercentEncodingTests {
    @Test func allButKeptCharactersAreEscaped() {
        #expect(PercentEncoding.encoded("aZ09-._~/ é\u{1}") == "aZ09-._~%2F%20%C3%A9%01")
        #expect(PercentEncoding.encoded("[`{@/:,", keeping: "/:,") == "%5B%60%7B%40/:,")
    }

    @Test(arguments: [
        ("a%2Fb%c3%A9+c", "a/bé+c", true), ("", "", true), ("%", "%", false), ("%4", "%4", false),
        ("%+f%20", "%+f ", false), ("%%41", "%A", false), ("%zz", "%zz", false),
    ])
    func brokenEscapesAreKeptAsTheyAre(text: String, decoded: String, isWhole: Bool) {
        let found = PercentEncoding.decoded(text.utf8)
        #expect(String(decoding: found.bytes, as: UTF8.self) == decoded && found.isWhole == isWhole)
    }

    @Test func inFormsAPlusIsASpace() {
        #expect(PercentEncoding.decoded("a+b%2B".utf8, plusIsSpace: true).bytes == Array("a b+".utf8))
    }
}
