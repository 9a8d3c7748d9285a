import EventLoop
import HTTP
import Recording
import Server

/// The recorded origin on a loop, and counts of its requests. Confined to its loop.
final class RecordedOriginService: Service {
    private let origin: RecordedOrigin
    private let context: LoopContext
    private(set) var requests = 0
    /// The most within one second, counted from the beginning of the run.
    private(set) var peak = 0
    /// Bytes of content.
    private(set) var bytes = 0
    private(set) var sources: [RecordedOrigin.Source: Int] = [:]
    private var second = (number: Int64(-1), requests: 0)

    init(_ origin: RecordedOrigin, _ context: LoopContext) {
        self.origin = origin
        self.context = context
    }

    func handle(_ connection: ClientConnection) {
        let elapsed = context.loop.now - VirtualTime.start
        count(elapsed)
        let (method, target, tags, acceptsGzip) = connection.withHeadBytes { bytes in
            let head = connection.head
            let tags = head.fields.first(.ifNoneMatch).map { bytes.text($0.value) }
            let codings = head.fields.first(.acceptEncoding).map { bytes.text($0.value) }
            return (
                bytes.text(head.methodText), bytes.text(head.target), tags,
                codings?.contains("gzip") == true
            )
        }
        var answer = origin.answer(method, Array(target.utf8), at: elapsed, now: context.unixSeconds)
        sources[answer.source, default: 0] += 1
        if let tags, let tag = answer.fields.first(where: { $0.name == "etag" })?.value, tags.contains(tag) {
            answer.status = 304
            answer.content = RecordedContent.Forms()
        }
        context.loop.schedule(after: answer.latency) { [self] in
            send(answer, inGzip: acceptsGzip, on: connection)
        }
    }

    private func count(_ elapsed: Duration) {
        requests += 1
        let number = elapsed.components.seconds
        second = number == second.number ? (number, second.requests + 1) : (number, 1)
        peak = max(peak, second.requests)
    }

    private func send(_ answer: RecordedOrigin.Answer, inGzip: Bool, on connection: ClientConnection) {
        let coded = inGzip ? answer.content.gzip : nil
        let content = coded ?? answer.content.identity
        if connection.head.method != .head { bytes += content.count }
        connection.respond(content: content) { buffer in
            buffer.appendStatusLine(answer.status)
            for field in answer.fields { buffer.appendField(field.name, field.value) }
            if coded != nil { buffer.append("content-encoding: gzip\r\n") }
            guard answer.status != 204, answer.status != 304 else { return }
            buffer.appendField("content-length", String(content.count))
        }
    }
}
