import Dispatch
import Glibc
import Synchronization

@testable import refrain

/// A listener on a free port of 127.0.0.1 that answers one connection with fixed bytes, and keeps
/// the request.
final class OneAnswerServer: Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let received = Mutex<[UInt8]>([])

    init() {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                _ = bind(descriptor, raw, length)
                _ = getsockname(descriptor, raw, &length)
            }
        }
        listen(descriptor, 1)
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }

    var request: String { String(decoding: received.withLock { $0 }, as: UTF8.self) }

    /// Accepts one connection, reads the request, writes `answer` and closes. Blocks.
    func serve(_ answer: String) {
        let connection = accept(descriptor, nil, nil)
        defer { close(connection) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while !Self.isWhole(bytes) {
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        received.withLock { $0 = bytes }
        _ = Array(answer.utf8).withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Whether the empty line is there, and as much content behind it as `Content-Length` says.
    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return false }
        let length = text.firstRange(of: "Content-Length: ").flatMap {
            Int(text[$0.upperBound...].prefix { $0.isNumber })
        }
        return text[end.upperBound...].utf8.count >= length ?? 0
    }
}

/// Runs a command that talks to a running proxy against a server that gives `answer`, and what that
/// was asked.
func runAgainstServer(
    _ command: String, _ answer: String, _ words: [String], files: MemoryFiles = MemoryFiles()
) -> (result: RunResult, request: String) {
    let server = OneAnswerServer()
    let isDone = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { @Sendable in
        server.serve(answer)
        isDone.signal()
    }
    let captured = CapturedOutput()
    let arguments = ["refrain", command, "--admin", "http://127.0.0.1:\(server.port)"] + words
    let status = CommandLineTool.run(arguments, output: captured.output, files: files.access)
    isDone.wait()
    let result = RunResult(status: status, standard: captured.standard, error: captured.error)
    return (result, server.request)
}
