import AppleMusic
import Cache

/// What the origin answers to a request behind the end of a list: a 404 that is the same for all
/// lists of a form, but for the error's id (APPLE-MUSIC-API 7.13, 8.1).
package struct PastEnd: Sendable {
    let response: StoredResponse

    /// Nil for what is no such answer.
    init?(_ response: StoredResponse) {
        guard response.status == 404, Self.errorID(response.body) != nil else { return nil }
        self.response = response
    }

    /// Whether both say the same.
    func isEqual(to other: PastEnd) -> Bool { Self.areEqual(response.body, other.response.body) }

    /// Whether two errors are the same, but for their ids.
    package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard let id = errorID(one), let otherID = errorID(other) else { return false }
        return one[..<id.lowerBound].elementsEqual(other[..<otherID.lowerBound])
            && one[id.upperBound...].elementsEqual(other[otherID.upperBound...])
    }

    /// The bytes of the first `id`, between its quotation marks.
    private static func errorID(_ body: [UInt8]) -> Range<Int>? {
        guard let first = body.firstRange(of: Array("\"id\":\"".utf8))?.upperBound else { return nil }
        return body[first...].firstIndex(of: UInt8(ascii: "\"")).map { first..<$0 }
    }
}

/// The same answer, seen behind the ends of several lists.
struct PastEndEvidence: Sendable {
    private var answer: PastEnd?
    private var lists: Set<UInt64> = []

    /// The known answer: that of one list may name the list.
    var known: PastEnd? { lists.count > 1 ? answer : nil }

    mutating func note(_ seen: PastEnd, of list: UInt64) {
        if let answer, answer.isEqual(to: seen) {
            if lists.count < 2 { lists.insert(list) }
        } else {
            lists = [list]
        }
        answer = seen
    }
}
