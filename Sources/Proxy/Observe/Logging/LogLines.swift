import Cache
import EventLoop
import HTTP
import Server
import Text

/// The shape of a line.
public enum AccessLogFormat: Sendable {
    case combined
    case json
}

/// Writes requests as lines of one format, for the access log and for those who follow it.
struct LogLines: ~Copyable {
    private let format: AccessLogFormat
    private var lines = ByteBuffer(capacity: 32 << 10)
    private var timestamp: [UInt8] = []
    private var timestampSecond = Int64.min

    /// Bytes of a target, a key and an agent, and of a method and a name, as they are written: with
    /// all of them a line has less than 4 kB (FRAMING 7.4).
    private static let longest = 1 << 10
    private static let longestWord = 128

    init(_ format: AccessLogFormat) {
        self.format = format
    }

    var byteCount: Int { lines.readableCount }

    /// The lines since the last call.
    mutating func take() -> [UInt8] {
        defer { lines.removeAll(keepingCapacity: true) }
        return lines.copyReadable()
    }

    /// Appends one request's line. Personal requests are shown by their route alone: ids and
    /// queries there are private.
    /// - Parameter earlier: requests to the origin that left after the line that they belong to.
    mutating func append(
        _ request: LoggedRequest, nanoseconds: Int64, earlier: Int = 0, on connection: ClientConnection
    ) {
        noteTime(connection)
        switch request {
        case .answered(let answered):
            connection.withHeadBytes { bytes in
                switch format {
                case .combined: writeCombined(answered, nanoseconds, earlier, connection, bytes)
                case .json: writeJSON(answered, nanoseconds, earlier, connection, bytes)
                }
            }
        case .unread(let unread):
            appendUnread(
                unread.method, unread.target, unread.status, unread.contentLength, "refused", unread.cause,
                nanoseconds, connection)
        case .preflight(let path, let refusal):
            appendUnread(Array("OPTIONS".utf8), path, 204, 0, "preflight", refusal?.description, 0, connection)
        }
    }

    private mutating func appendUnread(
        _ method: [UInt8], _ target: [UInt8], _ status: Int, _ contentLength: Int, _ word: String,
        _ detail: String?, _ nanoseconds: Int64, _ connection: ClientConnection
    ) {
        switch format {
        case .combined:
            beginCombined(connection)
            lines.append(method)
            lines.append(" ")
            lines.appendEscaped(target.span, upTo: Self.longest)
            lines.append(connection.isHTTP2 ? " HTTP/2.0\" " : " HTTP/1.1\" ")
            lines.append(decimal: status)
            lines.append(" ")
            lines.append(decimal: contentLength)
            lines.append(" \"-\" \"-\" ")
            lines.append(word)
            if let detail {
                lines.append("/")
                lines.append(detail)
            }
            lines.append(" ")
            lines.append(secondsOf: nanoseconds)
            lines.append(" - - - -\n")
        case .json:
            beginJSON(connection)
            lines.append(",\"method\":\"")
            lines.append(method)
            lines.append("\",\"target\":\"")
            lines.appendEscaped(target.span, upTo: Self.longest)
            lines.append("\"")
            appendResult(status, contentLength, word, word, nanoseconds)
            if let detail { appendDetail(detail) }
            lines.append("}\n")
        }
    }

    private mutating func noteTime(_ connection: ClientConnection) {
        let second = connection.context.unixSeconds
        guard second != timestampSecond else { return }
        timestampSecond = second
        // JSON appends milliseconds and the Z.
        let text = format == .combined ? LogTime.common(second) : String(LogTime.rfc3339(second).dropLast())
        timestamp = Array(text.utf8)
    }

    /// `client - name [time] "request" status bytes "-" "agent" word/detail seconds upstream-seconds "key" trace sent`:
    /// the combined format, and after it the cache's action; the referrer is left out.
    private mutating func writeCombined(
        _ answered: AnsweredRequest, _ nanoseconds: Int64, _ earlier: Int, _ connection: ClientConnection,
        _ bytes: Span<UInt8>
    ) {
        let head = connection.head
        beginCombined(connection)
        lines.appendEscaped(bytes.extracting(head.methodText.range), upTo: Self.longestWord)
        lines.append(" ")
        appendTarget(answered, head, bytes)
        lines.append(" ")
        lines.append(Self.protocolName(connection, head))
        lines.append("\" ")
        lines.append(decimal: answered.status)
        lines.append(" ")
        lines.append(decimal: answered.contentLength)
        lines.append(" \"-\" \"")
        if let agent = head.fields.first(.userAgent) {
            lines.appendEscaped(bytes.extracting(agent.value.range), upTo: Self.longest)
        } else {
            lines.append("-")
        }
        lines.append("\" ")
        lines.append(answered.word)
        if let detail = answered.logDetail {
            lines.append("/")
            lines.append(detail)
        }
        lines.append(" ")
        lines.append(secondsOf: nanoseconds)
        lines.append(" ")
        if let time = answered.asked.time {
            lines.append(secondsOf: time.wholeNanoseconds)
        } else {
            lines.append("-")
        }
        lines.append(" ")
        if let key = answered.loggedKey {
            lines.append("\"")
            lines.appendEscaped(key.target.span, upTo: Self.longest)
            lines.append("\"")
        } else {
            lines.append("-")
        }
        lines.append(" ")
        if let trace = Self.trace(head, bytes) { lines.append(bytes.extracting(trace)) } else { lines.append("-") }
        lines.append(" ")
        let sent = answered.asked.sent + earlier
        if sent > 0 { lines.append(decimal: sent) } else { lines.append("-") }
        lines.append("\n")
    }

