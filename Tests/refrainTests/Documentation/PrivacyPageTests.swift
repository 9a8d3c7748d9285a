import Foundation
import Testing

/// PRIVACY.md names everything that is put into the shared engine.
@Suite struct PrivacyPageTests {
    /// Four of the keys were in no line of the table.
    @Test func everyKeyOfTheEngineIsListedAndNoOther() throws {
        let page = try Page("Sources/Documentation/PRIVACY.md")
        let rows = page.lines.drop { !$0.hasPrefix("| what | key |") }.dropFirst(2).prefix { $0.hasPrefix("| ") }
        let listed = rows.compactMap { row -> String? in
            let name = row.split(separator: "|").dropFirst().first?.trimmingCharacters(in: ["`", " "])
            return name?.replacing(/(HASH|NUMBER)$/, with: "")
        }
        let source = try String(
            contentsOf: Page.top.appendingPathComponent("Sources/Tier/Storing/TierKeys.swift"), encoding: .utf8)
        let names = source.matches(of: /bytes\("([^"]+)"/).map { String($0.output.1) }
        #expect(names.count >= 9 && names.sorted() == listed.sorted())
    }
}
