import Foundation
import TestSupport
import Testing

@testable import refrain

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
