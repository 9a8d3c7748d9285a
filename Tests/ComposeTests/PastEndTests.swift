import AppleMusic
import Cache
import Freshness
import Testing

@testable import Compose

@Suite struct PastEndTests {
    private func answer(_ id: String, title: String = "No related resources", status: Int = 404) throws
        -> StoredResponse
    {
        let target = try StoredScene.target("artists/1/albums?offset=99")
        return StoredResponse(
            key: CacheKey(scope: .shared, target: target.bytes), status: status, fields: [],
            body: Array(#"{"errors":[{"id":"\#(id)","title":"\#(title)","code":"40403"}]}"#.utf8), receivedAt: 0,
            lifetime: Lifetime(freshFor: 60), classTag: 0, storefront: [])
    }

    @Test func errorsAreTheSameButForTheirIDs() throws {
        let one = try #require(PastEnd(try answer("AAAA")))
        #expect(one.isEqual(to: try #require(PastEnd(try answer("BB")))))
        #expect(!one.isEqual(to: try #require(PastEnd(try answer("AAAA", title: "artists/1 has no albums")))))
        #expect(try PastEnd(answer("AAAA", status: 500)) == nil)
    }

    @Test func oneListAloneSaysNothingOfOthers() throws {
        var evidence = PastEndEvidence()
        let seen = try #require(PastEnd(try answer("A")))
        evidence.note(seen, of: 1)
        evidence.note(seen, of: 1)
        #expect(evidence.known == nil)
        evidence.note(seen, of: 2)
        #expect(evidence.known != nil)
    }

    @Test func anotherAnswerTakesItBack() throws {
        var evidence = PastEndEvidence()
        for list in 1...2 { evidence.note(try #require(PastEnd(try answer("A"))), of: UInt64(list)) }
        evidence.note(try #require(PastEnd(try answer("A", title: "Other"))), of: 3)
        #expect(evidence.known == nil)
    }

    /// What is said of one list in two languages may name the list.
    @Test func aListInSeveralLanguagesIsOneList() throws {
        var evidence = ListEvidence()
        let seen = try #require(PastEnd(try answer("A")))
        let lists = try ["artists/1/albums", "artists/1/albums?l=de", "artists/2/albums?l=de"].map(StoredScene.request)
        for list in lists[..<2] { evidence.note(pastEnd: seen, list) }
        #expect(lists.allSatisfy { evidence.answerPastEnd($0) == nil })
        evidence.note(pastEnd: seen, lists[2])
        #expect(evidence.answerPastEnd(lists[1]) != nil && evidence.answerPastEnd(lists[0]) == nil)
    }
}
