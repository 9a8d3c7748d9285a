import EventLoop
import HTTP
import Recording
import Server
import Text
import Upstream

/// A request on its way to the live origin, and its answer. Kept alive by the pool until it is
/// over.
final class LiveExchange: UpstreamReceiver {
    private let request: SimulatorRequest
    private let began: Instant
    private let connection: ClientConnection
    private let origin: LiveOrigin

    init(_ connection: ClientConnection, _ request: SimulatorRequest, _ origin: LiveOrigin) {
        (self.connection, self.request, self.origin) = (connection, request, origin)
        began = origin.context.loop.now
    }

    func upstream(_ exchange: UpstreamExchange, _ event: UpstreamEvent) {
        switch event {
        case .interim, .received, .finished: break
        case .answered(let response):
            connection.perform(answer(after: SimulatorResponse(response)).coded(for: request))
        case .began:
            exchange.cancel()
            connection.perform(refusal(status: 502, "The answer is larger than a recording can hold"))
        case .failed(let failure): connection.perform(answer(without: failure))
        }
    }

    /// The client's answer after an answer of the origin.
    private func answer(after live: SimulatorResponse) -> SimulatorResponse {
        switch origin.mode {
        case .record(let write): record(live, write)
        case .fallback(let recorded) where live.status == 429 || live.status >= 500:
            if let answer = fallback(recorded) { return answer }
        case .fallback: break
        }
        return live.marked("live")
    }

    /// The client's answer after a failure of the origin.
    private func answer(without failure: UpstreamFailure) -> SimulatorResponse {
        if case .fallback(let recorded) = origin.mode, let answer = fallback(recorded) { return answer }
        return refusal(
            status: failure.status, "\(failure)" + (origin.isRecording ? "" : ", and nothing was recorded"))
    }

    private func refusal(status: Int, _ detail: String) -> SimulatorResponse {
        let error = APIError(
            status: status, code: "\(status)00", title: "No Answer From The Origin", detail: detail)
        return ResponseFields.failure(error, request, SimulatorConfiguration()).marked("live")
    }

    private func fallback(_ recorded: RecordedAPI) -> SimulatorResponse? {
        guard recorded.has(request) else { return nil }
        var response = recorded.respond(to: request)
        // The client has waited for the origin already.
        response.delay = .zero
        return response.marked("recorded")
    }

    private func record(_ live: SimulatorResponse, _ write: (RecordedExchange, [UInt8]) -> Void) {
        guard let target = RecordedTarget.redacted(request.target) else { return }
        let latency = origin.context.loop.now - began
        var recorded = RecordedExchange(
            time: Timestamp.now() + (.zero - latency), offset: began - origin.started, method: request.method,
            target: target, status: live.status, latency: latency, length: live.body.count)
        recorded.upstreamLatency = latency
        // As sent: without conditions and ranges.
        let sent = request.fields.filter { !SimulatorRequest.conditions.contains($0.name.lowercased()) }
        recorded.requestFields = sent.compactMap {
            try? RecordedFields.kept($0.name, $0.value, of: RecordedFields.ofRequests)
        }
        recorded.fields = live.fields.compactMap {
            try? RecordedFields.kept($0.name, $0.value, of: RecordedFields.ofAnswers)
        }
        if !live.body.isEmpty { recorded.body = BodyHash(of: live.body) }
        let tellsWhoAsks = request.fields.contains { RecordedFields.tellingWhoAsks.contains($0.name.lowercased()) }
        guard let safe = recorded.withoutPersonalParts(tellsWhoAsks: tellsWhoAsks) else { return }
        write(safe, safe.isPersonal ? [] : live.body)
    }
}

extension SimulatorRequest {
    /// Fields that belong to one connection, or are written again.
    private static let ownOfConnections: Set<String> = [
        "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "proxy-connection", "host",
        "content-length", "expect", "accept-encoding",
    ]
    /// Fields that ask for less than the whole answer.
    fileprivate static let conditions: Set<String> = [
        "if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range", "range",
    ]

    /// The request as it goes to the origin, with the client's own credentials.
    /// - Parameter asksForWhole: leaves out `conditions`, so that the answer can be recorded.
    func forwarded(to authority: String, asksForWhole: Bool) -> UpstreamRequest {
        let named = fields.filter { $0.isNamed("connection") }.flatMap { field in
            field.value.lowercased().split(separator: ",").map { $0.filter { $0 != " " } }
        }
        let left = Self.ownOfConnections.union(asksForWhole ? Self.conditions : []).union(named)
        var head = Array("\(method) ".utf8) + target
        head += Array(" HTTP/1.1\r\nHost: \(authority)\r\nAccept-Encoding: identity\r\n".utf8)
        for field in fields where !left.contains(field.name.lowercased()) {
            head += Array("\(field.name): \(field.value)\r\n".utf8)
        }
        if !body.isEmpty || ["POST", "PUT", "PATCH"].contains(method) {
            head += Array("Content-Length: \(body.count)\r\n".utf8)
        }
        let bytes = Array(method.utf8)
        return UpstreamRequest(method: Method(bytes.span, 0..<bytes.count), head: head + [0x0D, 0x0A], body: body)
    }
}

extension SimulatorResponse {
    /// An answer of the origin, without its date, which the server writes.
    fileprivate init(_ response: UpstreamResponse) {
        let fields = response.fields
        self.init(
            status: response.status,
            fields: fields.lines.filter { $0.id != .date }.map { line in
                SimulatorField(
                    String(decoding: fields.bytes[line.name], as: UTF8.self),
                    String(decoding: fields.bytes[line.value], as: UTF8.self))
            },
            body: response.body)
    }

    fileprivate func marked(_ source: String) -> SimulatorResponse {
        var copy = self
        copy.fields.append(SimulatorField("X-Recording", source))
        return copy
    }
}
