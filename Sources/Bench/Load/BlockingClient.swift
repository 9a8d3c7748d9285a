import EventLoop
import HTTP

/// A blocking HTTP/1.1 client over one connection.
final class BlockingClient {
    private let port: Int
    private var connection: BlockingConnection?
    private var reader = AnswerReader()

    init(port: Int) {
        self.port = port
    }

    func get(_ target: String) throws -> (status: Int, body: [UInt8]) {
        if connection == nil {
            connection = try BlockingConnection.open(host: "127.0.0.1", port: UInt16(port), timeout: .seconds(20))
        }
        reader.begin(keepsContent: true)
        let request = "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n\r\n"
        try connection?.send(Array(request.utf8))
        while let received = try connection?.receive(), !received.isEmpty {
            if try reader.take(received) { return (reader.status, reader.content) }
        }
        throw BenchError("port \(port) has closed its connection")
    }

    /// A field of the last answer, by its name in lower case.
    func field(_ name: String) -> String? {
        let lines = String(decoding: reader.headBytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.first { $0.lowercased().hasPrefix(name + ":") }.map { line in
            String(line.dropFirst(name.count + 1).drop { $0 == " " })
        }
    }
}
