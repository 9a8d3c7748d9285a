import EventLoop
import HTTP

/// The shape of a line.
public enum AccessLogFormat: Sendable {
    case combined
    case json
}

/// One loop's share of the access log: lines gather here and go to the sink in large pieces.
///
/// Confined to its loop.
final class AccessLog {
    private let sink: AccessLogSink
    private let format: AccessLogFormat
    private let loop: EventLoop
    private var lines = ByteBuffer(capacity: 32 << 10)
    private var flushToken: TimerToken?
    private var timestamp: [UInt8] = []
    private var timestampSecond = Int64.min

    private static let flushBytes = 16 << 10
    private static let flushInterval = Duration.milliseconds(200)

    init(sink: AccessLogSink, format: AccessLogFormat, loop: EventLoop) {
        self.sink = sink
        self.format = format
        self.loop = loop
    }

    /// One answered request. Personal requests are logged by their route alone: ids and queries there are private.
    func record(_ entry: AccessLogEntry, on connection: ClientConnection) {
        noteTime(connection)
        connection.withHeadBytes { bytes in
            switch format {
            case .combined: writeCombined(entry, connection, bytes)
            case .json: writeJSON(entry, connection, bytes)
            }
        }
        flushSoon()
    }

    /// A request that could not be read to its end: what it was is not known, so it stands as `-`.
    func recordRefusal(status: Int, contentLength: Int, on connection: ClientConnection) {
        noteTime(connection)
        switch format {
        case .combined:
            beginCombined(connection)
            lines.append("-\" ")
            lines.append(decimal: status)
            lines.append(" ")
            lines.append(decimal: contentLength)
            lines.append(" \"-\" \"-\" refused\n")
        case .json:
            beginJSON(connection)
            lines.append("\",\"method\":\"-\",\"target\":\"-")
            endJSON(AccessLogEntry(status: status, contentLength: contentLength, outcome: "refused", template: nil))
        }
        flushSoon()
    }

    private func noteTime(_ connection: ClientConnection) {
        let second = connection.context.unixSeconds
        guard second != timestampSecond else { return }
        timestampSecond = second
        timestamp = Array(CommonLogTime.text(unixSeconds: second).utf8)
    }

    private func flushSoon() {
        if lines.readableCount >= Self.flushBytes {
            flush()
        } else if flushToken == nil {
            flushToken = loop.schedule(at: loop.now + Self.flushInterval) { [weak self] in
                self?.flushToken = nil
                self?.flush()
            }
        }
    }

    func flush() {
        guard !lines.isEmpty else { return }
        sink.write(lines.copyReadable())
        lines.removeAll(keepingCapacity: true)
    }

    private func writeCombined(_ entry: AccessLogEntry, _ connection: ClientConnection, _ bytes: Span<UInt8>) {
        let head = connection.head
        beginCombined(connection)
        lines.appendEscaped(bytes.extracting(head.methodText.range))
        lines.append(" ")
        appendTarget(entry, head, bytes)
        lines.append(head.version == .http11 ? " HTTP/1.1\" " : " HTTP/1.0\" ")
        lines.append(decimal: entry.status)
        lines.append(" ")
        lines.append(decimal: entry.contentLength)
        lines.append(" \"-\" \"")
        if let agent = head.fields.first(.userAgent) {
            lines.appendEscaped(bytes.extracting(agent.value.range))
        } else {
            lines.append("-")
        }
        lines.append("\" ")
        lines.append(entry.outcome)
        if let detail = entry.detail {
            lines.append("/")
            lines.append(detail)
        }
        lines.append("\n")
    }

    private func writeJSON(_ entry: AccessLogEntry, _ connection: ClientConnection, _ bytes: Span<UInt8>) {
        let head = connection.head
        beginJSON(connection)
        lines.append("\",\"method\":\"")
        lines.appendEscaped(bytes.extracting(head.methodText.range))
        lines.append("\",\"target\":\"")
        appendTarget(entry, head, bytes)
        endJSON(entry)
    }

    private func beginCombined(_ connection: ClientConnection) {
        lines.append(connection.peerText)
        lines.append(" - - [")
        lines.append(timestamp)
        lines.append("] \"")
    }

    private func beginJSON(_ connection: ClientConnection) {
        lines.append("{\"time\":\"")
        lines.append(timestamp)
        lines.append("\",\"client\":\"")
        lines.append(connection.peerText)
    }

    private func endJSON(_ entry: AccessLogEntry) {
        lines.append("\",\"status\":")
        lines.append(decimal: entry.status)
        lines.append(",\"bytes\":")
        lines.append(decimal: entry.contentLength)
        lines.append(",\"outcome\":\"")
        lines.append(entry.outcome)
        if let detail = entry.detail {
            lines.append("\",\"detail\":\"")
            lines.append(detail)
        }
        lines.append("\"}\n")
    }

    private func appendTarget(_ entry: AccessLogEntry, _ head: RequestHead, _ bytes: Span<UInt8>) {
        if let template = entry.template {
            lines.append(template)
        } else {
            lines.appendEscaped(bytes.extracting(head.target.range))
        }
    }
}

/// What a line says beside the request itself.
struct AccessLogEntry {
    let status: Int
    let contentLength: Int
    /// `hit`, or a reason.
    let outcome: StaticString
    /// The `detail` of `Cache-Status` where that is another reason.
    var detail: StaticString?
    /// Written in place of the target where the target is private.
    let template: StaticString?
}

extension ByteBuffer {
    /// Bytes that could end a line, a quoted string or an escape are written as `\u00HH`, which is also valid JSON
    /// (HARDENING 3, control characters in logs). Clean stretches, the usual case, go in one piece.
    fileprivate mutating func appendEscaped(_ bytes: Span<UInt8>) {
        var start = 0
        for index in bytes.indices where Self.needsEscape(bytes[index]) {
            append(bytes.extracting(start..<index))
            append("\\u00")
            append(Self.digit(bytes[index] >> 4))
            append(Self.digit(bytes[index] & 15))
            start = index + 1
        }
        append(bytes.extracting(start..<bytes.count))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte >= 0x7f || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
