import Foundation
import Testing

@testable import Cache

@Suite struct ReasonTests {
    @Test func everyReasonHasItsOwnWord() {
        let words = Reason.allCases.map(\.text)
        #expect(Set(words).count == words.count)
        #expect(words.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "-" } })
    }

    /// What operators meet in a header or a log they find in the README, and nothing that does not exist.
    @Test func theReadmeNamesEveryReasonAndNoOther() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        let rows = readme.split(separator: "\n").drop { $0 != "| | reasons |" }.dropFirst(2).prefix {
            $0.hasPrefix("|")
        }
        let named = rows.joined().split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map {
            String($0.element)
        }
        #expect(named.sorted() == Reason.allCases.map(\.text).sorted())
    }
}
