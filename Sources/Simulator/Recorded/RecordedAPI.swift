// Serves a recording as an origin: the answer to a request is the recorded one.
// Must hold: all spellings of a request get the same answer, each time; no other server is asked.

import HTTP
import Recording
import Text

/// Serves recorded responses (`refrain simulate --recording`). Bodies are read on demand.
public final class RecordedAPI: Responder {
    private let answers: [[UInt8]: RecordedAnswers]
    private let bodies: RecordedBodies
    private let latency: Duration?
    /// Entries that the recording's reader left out, and why.
    public let warnings: [String]

    var requestCount: Int { answers.count }

    /// Reads a recording, a HAR file, an index of responses, or the folder of one.
    /// - Parameter latency: of every answer; nil: the recorded latency of the origin, or else of
    ///   the client.
    /// - Throws: `RecordingError` for a recording that cannot be read or is empty.
    public init(path: String, latency: Duration? = nil) throws(RecordingError) {
        let reader = try RecordingReader(path: path)
        var answers: [[UInt8]: RecordedAnswers] = [:]
        while let exchange = try reader.next() {
            guard let request = RecordedRequest(exchange) else { continue }
            answers[request.key, default: RecordedAnswers(exchange, request.route)].add(exchange)
        }
        if answers.isEmpty { throw .empty(path: reader.path) }
        (self.answers, self.latency) = (answers, latency)
        bodies = reader.bodies
        warnings = reader.warnings
    }

    /// Whether a request has a recorded answer that can be served.
    func has(_ request: SimulatorRequest) -> Bool {
        guard let wanted = RecordedRequest(method: request.method, target: request.target),
            let found = answers[wanted.key] ?? answers[wanted.personalKey]
        else { return false }
        return RecordedAnswers.isWhole(found.choice(hasUserToken: request.field("Music-User-Token") != nil))
    }

    public func respond(to request: SimulatorRequest) -> SimulatorResponse {
        guard let wanted = RecordedRequest(method: request.method, target: request.target) else {
            return failure(.notFound, "The request target is invalid", request)
        }
        guard let found = answers[wanted.key] ?? answers[wanted.personalKey] else {
            if request.method == "OPTIONS" { return ResponseFields.preflight(request) }
            let nearest = wanted.nearest(among: answers.lazy.map { ($0.key, $0.value.route) })
            return failure(.notFound, "No response was recorded for this request; the nearest is " + nearest, request)
        }
        let chosen = found.choice(hasUserToken: request.field("Music-User-Token") != nil)
        var response = answer(chosen, request)
        response.delay = latency ?? found.upstreamLatency ?? chosen.latency
        return response
    }

    private func answer(_ chosen: RecordedExchange, _ request: SimulatorRequest) -> SimulatorResponse {
        guard RecordedAnswers.isWhole(chosen) || (request.method == "HEAD" && chosen.method == "HEAD") else {
            let why =
                chosen.isPersonal
                ? "its content is personal and was not recorded"
                : "its content was not recorded"
            return failure(.notRecorded, "This request was answered \(chosen.status), but " + why, request)
        }
        var response = SimulatorResponse(status: chosen.status, fields: fields(chosen, request))
        if let tag = chosen.field("etag"), chosen.status == 200, ["GET", "HEAD"].contains(request.method),
            let known = request.field("If-None-Match"), ResponseFields.matches(known, tag)
        {
            response.status = 304
            response.fields.removeAll { $0.isNamed("content-type") }
            return response
        }
        do {
            if let hash = chosen.body {
                guard let body = try bodies.identity(of: hash) else {
                    return failure(.notRecorded, "The body of this answer is missing from the recording", request)
                }
                response.body = body
            }
        } catch {
            return failure(.notRecorded, "\(error)", request)
        }
        if !response.body.isEmpty, response.field("Content-Type") == nil {
            response.fields.append(SimulatorField("Content-Type", Self.contentType(response.body)))
        }
        return response
    }

    /// Fields about the time, the recording cache, or a removed coding.
    private static let dropped: Set<String> = [
        "age", "cache-status", "content-encoding", "date", "expires", "x-cache",
    ]

    private func fields(_ chosen: RecordedExchange, _ request: SimulatorRequest) -> [SimulatorField] {
        var fields = chosen.fields.filter { !Self.dropped.contains($0.name) }.map { SimulatorField($0.name, $0.value) }
        // It is not recorded, because it may name the user; browsers refuse an answer without it.
        if let origin = request.field("Origin") { fields.append(SimulatorField("Access-Control-Allow-Origin", origin)) }
        return fields
    }

    private func failure(_ error: APIError, _ detail: String, _ request: SimulatorRequest) -> SimulatorResponse {
        var error = error
        error.detail = detail
        return ResponseFields.failure(error, request, SimulatorConfiguration())
    }

    /// Type of a body by its content, where it was not recorded.
    static func contentType(_ body: [UInt8]) -> String {
        let start = body.first { $0 > 0x20 }
        if start == UInt8(ascii: "<") { return "text/html" }
        if start == UInt8(ascii: "{") || start == UInt8(ascii: "["), (try? JSON.parse(body)) != nil {
            return "application/json;charset=utf-8"
        }
        return "text/plain"
    }
}
