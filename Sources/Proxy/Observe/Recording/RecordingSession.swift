import Cache
import EventLoop
import Freshness
import HTTP
import Recording
import Text

/// A recording in progress, from its beginning to its end: turns events into exchanges, and writes
/// them.
///
/// Confined to the recorder's thread.
final class RecordingSession {
    let settings: RecordingSettings
    /// By the clock on the wall, and at the same moment by the monotonic one.
    let began: Timestamp
    private let origin: Int64
    private let writer: RecordingWriter
    private var requests = RequestExcerpts()
    private var answers = AnswerExcerpts()
    /// Exchanges that loops left out, or that cannot be recorded.
    private var dropped = 0
    private var told = (exchanges: 0, bytes: 0, dropped: 0)

    init(_ settings: RecordingSettings, program: String) throws(RecordingError) {
        self.settings = settings
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

    /// Progress since the last call, and the fault now.
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
        exchange.protocolName = event.isHTTP2 ? "HTTP/2" : nil
        exchange.requestFields = request.fields
        exchange.fields = answer.fields
        if event.age >= 0, !subject.isPersonal { exchange.fields.append(RecordedField("age", String(event.age))) }
        if let status = event.cacheStatus {
            // Where the origin is a cache itself, its own came before.
            exchange.fields.removeAll { $0.name == "cache-status" }
            exchange.fields.append(RecordedField("cache-status", status.text))
        }
        exchange.upstreamLatency = event.upstreamTime
        exchange.outcome = (event.cacheStatus?.outcome ?? .refused).name
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
            asked: AnsweredRequest.Asked(time: upstreamTime))
        return answered.word + (answered.detail.map { "/" + $0.text } ?? "")
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
