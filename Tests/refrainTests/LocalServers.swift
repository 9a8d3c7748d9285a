import Foundation
import TestSupport
import Testing

@testable import refrain

/// A listening socket on a free port of the loopback, and the port.
func listeningSocket() throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
            bind(descriptor, name, length) == 0 && listen(descriptor, 16) == 0
                && getsockname(descriptor, name, &length) == 0
        }
    }
    try #require(result)
    return (descriptor, UInt16(bigEndian: address.sin_port))
}

/// Runs a command that talks to a running proxy against a server that answers so, and what that was
/// asked.
func runAgainstServer(
    _ command: String, _ body: String, _ words: [String], status: String = "200 OK", files: MemoryFiles = MemoryFiles()
) -> (result: RunResult, request: String) {
    let answer = "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    do {
        let server = try ScriptedOrigin([.request, .send(answer), .close])
        defer { server.stop() }
        let result = run([command, "--admin", "http://127.0.0.1:\(server.port)"] + words, files: files.access)
        return (result, server.requests.first?.first ?? "")
    } catch {
        Issue.record(error)
        return (RunResult(status: -1, standard: "", error: "\(error)"), "")
    }
}
