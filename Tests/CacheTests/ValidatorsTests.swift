import Testing

@testable import Cache
@testable import Freshness
@testable import Store

@Suite struct ValidatorsTests {
    private func lines(_ response: StoredResponse) -> String {
        String(decoding: response.preconditionLines, as: UTF8.self)
    }

    @Test func theOriginIsAskedWithItsOwnValidators() {
        let both = stored(["Last-Modified: \(date(5))", "ETag: W/\"a\""])
        #expect(lines(both) == "If-None-Match: W/\"a\"\r\nIf-Modified-Since: \(date(5))\r\n" && both.isRevalidatable)
        let dated = stored(["Last-Modified: \(date(5))"])
        #expect(lines(dated) == "If-Modified-Since: \(date(5))\r\n" && dated.isRevalidatable)
        let own = stored([])
        #expect(String(decoding: own.head, as: UTF8.self).contains("ETag: \"refrain-"))
        #expect(lines(own).isEmpty && !own.isRevalidatable)
        let one = stored(["ETag: \"a\"", "Last-Modified: \(date(5))", "Date: \(date(noon))"])
        let again = StoredResponse(
            restoring: one.key, status: 200, fields: Array(one.fields), content: one.content, receivedAt: noon,
            lifetime: one.lifetime, classTag: 0, storefront: [])
        #expect(again.preconditionLines == one.preconditionLines && again.hasDate)
        #expect(again.record.checksum == one.record.checksum)
    }

    @Test(arguments: ["ETag: abc", "ETag: w/\"a\"", "Last-Modified: yesterday", "Date: \(date(5))"])
    func theOriginIsNotAskedWithWhatIsNoValidator(line: String) {
        #expect(lines(stored([line])).isEmpty && !stored([line]).isRevalidatable)
    }

    /// The cache's own tag, where it is the only validator, is handed over and not parsed.
    @Test(arguments: [false, true], [200, 404])
    func aStoredAnswerHasThoseThatItsFieldsSay(followsOrigin: Bool, status: Int) {
        let lines = [
            "ETag: \"a\"", "ETag: W/\"b\"", "ETag: c", "Last-Modified: \(date(5))", "Last-Modified: then",
            "Date: \(date(noon))",
        ]
        for chosen in 0..<1 << lines.count {
            let fields = lines.indices.map { chosen >> $0 & 1 == 1 ? lines[$0] : "X-\($0): y" }
            let answer = stored(fields, status: status, followsOrigin: followsOrigin)
            let (told, head) = (answer.validators, answer.head)
            let read = Validators(head.span)
            #expect(told.tagValue == read.tagValue && told.entityTag == read.entityTag)
            #expect(told.isOwnTag == read.isOwnTag && told.date == read.date)
            #expect(told.lastModifiedValue == read.lastModifiedValue && told.lastModified == read.lastModified)
        }
    }

    /// They are handed over and not parsed, which would cost too much of composing.
    @Test(arguments: [200, 404])
    func aComposedAnswerHasThoseThatItsFieldsSay(status: Int) {
        let fields = ["ETag: \"a\"", "Last-Modified: \(date(5))", "Date: \(date(noon))", "Vary: a"]
        let part = stored(fields, status: status, followsOrigin: false)
        let composed = StoredResponse(
            composed: Array("whole".utf8), key: key("/c"), parts: [part], detail: .reduced, receivedAt: noon, born: 0,
            lifetime: part.lifetime, classTag: 0)
        let (told, head) = (composed.validators, composed.head)
        let read = Validators(head.span)
        #expect(told.tagValue == read.tagValue && told.entityTag == read.entityTag)
        #expect(told.isOwnTag == read.isOwnTag && told.isOwnTag == (status == 200))
        #expect(!composed.isRevalidatable && read.lastModified == nil && read.date == nil)
        #expect(!String(decoding: head, as: UTF8.self).contains("Date:"))
    }
}
