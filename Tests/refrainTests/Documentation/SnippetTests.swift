import Foundation
import TestSupport
import Testing

@testable import refrain

/// The README's code in other languages, run against a demonstration where the language is
/// installed.
@Suite(.timeLimit(.minutes(10))) struct SnippetTests {
    @Test(.requires(.node))
    func theJavaScriptRuns() throws {
        let output = try run("js", "mjs", with: "node")
        #expect(output.hasPrefix("refrain; fwd=uri-miss"), "\(output)")
    }

    @Test(.requires(.python))
    func thePythonRuns() throws {
        let output = try run(
            "python", "py", with: "python3", behind: "print(len(charts['results']['albums'][0]['data']))")
        #expect((Int(output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0) > 0, "\(output)")
    }

    private func run(
        _ language: String, _ ending: String, with name: String, behind: String = ""
    ) throws -> String {
        let running = try RunningDemo()
        defer { running.stop() }
        let snippet = try #require(try Page("README.md").blocks(language).first)
        #expect(snippet.contains("127.0.0.1:8080"))
        let code = snippet.replacing("127.0.0.1:8080", with: "127.0.0.1:\(running.port)") + "\n\(behind)\n"
        let folder = try TemporaryFolder()
        let outcome = try #require(Tool(name)).run([folder.put(code.utf8, "snippet.\(ending)")])
        #expect(outcome.status == 0)
        return outcome.text
    }

    /// The output of `make run` was a list of misses.
    @Test func eachRequestShowsWhatIsPrintedBelowIt() throws {
        let running = try RunningDemo()
        defer { running.stop() }
        for (target, shows) in Demo.tour {
            let status = try running.client.send("GET", target).field("Cache-Status") ?? ""
            #expect(status.contains(shows), "\(target): \(status)")
        }
        #expect(Demo.tour.contains { $0.shows == "hit" } && Demo.tour.contains { $0.shows == "detail=window" })
    }
}
