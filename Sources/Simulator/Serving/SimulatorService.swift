import EventLoop
import Glibc
import HTTP
import Server

/// Serves a responder's answers on a loop, with their delays, resets and truncation.
public final class SimulatorService: Service {
    private let responder: any Responder
    private let context: LoopContext

    public init(_ responder: any Responder, context: LoopContext) {
        (self.responder, self.context) = (responder, context)
    }

    public func handle(_ connection: ClientConnection) {
        let request = connection.simulatorRequest
        let response = responder.respond(to: request).coded(for: request)
        guard response.delay > .zero else {
            connection.perform(response)
            return
        }
        context.loop.schedule(at: context.loop.now + response.delay) { connection.perform(response) }
    }
}

extension ClientConnection {
    var simulatorRequest: SimulatorRequest {
        withHeadBytes { bytes in
            SimulatorRequest(
                method: bytes.text(head.methodText), target: bytes.extracting(head.target.range).copy(),
                fields: head.fields.map { SimulatorField(bytes.text($0.name), bytes.text($0.value)) },
                body: body, nowUnixSeconds: context.unixSeconds)
        }
    }

    func perform(_ response: SimulatorResponse) {
        switch response.fault {
        case .reset: reset()
        case .truncate:
            respondTruncated(content: Array(response.body.prefix(response.body.count / 2))) { buffer in
                Self.writeHead(response, to: &buffer)
            }
        default:
            respond(content: response.body) { buffer in Self.writeHead(response, to: &buffer) }
        }
    }

    private static func writeHead(_ response: SimulatorResponse, to buffer: inout ByteBuffer) {
        buffer.appendStatusLine(response.status)
        for field in response.fields { buffer.appendField(field.name, field.value) }
        guard response.status != 204 && response.status != 304 else { return }
        buffer.appendField("Content-Length", String(response.body.count))
    }
}

extension SimulatorResponse {
    /// The bytes below which nothing is compressed.
    private static let leastCoded = 256

    /// In gzip for a client that accepts it, as the real API answers (APPLE-MUSIC-API 9.8). An
    /// answer to be truncated stays as it is: it is cut at half of its content.
    func coded(for request: SimulatorRequest) -> SimulatorResponse {
        guard fault == nil, body.count >= Self.leastCoded, field("Content-Encoding") == nil,
            request.field("Accept-Encoding")?.split(separator: ",").contains(where: { $0.drop { $0 == " " } == "gzip" })
                == true,
            let coded = Gzip.system.deflate(body, level: 1)
        else { return self }
        var copy = self
        copy.body = coded
        copy.fields.append(SimulatorField("Content-Encoding", "gzip"))
        return copy
    }
}
