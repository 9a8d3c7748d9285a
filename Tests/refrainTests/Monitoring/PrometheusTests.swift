import Foundation
import TestSupport
import Testing

@testable import refrain

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
            let filled = text.replacing("$__rate_interval", with: "1m").replacing("$instance", with: ".*")
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
        try withTemporaryDirectory { directory in
            try metrics.write(to: directory.appendingPathComponent("metrics"))
            let outcome = try #require(Tool("sh")).run(["-c", "promtool check metrics < metrics"], in: directory)
            #expect(outcome.status == 0 && outcome.text.isEmpty, "\(outcome.text)")
        }
        let folder = MonitoringFilesTests.folder
        for words in [["check", "rules", "\(folder)/alerts.yml"], ["test", "rules", "\(folder)/alerts.test.yml"]] {
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

    var log: String { (try? String(contentsOfFile: folder.file("log"), encoding: .utf8)) ?? "" }

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
