import Foundation
import Testing

@testable import Admin
@testable import Proxy
@testable import refrain

extension MetricFamily {
    static let outcomeNames = Set(Outcome.allCases.map(\.name))
}

/// The alert rules and the dashboard that are delivered use names that the program has.
@Suite struct MonitoringFilesTests {
    static let folder = Page.top.appendingPathComponent("Sources/Deployment/prometheus").path

    /// Each on a line of its own.
    static func alertExpressions() throws -> [String] {
        try Page("Sources/Deployment/prometheus/alerts.yml").lines.compactMap { line in
            line.wholeMatch(of: /\s+expr: (.+)/).map { String($0.1) }
        }
    }

    static func dashboard() throws -> [String: Any] {
        let data = try Data(contentsOf: Page.top.appendingPathComponent("Sources/Deployment/grafana/refrain.json"))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    static func panels() throws -> [[String: Any]] {
        try #require(try dashboard()["panels"] as? [[String: Any]]).filter { $0["type"] as? String != "row" }
    }

    static func dashboardExpressions() throws -> [String] {
        try panels().flatMap { panel in
            (panel["targets"] as? [[String: Any]] ?? []).compactMap { $0["expr"] as? String }
        }
    }

    @Test func alertsNameWhatExists() throws {
        let alerts = try Page("Sources/Deployment/prometheus/alerts.yml").lines.filter { $0.contains("- alert: ") }
        let expressions = try Self.alertExpressions()
        #expect(expressions.count == alerts.count && !alerts.isEmpty && Set(alerts).count == alerts.count)
        for text in expressions { #expect(Expression(text).problems.isEmpty, "\(text)") }
    }

    @Test func theDashboardNamesWhatExists() throws {
        let expressions = try Self.dashboardExpressions()
        #expect(expressions.count > 30)
        for text in expressions {
            let expression = Expression(text)
            #expect(expression.problems.isEmpty && !expression.families.isEmpty, "\(text)")
            #expect(text.contains("$instance"), "\(text)")
        }
    }

    @Test func everyPanelIsWhole() throws {
        let panels = try Self.panels()
        #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
        for panel in panels {
            #expect((panel["title"] as? String)?.isEmpty == false && panel["gridPos"] != nil)
            #expect((panel["targets"] as? [[String: Any]])?.isEmpty == false)
        }
        let variables = (try Self.dashboard()["templating"] as? [String: Any])?["list"] as? [[String: Any]]
        #expect(variables?.compactMap { $0["name"] as? String } == ["datasource", "instance"])
        let query = try #require(variables?.last?["query"] as? String)
        #expect(Expression(query).problems.isEmpty)
    }

    @Test func unknownNamesAreFound() {
        let cases = [
            "rate(refrain_request_total[5m])", "refrain_request_duration_seconds > 1",
            "refrain_requests_total{result=\"hit\"}",
            "sum by (tier) (refrain_requests_total)", "refrain_requests_total{outcome=\"hits\"}",
            "refrain_hits_total_bucket",
        ]
        for text in cases { #expect(Expression(text).problems.count == 1, "\(text)") }
    }
}
