import Foundation
import Testing

/// The rows of the fault programme, the suites that run them and what `make faults` starts agree.
@Suite struct FaultsPageTests {
    private let rows: [[String]]
    /// By name, the module's tests that it belongs to.
    private let suites: [String: String]

    init() throws {
        rows = try Page("Sources/Documentation/maintainers/FAULTS.md").table(under: "The rows")
        var suites: [String: String] = [:]
        let tests = Page.top.appendingPathComponent("Tests")
        for path in try FileManager.default.subpathsOfDirectory(atPath: tests.path) where path.hasSuffix("Tests.swift")
        {
            let parts = path.dropLast(".swift".count).split(separator: "/")
            suites[String(parts[parts.count - 1])] = String(parts[0])
        }
        self.suites = suites
    }

    private static func suites(in text: some StringProtocol) -> [String] {
        String(text).matches(of: /`([A-Z][A-Za-z0-9]*Tests)`/).map { String($0.1) }
    }

    @Test func everyFaultHasItsRow() {
        let names = Set(rows.map { $0[0] })
        for number in 1...19 { #expect(names.contains("F\(number)"), "F\(number)") }
    }

    @Test func everySuiteOfARowIsThereAndIsStarted() throws {
        let makefile = try Page("Makefile").lines
        let pattern = try #require(makefile.first { $0.hasPrefix("FAULTS = ") }).dropFirst("FAULTS = ".count)
        let expression = try Regex(String(pattern))
        for row in rows {
            let last = try #require(row.last)
            let named = Self.suites(in: last)
            #expect(!named.isEmpty || last.contains("`make "), "\(row[0]) is run by nothing")
            for suite in named {
                let module = try #require(suites[suite], "\(row[0]): there is no \(suite)")
                let isStarted = "\(module).\(suite)/aTest()".contains(expression)
                #expect(isStarted || last.contains("`make "), "\(row[0]): make faults leaves \(suite) out")
            }
        }
    }

    @Test func everySuiteThatAPromiseNamesIsThere() throws {
        let named = try Page("Sources/Documentation/maintainers/TRUST.md").lines.flatMap { Self.suites(in: $0) }
        #expect(!named.isEmpty)
        for suite in named where suite != "Tests" { #expect(suites[suite] != nil, "there is no \(suite)") }
    }
}
