import Glibc
import Text

// An index of recorded responses (`index.jsonl`): a folder of bodies, and a line for each that
// names its request.
//
// Every line is an object with `path` and `status`, usually `method`, `query`, `headers`, `file` (a
// body next to the index) or `body`, and `also_requests` (other requests with the same answer);
// other members are ignored. Such a folder is put together by hand, so personal content is only in
// it if its author wants it served.

/// An index, read whole with its bodies.
struct IndexFile {
    let header = RecordingHeader(started: Timestamp(microseconds: 0), program: "")
    private let path: String
    /// The line that is being read.
    private var number = 0
    private var captured: [RecordedExchange] = []
    private var documented: [RecordedExchange] = []
    private var contents: [BodyHash: [UInt8]] = [:]
    private var longBodies: [Int] = []
    private var bodyBytes = 0

    init(path: String, first: FileLine, rest: InputFile) throws(RecordingError) {
        self.path = path
        try add(first)
        while let line = try rest.nextLine() { try add(line) }
        if exchanges.isEmpty { throw .empty(path: path) }
    }

    /// Captured exchanges come before those copied from documentation.
    var exchanges: [RecordedExchange] { captured + documented }

    var bodies: RecordedBodies { RecordedBodies(contents) }

    var warnings: [String] { longBodies.map { "\(path):\($0): a body of more than 8 MiB is skipped" } }

    private var directory: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private func fault(_ reason: String) -> RecordingError { .badLine(path: path, line: number, reason: reason) }

    private mutating func add(_ line: FileLine) throws(RecordingError) {
        if line.isBlank { return }
        number = line.number
        guard let object = try? JSON.parse(line.bytes), object.objectValue != nil else {
            throw fault("not a JSON object")
        }
        let exchange = try self.exchange(object)
        var all = [exchange]
        for other in object["also_requests"]?.arrayValue ?? [] {
            guard other["path"]?.stringValue != nil else { continue }
            var copy = exchange
            copy.method = try method(other)
            copy.target = try target(other)
            all.append(copy)
        }
        if object["kind"]?.stringValue == "doc-example" { documented += all } else { captured += all }
    }

    private mutating func exchange(_ object: JSON) throws(RecordingError) -> RecordedExchange {
        let target = try self.target(object)
        guard let status = object["status"]?.intValue, (200...599).contains(status) else {
            throw fault("status is missing or not between 200 and 599")
        }
        let body = try self.body(object)
        var exchange = RecordedExchange(
            time: Timestamp(microseconds: 0), offset: .zero, method: try method(object), target: target,
            status: status, latency: .zero, length: body.count)
        do {
            for member in object["headers"]?.objectValue?.members ?? [] {
                guard let value = member.value.stringValue else { continue }
                if let field = try RecordedFields.kept(member.key, value, of: RecordedFields.ofAnswers) {
                    exchange.fields.append(field)
                }
            }
        } catch {
            throw fault(error.reason)
        }
        if body.count > RecordedBodies.longest {
            longBodies.append(number)
        } else if !body.isEmpty, let hash = BodyHash(of: body) {
            exchange.body = hash
            if contents.updateValue(body, forKey: hash) == nil { bodyBytes += body.count }
            guard bodyBytes <= InputFile.mostWhole else { throw fault("the bodies are too large for memory") }
        }
        return exchange
    }

    private func method(_ object: JSON) throws(RecordingError) -> String {
        let method = object["method"]?.stringValue ?? "GET"
        guard RecordedField.isName(method) else { throw fault("method is not a method such as GET") }
        return method
    }

    private func target(_ object: JSON) throws(RecordingError) -> String {
        guard let path = object["path"]?.stringValue, path.utf8.first == UInt8(ascii: "/") else {
            throw fault("path is missing or does not begin with /")
        }
        let query = object["query"]?.stringValue ?? ""
        let written = query.isEmpty ? path : path + "?" + query
        guard let target = RecordedTarget.redacted(text: written) else {
            let isLong = RecordedTarget.isTooLong(text: written)
            throw fault("path and query are \(isLong ? RecordedTarget.tooLong : "not what a request can have")")
        }
        return target
    }

    private func body(_ object: JSON) throws(RecordingError) -> [UInt8] {
        if let file = object["file"]?.stringValue {
            // The index is trusted no further than its own folder.
            guard !file.isEmpty, !file.hasPrefix("/"), !file.split(separator: "/").contains(".."),
                !file.utf8.contains(0)
            else { throw fault(Self.leadsOut) }
            return try content(directory + "/" + file)
        }
        switch object["body"] {
        case .string(let text): return Array(text.utf8)
        case .object, .array: return object["body"]?.bytes ?? []
        case nil, .null: return []
        default: throw fault("body is neither text nor an object")
        }
    }

    private static let leadsOut = "file leads out of the folder of the index"

    /// Path of a file in the folder, through links inside it.
    private func content(_ path: String) throws(RecordingError) -> [UInt8] {
        guard let file = try InputFile.resolved(path, within: directory) else { throw fault(Self.leadsOut) }
        var status = stat()
        // Reading a pipe waits for its writer.
        guard lstat(file, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw fault("file is not a regular file")
        }
        return try InputFile(file).rest()
    }
}
