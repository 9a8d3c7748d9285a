import EventLoop
import HTTP
import Recording
import Server
import Upstream

/// One request on its way to the live origin, and its answer. Kept alive by the pool until it is
/// over.
final class LiveExchange: UpstreamReceiver {
    let request: SimulatorRequest
    let began: Instant
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
            connection.perform(origin.decide(SimulatorResponse(response), self).coded(for: request))
        case .began:
            exchange.cancel()
            connection.perform(origin.refusal(status: 502, "The answer is larger than a recording can hold", self))
        case .failed(let failure):
            connection.perform(origin.decide(without: failure, self))
        }
    }
}

extension SimulatorRequest {
    /// Fields that belong to one connection, or are written again.
    private static let ownOfConnections: Set<String> = [
        "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "proxy-connection", "host",
        "content-length", "expect", "accept-encoding",
    ]
    /// Fields that ask for less than the whole answer.
    static let conditions: Set<String> = [
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
    init(_ response: UpstreamResponse) {
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

    func marked(_ source: String) -> SimulatorResponse {
        var copy = self
        copy.fields.append(SimulatorField("X-Recording", source))
        return copy
    }
}
