import Foundation
import Testing

@testable import Bench

@Suite struct ResultsDocumentTests {
    private let machine = Machine(
        processor: "A \"fast\" \\ one\n", cores: 2, memoryMiB: 1024, kernel: "6.1", programs: [("nginx", "1.2.3")])

    /// Through another parser than the one that belongs to the writer.
    private func parsed(_ rows: [ResultRow], failures: [String] = []) throws -> [String: Any] {
        let json = ResultsDocument.json(rows, machine: machine, plan: RoundPlan(), failures: failures)
        let object = try JSONSerialization.jsonObject(with: Data(json.description.utf8))
        return try #require(object as? [String: Any])
    }

    @Test func textIsEscaped() throws {
        let row = ResultRow(measurement: "m", name: "quote \" backslash \\ tab \t bell \u{7} é", unit: "u")
        let object = try parsed([row], failures: ["line\nbreak"])
        let rows = try #require(object["rows"] as? [[String: Any]])
        #expect(rows[0]["name"] as? String == row.name)
        #expect((object["machine"] as? [String: Any])?["processor"] as? String == machine.processor)
        #expect(object["failures"] as? [String] == ["line\nbreak"])
    }

    @Test func figuresRatiosAndTargetsAreThere() throws {
        let row = ResultRow(
            measurement: "m", name: "n", unit: "u", ours: 2.5,
            others: [Other(name: "nginx", figure: 2, ratio: 1.25, target: .atLeast(1.3))])
        let written = try #require((try parsed([row])["rows"] as? [[String: Any]])?.first)
        #expect(written["refrain"] as? Double == 2.5)
        #expect(written["target"] is NSNull)
        let other = try #require((written["others"] as? [[String: Any]])?.first)
        #expect(other["figure"] as? Int == 2)
        #expect(other["ratio"] as? Double == 1.25)
        let target = try #require(other["target"] as? [String: Any])
        #expect(target["comparison"] as? String == ">=")
        #expect(target["bound"] as? Double == 1.3)
        #expect(target["met"] as? Bool == false)
    }

    @Test func whatIsNoNumberIsNull() throws {
        for value in [Double.nan, .infinity, -.infinity] {
            let written = try parsed([ResultRow(measurement: "m", name: "n", unit: "u", ours: value)])["rows"]
            #expect((written as? [[String: Any]])?.first?["refrain"] is NSNull)
        }
    }
}
