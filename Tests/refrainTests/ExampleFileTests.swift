import Foundation
import Testing

@testable import refrain

/// The example file is written for people and held to the table by these tests.
@Suite struct ExampleFileTests {
    private let text: String

    init() throws {
        text = try String(contentsOf: Page.top.appendingPathComponent("proxy.conf.example"), encoding: .utf8)
    }

    @Test func isAConfigurationOfTheDefaults() throws {
        #expect(try read(text).configuration == ConfigurationReader.standard().configuration)
    }

    @Test(arguments: Directive.table.map(\.name)) func showsEachDirectiveWithItsDefaultAndWhy(_ name: String) throws {
        let directive = try #require(Directive.named(name))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let expected =
            directive.defaults.isEmpty
            ? ["# \(name) \(directive.arguments)"] : directive.defaults.map { "\(name) \($0)" }
        let first = try #require(lines.firstIndex(of: expected[0]), "\(expected[0])")
        #expect(Array(lines[first..<(first + expected.count)]) == expected)
        #expect(lines[first - 1] == "# \(directive.why)")
    }
}
