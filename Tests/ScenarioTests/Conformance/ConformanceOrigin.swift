import Foundation
import Synchronization
import TestSupport

/// The origin of a group: answers each case as its exchange says, and records the requests.
final class ConformanceOrigin: Sendable {
    struct Request: Sendable {
        let method: String
        let fields: [(name: String, value: String)]
        /// The status of the answer; nil when the connection was closed instead.
        let status: Int?
    }

    private final class Board: Sendable {
        let answers = Mutex<[String: OriginAnswer]>([:])
        let requests = Mutex<[String: [Request]]>([:])
    }

    private let board: Board
    private let origin: ScriptedOrigin
    var port: Int { Int(origin.port) }

    init() throws {
        let board = Board()
        self.board = board
        origin = try ScriptedOrigin([.serve { Self.answer($0, board) }])
    }

    func stop() { origin.stop() }

    /// From now on requests below `url` are answered so, and remembered afresh.
    func give(_ answer: OriginAnswer, below url: String) {
        board.answers.withLock { $0[url] = answer }
        board.requests.withLock { $0[url] = [] }
    }

    /// The requests below `url` since its answer was set.
    func requests(below url: String) -> [Request] { board.requests.withLock { $0[url] ?? [] } }

    private static func answer(_ text: String, _ board: Board) -> [UInt8]? {
        let lines = text.components(separatedBy: "\r\n")
        let line = lines[0].components(separatedBy: " ")
        let fields = lines.dropFirst().prefix { !$0.isEmpty }.map(parse)
        let url = line[1].split(separator: "/").prefix(2).reduce("") { $0 + "/" + $1 }.prefix { $0 != "?" }
        guard let answer = board.answers.withLock({ $0[String(url)] }) else { return nil }
        let meetsCondition = answer.condition.map { condition in
            let wanted = parse(condition)
            return fields.contains { $0.name.lowercased() == wanted.name.lowercased() && $0.value == wanted.value }
        }
        let status = answer.hangsUp ? nil : meetsCondition == true ? 304 : answer.status
        let request = Request(method: line[0], fields: fields, status: status)
        board.requests.withLock { $0[String(url), default: []].append(request) }
        usleep(answer.delayMilliseconds * 1000)
        return status.map { bytes($0, answer, isHead: line[0] == "HEAD") }
    }

    private static func bytes(_ status: Int, _ answer: OriginAnswer, isHead: Bool) -> [UInt8] {
        var text = ""
        for interim in answer.interim { text += head(interim.status, interim.fields) + "\r\n" }
        text += head(status, answer.fields)
        if status == 204 || status == 304 { return Array((text + "\r\n").utf8) }
        let content = answer.content ?? ""
        let names = answer.fields.map { parse($0).name.lowercased() }
        if !names.contains("content-length"), !names.contains("transfer-encoding") {
            text += "Content-Length: \(content.utf8.count)\r\n"
        }
        return Array((text + "\r\n" + (isHead ? "" : content)).utf8)
    }

    private static func head(_ status: Int, _ fields: [String]) -> String {
        "HTTP/1.1 \(status) It is\r\n" + fields.map { $0 + "\r\n" }.joined()
    }

    /// `Name: value` in two.
    static func parse(_ line: String) -> (name: String, value: String) {
        guard let colon = line.firstIndex(of: ":") else { return (line, "") }
        return (String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
    }
}
