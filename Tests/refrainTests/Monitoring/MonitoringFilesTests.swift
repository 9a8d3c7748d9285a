import Foundation
import TestSupport
import Testing

@testable import Admin
@testable import Proxy
@testable import refrain

/// The alert rules and the dashboard that are delivered use names that the program has.
@Suite(.timeLimit(.minutes(10))) struct MonitoringFilesTests {
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

    @Test func alertsAndDashboardNameWhatExists() throws {
        let alerts = try Page("Sources/Deployment/prometheus/alerts.yml").lines.filter { $0.contains("- alert: ") }
        let expressions = try Self.alertExpressions()
        #expect(expressions.count == alerts.count && !alerts.isEmpty && Set(alerts).count == alerts.count)
        for text in expressions { #expect(Expression(text).problems.isEmpty, "\(text)") }
        let shown = try Self.dashboardExpressions()
        #expect(shown.count > 30)
        for text in shown {
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

/// The metrics and labels that a PromQL expression names; enough of the language to hold the
/// project's own to the table.
struct Expression {
    let text: String
    private(set) var problems: [String] = []
    private(set) var families: [MetricFamily] = []

    /// Labels that Prometheus itself adds to a scraped series.
    private static let scrapeLabels: Set = ["job", "instance"]
    private static let functions: Set = [
        "sum", "min", "rate", "increase", "histogram_quantile", "time", "by", "without", "or", "label_values",
        "Inf", "abs",
    ]

    init(_ text: String) {
        self.text = text
        var rest = text
        // Label matchers, with the metric before them.
        for match in text.matches(of: /([a-z_]+)\{([^}]*)\}/) {
            let matchers = match.2.matches(of: /([a-z_]+)=~?"([^"]*)"/)
            let left = matchers.reduce(String(match.2)) { $0.replacing(String($1.0), with: "") }
            if !left.allSatisfy({ $0 == "," || $0 == " " }) { problems.append("not understood: \(match.0)") }
            note(String(match.1), labels: matchers.map { String($0.1) })
            for matcher in matchers where matcher.1 == "outcome" { noteOutcomes(String(matcher.2)) }
        }
        rest = rest.replacing(/\{[^}]*\}/, with: "").replacing(/\[[^\]]*\]/, with: "")
        let groups = rest.matches(of: /(?:by|without) \(([^)]*)\)/)
        rest = rest.replacing(/(?:by|without) \([^)]*\)/, with: "").replacing(/label_values\(([a-z_]+), [a-z_]+\)/) {
            "\($0.1)"
        }
        for match in rest.matches(of: /[a-zA-Z_]+/) where !Self.functions.contains(String(match.0)) {
            note(String(match.0), labels: [])
        }
        let known = families.reduce(into: Self.scrapeLabels.union(["le"])) { $0.formUnion($1.labels) }
        for group in groups {
            for label in group.1.split(separator: ",").map({ $0.filter { $0 != " " } }) where !known.contains(label) {
                problems.append("no metric here has the label \(label)")
            }
        }
    }

    private mutating func note(_ name: String, labels: [String]) {
        if name == "up" { return }
        let family = MetricFamily.table.first { family in
            switch family.kind {
            case .counter, .gauge: family.name == name
            case .histogram: ["_bucket", "_sum", "_count"].contains { family.name + $0 == name }
            case .summary: ["_sum", "_count"].contains { family.name + $0 == name }
            }
        }
        guard let family else { return problems.append("there is no metric \(name)") }
        families.append(family)
        let known = Self.scrapeLabels.union(family.labels)
        for label in labels where !known.contains(label) { problems.append("\(name) has no label \(label)") }
    }

    private mutating func noteOutcomes(_ value: String) {
        for name in value.split(separator: "|") where !Outcome.allCases.contains(where: { $0.name == name }) {
            problems.append("there is no outcome \(name)")
        }
    }
}

