import EventLoop
import HTTP

/// A blocking HTTP/1.1 client over one connection.
final class TraceClient {
    private let port: Int
    private var connection: BlockingConnection?
    private var reader = AnswerReader()

    init(port: Int) {
        self.port = port
    }

    /// The status of the answer to a GET; its body is read and dropped.
    func status(of target: String) throws -> Int { try get(target).status }

    func get(_ target: String) throws -> (status: Int, body: [UInt8]) {
        if connection == nil {
            connection = try BlockingConnection.open(host: "127.0.0.1", port: UInt16(port), timeout: .seconds(20))
        }
        reader.begin(keepsContent: true)
        let request = "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n\r\n"
        try connection?.send(Array(request.utf8))
        while let received = try connection?.receive() {
            if try reader.take(received) { return (reader.status, reader.content) }
        }
        throw BenchError("no connection to port \(port)")
    }
}
