import Cache
import EventLoop
import Freshness
import HTTP
import Recording

/// Reads the fields and hashes the bodies of answers, once for each stored answer.
struct AnswerExcerpts {
    struct Answer {
        var fields: [RecordedField] = []
        var content: [UInt8] = []
        /// Nil: the content is not recorded.
        var hash: BodyHash?
    }

    private struct Place: Hashable {
        let stored: ObjectIdentifier
        let isCoded: Bool
    }

    /// Holds each stored answer, so that no other one gets its identifier.
    private var known: [Place: (stored: StoredResponse, answer: Answer)] = [:]
    private var byteCount = 0

    private static let most = 4096
    /// Mostly bytes that the cache shares.
    private static let mostBytes = ProxyMemory.excerptBytes

    mutating func answer(_ answer: TrafficAnswer, to method: String) -> Answer {
        switch answer {
        case .untold: return Answer()
        case .passed(let fields, let content):
            return Self.answer(fields[...], method == "GET" ? content : [])
        case .stored(let stored, .whole, let coding) where method == "GET":
            return wholeAnswer(stored, coding)
        case .stored(let stored, let form, let coding):
            return Self.answer(Self.head(of: stored, form, coding)[...], [])
        }
    }

    private mutating func wholeAnswer(_ stored: StoredResponse, _ coding: ContentCoding) -> Answer {
        let place = Place(stored: ObjectIdentifier(stored), isCoded: coding == .gzip)
        if let known = known[place] { return known.answer }
        let body = stored.body
        var answer = Self.answer(Self.head(of: stored, .whole, coding)[...], stored.isDamaged ? [] : body)
        // The origin coded the content; its plain form is not known.
        if coding == .identity, answer.fields.contains(where: { $0.name == "content-encoding" }) {
            (answer.content, answer.hash) = ([], nil)
        }
        if known.count >= Self.most || byteCount >= Self.mostBytes { (known, byteCount) = ([:], 0) }
        known[place] = (stored, answer)
        byteCount += stored.byteCount
        return answer
    }

    private static func head(of stored: StoredResponse, _ form: AnswerForm, _ coding: ContentCoding) -> [UInt8] {
        var buffer = ByteBuffer(capacity: 1024)
        stored.appendHead(form, coding, to: &buffer)
        return buffer.copyReadable()
    }

    private static func answer(_ lines: ArraySlice<UInt8>, _ content: [UInt8]) -> Answer {
        let fields = RecordedFields.among(lines, keeping: RecordedFields.ofAnswers)
        let isKept = !content.isEmpty && content.count <= RecordedBodies.longest
        return Answer(
            fields: fields, content: isKept ? content : [], hash: isKept ? BodyHash(of: content) : nil)
    }
}
