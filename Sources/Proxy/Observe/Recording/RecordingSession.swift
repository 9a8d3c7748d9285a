import Cache
import EventLoop
import HTTP
import Recording

/// A recording in progress, from its beginning to its end: turns events into exchanges, and writes them.
///
/// Confined to the recorder's thread.
final class RecordingSession {
    /// By the clock on the wall, and at the same moment by the monotonic one.
    let began: Timestamp
    private let origin: Int64
    private let writer: RecordingWriter
    private var requests = RecordedRequests()
    private var answers = RecordedAnswers()
    /// What the loops left out, and what cannot be recorded.
    private var dropped = 0
    private var told = (exchanges: 0, bytes: 0, dropped: 0)

    init(_ settings: RecordingSettings, program: String) throws(RecordingError) {
        began = .now()
        origin = Instant.now().nanoseconds
        writer = try RecordingWriter(
            settings, header: RecordingHeader(started: began, program: program, sampling: settings.sampling))
    }

    func write(_ batch: TrafficBatch) {
        for event in batch.events { write(event, batch) }
        if batch.dropped > 0 {
            dropped += batch.dropped
            writer.append(dropped: batch.dropped)
        }
        writer.flush()
    }

    func reopen() throws(RecordingError) -> Bool { try writer.reopen() }

    /// What was done since the last call, and what is wrong now.
    func takeProgress() -> (exchanges: Int, bytes: Int, dropped: Int, problem: String?) {
        let now = (exchanges: writer.exchanges, bytes: writer.bytes, dropped: writer.lost + dropped)
        defer { told = now }
        return (
            now.exchanges - told.exchanges, now.bytes - told.bytes, now.dropped - told.dropped,
            writer.failure?.description
        )
    }

    private func write(_ event: TrafficEvent, _ batch: TrafficBatch) {
        let offset = event.requestedAt - origin
        // It came before the recording began.
        guard offset >= 0 else { return }
        let subject = batch.subjects[event.subject]
        let excerpt = subject.excerpt.isEmpty ? Array(batch.excerpts[subject.place]) : subject.excerpt
        guard let request = requests.request(excerpt, isPersonal: subject.isPersonal) else {
            dropped += 1
            return writer.append(dropped: 1)
        }
        let answer = answers.answer(subject.answer, to: request.method)
        var exchange = RecordedExchange(
            time: began + .nanoseconds(offset), offset: .nanoseconds(offset), method: request.method,
            target: request.target, status: event.status, latency: .nanoseconds(event.latency), length: event.length)
        exchange.requestFields = request.fields
        exchange.fields = answer.fields
        if event.age >= 0, !subject.isPersonal { exchange.fields.append(RecordedField("age", String(event.age))) }
        if let status = event.cacheStatus {
            // Where the origin is a cache itself, its own came before.
            exchange.fields.removeAll { $0.name == "cache-status" }
            exchange.fields.append(RecordedField("cache-status", status.text))
        }
        exchange.upstreamLatency = event.upstreamTime
        exchange.outcome = (event.cacheStatus?.outcome ?? .refused).word.description
        exchange.reason = event.word
        exchange.isPersonal = subject.isPersonal
        exchange.body = answer.hash
        writer.append(exchange) { answer.content }
    }
}

extension TrafficEvent {
    /// In the words of the access log.
    fileprivate var word: String {
        let answered = AnsweredRequest(
            status: status, contentLength: length, cacheStatus: cacheStatus, key: nil, template: nil,
            upstreamTime: upstreamTime)
        return answered.word.description + (answered.detail.map { "/" + $0.text } ?? "")
    }
}

// MARK: - Requests

/// What requests said, by their excerpts: those that come again are read once.
struct RecordedRequests {
    struct Request {
        let method: String
        let target: String
        let fields: [RecordedField]
    }

    private var known: [[UInt8]: Request] = [:]

    private static let most = 4096

    /// nil where the target is longer than a recording holds.
    mutating func request(_ excerpt: [UInt8], isPersonal: Bool) -> Request? {
        if let request = known[excerpt] { return request }
        guard let request = Self.read(excerpt, isPersonal) else { return nil }
        if known.count >= Self.most { known = [:] }
        known[excerpt] = request
        return request
    }

    private static func read(_ excerpt: [UInt8], _ isPersonal: Bool) -> Request? {
        let line = excerpt.prefix { $0 != 0x0D }
        let method = line.prefix { $0 != 0x20 }
        let target = Array(line.dropFirst(method.count + 1))
        let fields = excerpt[line.endIndex...]
        guard isPersonal else {
            return RecordedTarget.redacted(target).map { text in
                Request(
                    method: String(decoding: method, as: UTF8.self), target: text,
                    fields: RecordedFields.among(fields, keeping: RecordedFields.ofRequests))
            }
        }
        let template = String(decoding: target, as: UTF8.self)
        return Request(
            method: String(decoding: method, as: UTF8.self),
            target: template.hasPrefix("/") ? template : RecordedTarget.unknownRoute,
            fields: RecordedFields.among(fields, keeping: RecordedFields.ofPersonalRequests))
    }
}

// MARK: - Answers

/// What answers said, and the hashes of their bodies. Stored answers that are given again are read and hashed once.
struct RecordedAnswers {
    struct Answer {
        var fields: [RecordedField] = []
        var content: [UInt8] = []
        /// nil: the content is not recorded.
        var hash: BodyHash?
    }

    /// Holds the stored answer, so that no other can come to be at its place.
    private struct Known {
        let stored: StoredResponse
        let answer: Answer
    }

    private struct Place: Hashable {
        let stored: ObjectIdentifier
        let isCoded: Bool
    }

    private var known: [Place: Known] = [:]
    private var byteCount = 0

    private static let most = 4096
    /// Mostly bytes that the cache holds too.
    private static let mostBytes = 32 << 20

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
        // Coded by the origin: what it says without that is not known.
        if coding == .identity, answer.fields.contains(where: { $0.name == "content-encoding" }) {
            (answer.content, answer.hash) = ([], nil)
        }
        if known.count >= Self.most || byteCount >= Self.mostBytes { (known, byteCount) = ([:], 0) }
        known[place] = Known(stored: stored, answer: answer)
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

extension CacheStatus {
    /// The value of the field.
    var text: String {
        var buffer = ByteBuffer(capacity: 128)
        write(to: &buffer)
        let line = buffer.copyReadable()
        let start = line.firstIndex(of: UInt8(ascii: ":")).map { $0 + 2 } ?? 0
        return String(decoding: line[start...].dropLast(2), as: UTF8.self)
    }
}
