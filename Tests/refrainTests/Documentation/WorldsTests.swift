import Foundation
import TestSupport
import Testing

/// The script that counts requests to Apple, run as SPEED shows it.
@Suite(.timeLimit(.minutes(5))) struct WorldsTests {
    private func run(_ arguments: [String]) throws -> Tool.Outcome {
        let script = Page.top.appendingPathComponent("Sources/Bench/worlds").path
        return try #require(Tool("python3")).run([script] + arguments)
    }

    @Test(.requires(.python)) func thePageHasTheFiguresOfAllWorlds() throws {
        let help = try run(["--help"])
        #expect(help.status == 0, "\(help.text)")
        let named = try Page("Sources/Documentation/maintainers/SPEED.md").names(under: "Worlds")
        let worlds = help.text.matches(of: /(?m)^([a-z-]+)  +\S/).map { String($0.1) }
        #expect(worlds.count > 5 && named == worlds)
    }

    @Test(.requires(.python), .requires(.binary)) func theRequestsOfASmallWorldAreCounted() throws {
        let binary = try #require(BinaryUnderTest.path)
        let outcome = try run(["--binary", binary, "--worlds", "crowd", "--requests", "60"])
        #expect(outcome.status == 0, "\(outcome.text)")
        let row = outcome.text.split(separator: "\n").first { $0.hasPrefix("| `crowd` |") }
        let cells = try #require(row, "\(outcome.text)").split(separator: "|")
        let count = try #require(Int(cells[3].trimmingCharacters(in: .whitespaces)), "\(outcome.text)")
        #expect((1...120).contains(count), "\(outcome.text)")
    }
}
