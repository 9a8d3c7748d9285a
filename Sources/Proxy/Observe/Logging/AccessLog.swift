import EventLoop
import Server

/// A loop's share of the access log: lines gather here and go to the sink in large pieces.
///
/// Confined to its loop.
final class AccessLog {
    private let sink: AccessLogSink
    private let selection: LogSelection?
    private let loop: EventLoop
    private var lines: LogLines
    private var sampling = Sampling()
    private var flushToken: TimerToken?

    private static let flushBytes = 16 << 10
    private static let flushInterval = Duration.milliseconds(200)

    init(_ settings: AccessLogSettings, loop: EventLoop) {
        (sink, selection, self.loop) = (settings.sink, settings.selection, loop)
        lines = LogLines(settings.format)
    }

    /// - Parameter later: requests to the origin that no line has told of: the next line of their
    ///   client does.
    func record(
        _ request: LoggedRequest, nanoseconds: Int64, _ later: UnloggedRequestCounts, on connection: ClientConnection
    ) {
        guard takes(request, nanoseconds, connection) else { return }
        var earlier = 0
        if case .answered = request { earlier = later.take(of: connection.party) }
        lines.append(request, nanoseconds: nanoseconds, earlier: earlier, on: connection)
        flushSoon()
    }

    private func takes(_ request: LoggedRequest, _ nanoseconds: Int64, _ connection: ClientConnection) -> Bool {
        guard let selection else { return true }
        return selection.conditions.contains { $0.holds(for: request, nanoseconds: nanoseconds, on: connection) }
            || sampling.takes(selection.sample)
    }

    private func flushSoon() {
        if lines.byteCount >= Self.flushBytes {
            flush()
        } else if flushToken == nil {
            flushToken = loop.schedule(at: loop.now + Self.flushInterval) { [weak self] in
                self?.flushToken = nil
                self?.flush()
            }
        }
    }

    func flush() {
        let bytes = lines.take()
        if !bytes.isEmpty { sink.write(bytes) }
    }
}

/// The access log of all loops.
public struct AccessLogSettings: Sendable {
    public let sink: AccessLogSink
    let format: AccessLogFormat
    /// nil: all requests.
    let selection: LogSelection?

    public init(_ sink: AccessLogSink, _ format: AccessLogFormat, _ selection: LogSelection? = nil) {
        (self.sink, self.format, self.selection) = (sink, format, selection)
    }
}

/// The requests of which the access log has a line: those for which one of the conditions holds,
/// and a share of the others.
public struct LogSelection: Sendable, Equatable {
    public var conditions: [RequestCondition]
    /// Millionths.
    public var sample: Int

    public init(_ conditions: [RequestCondition], sample: Int = 0) {
        (self.conditions, self.sample) = (conditions, sample)
    }
}
