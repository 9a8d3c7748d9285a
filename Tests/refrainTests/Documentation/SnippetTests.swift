import Foundation
import Testing

@testable import refrain

/// The README's code in other languages, run against a demonstration where the language is installed.
@Suite(.timeLimit(.minutes(1))) struct SnippetTests {
    @Test(.enabled(if: Program.named("node") != nil, "node is not installed: nobody ran the README's JavaScript"))
    func theJavaScriptRuns() throws {
        let output = try run("js", with: "node", ["--input-type=module"])
        #expect(output.hasPrefix("refrain; fwd=uri-miss"), "\(output)")
    }

    @Test(.enabled(if: Program.named("python3") != nil, "python3 is not installed: nobody ran the README's Python"))
    func thePythonRuns() throws {
        let output = try run(
            "python", with: "python3", ["-"], behind: "print(len(charts['results']['albums'][0]['data']))")
        #expect((Int(output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0) > 0, "\(output)")
    }

    private func run(_ language: String, with name: String, _ arguments: [String], behind: String = "") throws -> String
    {
        let running = try RunningDemo()
        defer { running.stop() }
        let snippet = try #require(try Page("README.md").blocks(language).first)
        #expect(snippet.contains("127.0.0.1:8080"))
        let code = snippet.replacing("127.0.0.1:8080", with: "127.0.0.1:\(running.port)") + "\n\(behind)\n"
        return try #require(Program.named(name)).run(arguments, input: Data(code.utf8))
    }
}
