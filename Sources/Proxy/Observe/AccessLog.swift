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
        let second = connection.context.unixSeconds
        if second != timestampSecond {
            timestampSecond = second
            timestamp = Array(CommonLogTime.text(unixSeconds: second).utf8)
        }
        connection.withHeadBytes { bytes in
            switch format {
            case .combined: writeCombined(entry, connection, bytes)
            case .json: writeJSON(entry, connection, bytes)
            }
        }
        if lines.readableCount >= Self.flushBytes {
            flush()
        } else if flushToken == nil {
            flushToken = loop.schedule(at: loop.now + Self.flushInterval) { [unowned self] in
                flushToken = nil
                flush()
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
        lines.append(connection.peerText)
        lines.append(" - - [")
        lines.append(timestamp)
        lines.append("] \"")
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
        lines.append("\n")
    }

    private func writeJSON(_ entry: AccessLogEntry, _ connection: ClientConnection, _ bytes: Span<UInt8>) {
        let head = connection.head
        lines.append("{\"time\":\"")
        lines.append(timestamp)
        lines.append("\",\"client\":\"")
        lines.append(connection.peerText)
        lines.append("\",\"method\":\"")
        lines.appendEscaped(bytes.extracting(head.methodText.range))
        lines.append("\",\"target\":\"")
        appendTarget(entry, head, bytes)
        lines.append("\",\"status\":")
        lines.append(decimal: entry.status)
        lines.append(",\"bytes\":")
        lines.append(decimal: entry.contentLength)
        lines.append(",\"outcome\":\"")
        lines.append(entry.outcome)
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
    /// Written in place of the target where the target is private.
    let template: StaticString?
}

extension ByteBuffer {
    /// Bytes that could end a line, a quoted string or an escape are written as `\u00HH`, which is also valid JSON (HARDENING 3,
    /// control characters in logs).
    fileprivate mutating func appendEscaped(_ bytes: Span<UInt8>) {
        for index in bytes.indices {
            let byte = bytes[index]
            if byte < 0x20 || byte >= 0x7f || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                append("\\u00")
                append(Self.digit(byte >> 4))
                append(Self.digit(byte & 15))
            } else {
                append(byte)
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
