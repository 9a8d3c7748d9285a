// A live origin with a recording: for development without credentials, and for making recordings.
// Must hold: credentials go to the origin and nowhere else; `RecordedExchange` defines what may be
// recorded.

import EventLoop
import Recording
import Server
import Upstream

/// Forwards every request to an origin; `X-Recording` is `live` or `recorded`.
///
/// Confined to its loop.
public final class LiveOrigin: Service {
    /// Purpose of the recording.
    public enum Mode {
        /// Every answer is handed to the function, with its content. Called on the loop.
        case record((RecordedExchange, [UInt8]) -> Void)
        /// Answers where the origin does not: no connection, no answer in time, 5xx or 429.
        case fallback(RecordedAPI)
    }

    let mode: Mode
    let context: LoopContext
    let started: Instant
    private let pool: UpstreamPool

    public init(_ mode: Mode, pool: UpstreamPool, context: LoopContext) {
        (self.mode, self.pool, self.context) = (mode, pool, context)
        started = context.loop.now
    }

    public func handle(_ connection: ClientConnection) {
        let request = connection.simulatorRequest
        let sent = request.forwarded(to: pool.settings.endpoint.authority, asksForWhole: isRecording)
        _ = pool.send(sent, to: LiveExchange(connection, request, self))
    }

    var isRecording: Bool {
        if case .record = mode { true } else { false }
    }
}