/// The metrics in a real Prometheus, which scrapes a demonstration in this process.
@Suite(.timeLimit(.minutes(10))) struct PrometheusTests {
    private static let promtool = Tool("promtool")

    @Test(.requires(.prometheus))
    func aRealPrometheusScrapesAndEvaluatesEverything() throws {
        let running = try RunningDemo()
        defer { running.stop() }
        let requests = 5
        for _ in 0..<requests { #expect(try running.client.send("GET", running.album).status == 200) }
        let scraper = try Scraper(target: running.admin)
        waitUntil(within: 30) { (try? scraper.value("up{job=\"refrain\"}")) == 1 }
        #expect(try scraper.value("up{job=\"refrain\"}") == 1, "\(scraper.log)")
        #expect(try scraper.value("sum(refrain_requests_total)") == Double(requests))
        #expect(try scraper.value("refrain_requests_total{outcome=\"hit\"}") == Double(requests - 1))
        #expect(try scraper.value("refrain_upstream_requests_total{priority=\"client\",status=\"200\"}") == 1)
        #expect(try scraper.value("refrain_request_duration_seconds_count{outcome=\"miss\"}") == 1)
        #expect(try scraper.value("refrain_upstream_rate_limit") == .infinity)
        #expect(try scraper.value("refrain_developer_token_expiry_timestamp_seconds > bool time()") == 1)
        let expressions = try MonitoringFilesTests.dashboardExpressions() + MonitoringFilesTests.alertExpressions()
        for text in expressions {
            let filled = ["$__rate_interval": "1m", "$__range": "1m", "$instance": ".*"].reduce(text) {
                $0.replacing($1.key, with: $1.value)
            }
            #expect(throws: Never.self, "\(text)") { try scraper.query(filled) }
        }
        let groups = (try scraper.get("/api/v1/rules")["data"] as? [String: Any])?["groups"] as? [[String: Any]]
        #expect((groups?.first?["rules"] as? [Any])?.count == (try MonitoringFilesTests.alertExpressions().count))
    }

    @Test(.requires(.promtool))
    func promtoolHasNoComplaints() throws {
        let running = try RunningDemo()
        defer { running.stop() }
        #expect(try running.client.send("GET", running.album).status == 200)
        let metrics = try HTTPTestClient(port: running.admin).send("GET", "/metrics").body
        let folder = try TemporaryFolder()
        let path = try folder.put(metrics, "metrics")
        let checked = try #require(Tool("sh")).run(["-c", "promtool check metrics <\"$0\"", path])
        #expect(checked.status == 0 && checked.text.isEmpty, "\(checked.text)")
        let rules = MonitoringFilesTests.folder
        for words in [["check", "rules", "\(rules)/alerts.yml"], ["test", "rules", "\(rules)/alerts.test.yml"]] {
            let outcome = try #require(Self.promtool).run(words)
            #expect(outcome.status == 0 && outcome.text.contains("SUCCESS"), "\(outcome.text)")
        }
    }
}

/// A Prometheus of its own, with everything that it writes in a folder that goes with it.
private final class Scraper {
    private let process: ChildProcess
    private let folder: TemporaryFolder
    private let port: Int

    init(target: Int) throws {
        folder = try TemporaryFolder()
        port = Int(try RawSocket.freePort())
        let configuration = """
            global: {scrape_interval: 200ms, scrape_timeout: 200ms, evaluation_interval: 1s}
            rule_files: ["\(MonitoringFilesTests.folder)/alerts.yml"]
            scrape_configs:
              - job_name: refrain
                static_configs: [{targets: ["127.0.0.1:\(target)"]}]

            """
        try folder.put(configuration.utf8, "prometheus.yml")
        process = try ChildProcess(
            [
                try #require(Tool("prometheus")).path, "--config.file=\(folder.path)/prometheus.yml",
                "--storage.tsdb.path=\(folder.path)/data", "--web.listen-address=127.0.0.1:\(port)",
                "--log.level=warn",
            ], output: folder.file("log"))
    }

    /// Before its folder goes.
    deinit { process.kill() }

    private struct NoAnswer: Error {
        let status: Int
    }

    var log: String { folder.text("log") }

    func get(_ target: String) throws -> [String: Any] {
        let reply = try HTTPTestClient(port: port).send("GET", target)
        // While it starts it answers 503.
        guard let answer = reply.json as? [String: Any] else { throw NoAnswer(status: reply.status) }
        return answer
    }

    /// The values of the series that `expression` selects now.
    @discardableResult func query(_ expression: String) throws -> [Double] {
        let encoded = try #require(expression.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let answer = try get("/api/v1/query?query=\(encoded)")
        let data = try #require(answer["data"] as? [String: Any], "\(answer)")
        let series = try #require(data["result"] as? [[String: Any]], "\(answer)")
        return try series.map { one in
            let text = try #require((one["value"] as? [Any])?.last as? String)
            return text == "+Inf" ? .infinity : try #require(Double(text))
        }
    }

    /// The one value; nil where there is none.
    func value(_ expression: String) throws -> Double? {
        let values = try query(expression)
        #expect(values.count <= 1)
        return values.first
    }
}
