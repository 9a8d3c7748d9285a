import TestSupport
import Testing

@testable import Purging

@Suite struct EntrySelectionTests {
    @Test func aPatternIsHeldAgainstThePathAlone() throws {
        let pattern = try #require(PathPattern(Array("/v1/catalog/*/albums/*".utf8)))
        for target in ["/v1/catalog/us/albums/1", "/v1/catalog/gb/albums/1/tracks?limit=2", "/v1/catalog/us/albums/"] {
            #expect(pattern.matches(Array(target.utf8)), "\(target)")
        }
        for target in ["/v1/catalog/us/albums", "/v1/catalog/us/songs?x=/albums/", "/v1/me/albums/1", ""] {
            #expect(!pattern.matches(Array(target.utf8)), "\(target)")
        }
        let last = try #require(PathPattern(Array("/*ab".utf8)))
        #expect(last.matches(Array("/aab".utf8)) && !last.matches(Array("/abc".utf8)))
        let many = "/" + String(repeating: "*a", count: PathPattern.mostStars + 1)
        for text in ["", "/", "/v1/a", "v1/*", "/v1/*?l=en", "/v1/* ", "/ä*", many] {
            #expect(PathPattern(Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test(arguments: [1, 2] as [UInt64])
    func aSelectionIsReadFromItsWords(seed: UInt64) {
        var script = PurgeScript(seed: seed)
        for _ in 0..<500 {
            let selection = script.selection()
            #expect(EntrySelection(words: selection.words) == selection, "seed \(seed)")
        }
        for words in [
            "target", "prefix", "size 3", "class 300", "class 03", "resource 1", "target /a\n", "\ntarget /a",
        ] {
            #expect(EntrySelection(words: Array(words.utf8)) == nil, "\(words)")
        }
    }
}
