// A live origin with a recording: for development without credentials, and for making recordings.
// Must hold: credentials go to the origin and nowhere else; `RecordedExchange` defines what may be
// recorded.

import EventLoop
import HTTP
import Recording
import Server
import Text
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
    let pool: UpstreamPool
    let context: LoopContext
    private let started: Instant

    public init(_ mode: Mode, pool: UpstreamPool, context: LoopContext) {
        (self.mode, self.pool, self.context) = (mode, pool, context)
        started = context.loop.now
    }

    public func handle(_ connection: ClientConnection) {
        let request = connection.simulatorRequest
        let exchange = LiveExchange(connection, request, self)
        let sent = request.forwarded(to: pool.settings.endpoint.authority, asksForWhole: isRecording)
        _ = pool.send(sent, to: exchange)
    }

    private var isRecording: Bool {
        if case .record = mode { true } else { false }
    }

    /// The client's answer after an answer of the origin.
    func decide(_ live: SimulatorResponse, _ exchange: LiveExchange) -> SimulatorResponse {
        switch mode {
        case .record(let write):
            record(live, exchange, write)
            return live.marked("live")
        case .fallback(let recorded):
            guard live.status == 429 || live.status >= 500 else { return live.marked("live") }
            return fallback(recorded, exchange) ?? live.marked("live")
        }
    }

    /// The client's answer after a failure of the origin.
    func decide(without failure: UpstreamFailure, _ exchange: LiveExchange) -> SimulatorResponse {
        if case .fallback(let recorded) = mode, let answer = fallback(recorded, exchange) { return answer }
        return refusal(
            status: failure.status, "\(failure)" + (isRecording ? "" : ", and nothing was recorded"), exchange)
    }

    func refusal(status: Int, _ detail: String, _ exchange: LiveExchange) -> SimulatorResponse {
        let error = APIError(
            status: status, code: "\(status)00", title: "No Answer From The Origin", detail: detail)
        return ResponseFields.failure(error, exchange.request, SimulatorConfiguration()).marked("live")
    }

    private func fallback(_ recorded: RecordedAPI, _ exchange: LiveExchange) -> SimulatorResponse? {
        guard recorded.has(exchange.request) else { return nil }
        var response = recorded.respond(to: exchange.request)
        // The client has waited for the origin already.
        response.delay = .zero
        return response.marked("recorded")
    }

    private func record(
        _ live: SimulatorResponse, _ exchange: LiveExchange, _ write: (RecordedExchange, [UInt8]) -> Void
    ) {
        guard let target = RecordedTarget.redacted(exchange.request.target) else { return }
        let latency = context.loop.now - exchange.began
        var recorded = RecordedExchange(
            time: Timestamp.now() + (.zero - latency), offset: exchange.began - started,
            method: exchange.request.method, target: target, status: live.status, latency: latency,
            length: live.body.count)
        recorded.upstreamLatency = latency
        // As sent: without conditions and ranges.
        let unconditional = exchange.request.fields.filter {
            !SimulatorRequest.conditions.contains($0.name.lowercased())
        }
        recorded.requestFields = unconditional.compactMap {
            try? RecordedFields.kept($0.name, $0.value, of: RecordedFields.ofRequests)
        }
        recorded.fields = live.fields.compactMap {
            try? RecordedFields.kept($0.name, $0.value, of: RecordedFields.ofAnswers)
        }
        if !live.body.isEmpty { recorded.body = BodyHash(of: live.body) }
        let tellsWhoAsks = exchange.request.fields.contains {
            RecordedFields.tellingWhoAsks.contains($0.name.lowercased())
        }
        guard let safe = recorded.withoutPersonalParts(tellsWhoAsks: tellsWhoAsks) else { return }
        write(safe, safe.isPersonal ? [] : live.body)
    }
}
