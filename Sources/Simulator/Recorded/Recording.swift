// One recorded response and how good it is among several of the same request.

import AppleMusic

/// A recorded response, ready to be answered again.
struct Recording: Sendable {
    let method: String
    let target: String
    let status: Int
    let fields: [SimulatorField]
    let body: [UInt8]
    /// Whether it was captured rather than copied from documentation.
    let isCaptured: Bool

    /// Fields that belong to the connection or to an encoding that the stored body no longer has.
    private static let dropped: Set<String> = [
        "connection", "content-encoding", "content-length", "date", "keep-alive", "trailer", "transfer-encoding",
        "upgrade", "alt-svc",
    ]

    /// The response of a line of the index: an object with `method`, `path`, `query`, `status`, `headers` and either
    /// `file` (beside the index) or `body`. Throws the reason why it is not one.
    init(_ line: JSON, directory: String) throws(Problem) {
        guard let path = line["path"]?.stringValue, path.utf8.first == UInt8(ascii: "/") else {
            throw .text("path is missing or does not begin with /")
        }
        guard let status = line["status"]?.intValue, (200...599).contains(status) else {
            throw .text("status is missing or not between 200 and 599")
        }
        let query = line["query"]?.stringValue ?? ""
        method = line["method"]?.stringValue ?? "GET"
        target = query.isEmpty ? path : path + "?" + query
        self.status = status
        isCaptured = line["kind"]?.stringValue != "doc-example"
        body = try Self.body(line, directory)
        var fields = (line["headers"]?.objectValue?.members ?? []).compactMap { member in
            member.value.stringValue.map { SimulatorField(member.key, $0) }
        }
        fields.removeAll { Self.dropped.contains($0.name.lowercased()) || $0.name.hasPrefix(":") }
        if !body.isEmpty, !fields.contains(where: { $0.name.lowercased() == "content-type" }) {
            fields.append(SimulatorField("Content-Type", Self.contentType(body)))
        }
        self.fields = fields
    }

    /// The same response to another request (`also_requests`).
    init(_ recording: Recording, method: String, target: String) {
        self.method = method
        self.target = target
        status = recording.status
        fields = recording.fields
        body = recording.body
        isCaptured = recording.isCaptured
    }

    /// Why a line is refused.
    enum Problem: Error {
        case text(String)
        case file(RecordingError)
    }

    private static func body(_ line: JSON, _ directory: String) throws(Problem) -> [UInt8] {
        if let file = line["file"]?.stringValue {
            // The index is trusted no further than its own folder.
            guard !file.isEmpty, !file.hasPrefix("/"), !file.split(separator: "/").contains("..") else {
                throw .text("file leads out of the folder of the index")
            }
            do {
                return try FileBytes.read(directory + "/" + file)
            } catch {
                throw .file(error)
            }
        }
        switch line["body"] {
        case .string(let text): return Array(text.utf8)
        case .object, .array:
            var bytes: [UInt8] = []
            line["body"]?.write(to: &bytes)
            return bytes
        case nil, .null: return []
        default: throw .text("body is neither text nor an object")
        }
    }

    /// What a body looks like, where its type was not recorded.
    static func contentType(_ body: [UInt8]) -> String {
        let start = body.first { $0 > 0x20 }
        if start == UInt8(ascii: "<") { return "text/html" }
        if start == UInt8(ascii: "{") || start == UInt8(ascii: "["), (try? JSON.parse(body)) != nil {
            return "application/json;charset=utf-8"
        }
        return "text/plain"
    }
}
