// A recording served as an origin: the answer to a request is what was once recorded for it.
// What must hold: two spellings of one request get the same answer; the same request always gets the same one.

import AppleMusic

/// Serves recorded responses (`refrain simulate --recording`).
public final class RecordedAPI: Responder {
    /// All recordings of one canonical request.
    private let byRequest: [[UInt8]: [Recording]]
    private let requests: [[UInt8]]

    /// The number of different requests it can answer.
    public var requestCount: Int { requests.count }

    /// Reads a folder with an `index.jsonl`, or such an index itself; all bodies are read now.
    /// Every line is a JSON object with `path` and `status`, usually `method`, `query`, `headers`, `file` (a body beside
    /// the index) or `body`, and `also_requests` (other requests with the same answer); other members are ignored.
    public init(path: String) throws(RecordingError) {
        let isDirectory = FileBytes.isDirectory(path)
        let index = isDirectory ? path + "/index.jsonl" : path
        let directory = isDirectory ? path : Self.parent(of: path)
        let bytes = try FileBytes.read(index)
        var byRequest: [[UInt8]: [Recording]] = [:]
        for (number, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            if line.allSatisfy({ $0 <= 0x20 }) { continue }
            for recording in try Self.recordings(Array(line), index, number + 1, directory) {
                guard let key = Self.key(method: recording.method, target: Array(recording.target.utf8)) else {
                    continue
                }
                byRequest[key, default: []].append(recording)
            }
        }
        if byRequest.isEmpty { throw .empty(path: index) }
        self.byRequest = byRequest
        requests = byRequest.keys.sorted { $0.lexicographicallyPrecedes($1) }
    }

    public func respond(to request: SimulatorRequest) -> SimulatorResponse {
        let method = request.method == "HEAD" ? "GET" : request.method
        guard let key = Self.key(method: method, target: request.target) else {
            return Self.missing("The request target cannot be read")
        }
        guard let recordings = byRequest[key] else {
            return Self.missing("No response was recorded for this request; the nearest is " + nearest(to: key))
        }
        let recording = Self.choice(recordings, hasUserToken: request.field("Music-User-Token") != nil)
        return SimulatorResponse(status: recording.status, fields: recording.fields, body: recording.body)
    }

    /// One request may have been recorded several times. A refusal is for requests without a user token; otherwise
    /// the first success that was captured, then the first success, then whatever came first.
    private static func choice(_ recordings: [Recording], hasUserToken: Bool) -> Recording {
        if !hasUserToken, let refusal = recordings.first(where: { $0.status == 403 }) { return refusal }
        let successes = recordings.filter { $0.status < 300 }
        return successes.first { $0.isCaptured } ?? successes.first ?? recordings[0]
    }

    private static func recordings(
        _ line: [UInt8], _ path: String, _ number: Int, _ directory: String
    ) throws(RecordingError) -> [Recording] {
        guard let object = try? JSON.parse(line), object.objectValue != nil else {
            throw .badLine(path: path, line: number, reason: "not a JSON object")
        }
        let recording: Recording
        do {
            recording = try Recording(object, directory: directory)
        } catch {
            switch error {
            case .text(let reason): throw .badLine(path: path, line: number, reason: reason)
            case .file(let error): throw error
            }
        }
        let others = (object["also_requests"]?.arrayValue ?? []).compactMap { other -> Recording? in
            guard let otherPath = other["path"]?.stringValue else { return nil }
            let query = other["query"]?.stringValue ?? ""
            return Recording(
                recording, method: other["method"]?.stringValue ?? "GET",
                target: query.isEmpty ? otherPath : otherPath + "?" + query)
        }
        return [recording] + others
    }

    /// The method and the one spelling of the target; nil for targets that cannot be read.
    private static func key(method: String, target: [UInt8]) -> [UInt8]? {
        var canonical = CanonicalTarget()
        guard (try? canonical.parse(target.span)) != nil else { return nil }
        return Array(method.utf8) + [0x20] + canonical.bytes
    }

    /// The recorded request that is most like another: the same path first, then the longest common beginning.
    private func nearest(to key: [UInt8]) -> String {
        let path = key.prefix { $0 != UInt8(ascii: "?") }
        let best = requests.max { left, right in
            likeness(left, key, path) < likeness(right, key, path)
        }
        return String(decoding: best ?? [], as: UTF8.self)
    }

    private func likeness(_ candidate: [UInt8], _ key: [UInt8], _ path: ArraySlice<UInt8>) -> Int {
        let common = zip(candidate, key).prefix { $0 == $1 }.count
        let isSamePath = candidate.prefix { $0 != UInt8(ascii: "?") }.elementsEqual(path)
        return common + (isSamePath ? 100_000 : 0)
    }

    private static func missing(_ detail: String) -> SimulatorResponse {
        var error = APIError.notFound
        error.detail = detail
        let request = SimulatorRequest(target: Array(detail.utf8))
        return ResponseFields.failure(error, request, SimulatorConfiguration())
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