    /// Writes the request as an object on one line; members that have no value are left out.
    private mutating func writeJSON(
        _ answered: AnsweredRequest, _ nanoseconds: Int64, _ earlier: Int, _ connection: ClientConnection,
        _ bytes: Span<UInt8>
    ) {
        let head = connection.head
        beginJSON(connection)
        lines.append(",\"method\":\"")
        lines.appendEscaped(bytes.extracting(head.methodText.range), upTo: Self.longestWord)
        lines.append("\",\"target\":\"")
        appendTarget(answered, head, bytes)
        lines.append("\",\"protocol\":\"")
        lines.append(Self.protocolName(connection, head))
        lines.append("\"")
        appendResult(
            answered.status, answered.contentLength, answered.outcome.name, answered.word, nanoseconds)
        if let detail = answered.logDetail { appendDetail(detail) }
        if let time = answered.asked.time {
            lines.append(",\"upstream_seconds\":")
            lines.append(secondsOf: time.wholeNanoseconds)
        }
        if answered.asked.sent > 0 {
            lines.append(",\"upstream_requests\":")
            lines.append(decimal: answered.asked.sent)
        }
        if earlier > 0 {
            lines.append(",\"upstream_earlier\":")
            lines.append(decimal: earlier)
        }
        if let agent = head.fields.first(.userAgent) {
            lines.append(",\"agent\":\"")
            lines.appendEscaped(bytes.extracting(agent.value.range), upTo: Self.longest)
            lines.append("\"")
        }
        if let key = answered.loggedKey {
            lines.append(",\"key\":\"")
            lines.appendEscaped(key.target.span, upTo: Self.longest)
            lines.append("\"")
        }
        if let trace = Self.trace(head, bytes) {
            lines.append(",\"trace\":\"")
            lines.append(bytes.extracting(trace))
            lines.append("\"")
        }
        lines.append("}\n")
    }

    private mutating func beginCombined(_ connection: ClientConnection) {
        lines.append(connection.peerText)
        lines.append(" - ")
        if let client = connection.client { appendEscaped(client.name) } else { lines.append("-") }
        lines.append(" [")
        lines.append(timestamp)
        lines.append("] \"")
    }

    private mutating func beginJSON(_ connection: ClientConnection) {
        lines.append("{\"time\":\"")
        lines.append(timestamp)
        lines.append(".")
        lines.append(digits: connection.context.millisecond, scale: 100)
        lines.append("Z\",\"address\":\"")
        lines.append(connection.peerText)
        lines.append("\"")
        guard let client = connection.client else { return }
        lines.append(",\"client\":\"")
        appendEscaped(client.name)
        lines.append("\"")
    }

    private mutating func appendResult(
        _ status: Int, _ contentLength: Int, _ outcome: String, _ reason: String, _ nanoseconds: Int64
    ) {
        lines.append(",\"status\":")
        lines.append(decimal: status)
        lines.append(",\"bytes\":")
        lines.append(decimal: contentLength)
        lines.append(",\"outcome\":\"")
        lines.append(outcome)
        lines.append("\",\"reason\":\"")
        lines.append(reason)
        lines.append("\",\"seconds\":")
        lines.append(secondsOf: nanoseconds)
    }

    private mutating func appendDetail(_ word: String) {
        lines.append(",\"detail\":\"")
        lines.append(word)
        lines.append("\"")
    }

    private mutating func appendTarget(_ answered: AnsweredRequest, _ head: RequestHead, _ bytes: Span<UInt8>) {
        if let template = answered.template {
            appendEscaped(template, upTo: Self.longest)
        } else {
            lines.appendEscaped(bytes.extracting(head.target.range), upTo: Self.longest)
        }
    }

    private static func protocolName(_ connection: ClientConnection, _ head: RequestHead) -> StaticString {
        connection.isHTTP2 ? "HTTP/2.0" : head.version == .http11 ? "HTTP/1.1" : "HTTP/1.0"
    }

    private mutating func appendEscaped(_ text: String, upTo most: Int = LogLines.longestWord) {
        var text = text
        text.withUTF8 { lines.appendEscaped($0.span, upTo: most) }
    }

    /// The id by which the request is followed through several programs; nil where it is malformed
    /// or given twice.
    private static func trace(_ head: RequestHead, _ bytes: Span<UInt8>) -> Range<Int>? {
        guard let field = head.fields.first(.traceparent), head.fields.count(.traceparent) == 1 else { return nil }
        return TraceContext.traceID(bytes, field.value.range)
    }
}

extension AnsweredRequest {
    /// The key, unless it is one user's.
    fileprivate var loggedKey: CacheKey? { template == nil ? key : nil }
}

extension ByteBuffer {
    /// Seconds with six decimals.
    fileprivate mutating func append(secondsOf nanoseconds: Int64) {
        let microseconds = Int(max(0, nanoseconds) / 1000)
        append(decimal: microseconds / 1_000_000)
        append(".")
        append(digits: microseconds % 1_000_000, scale: 100_000)
    }

    /// With zeros in front.
    /// - Parameter scale: that of the first digit.
    fileprivate mutating func append(digits value: Int, scale: Int) {
        var scale = scale
        while scale > 0 {
            append(Self.digit(UInt8(value / scale % 10)))
            scale /= 10
        }
    }
}
