import TestSupport
import Testing
import Text

@testable import refrain

/// Operators see the same numbers everywhere: of 40 requests 15 got a 503.
@Suite(.timeLimit(.minutes(10))) final class AnswersShownTests {
    private let origin: ScriptedOrigin
    private let scene: ProxyScene
    private let folder = try? TemporaryFolder()

    init() throws {
        origin = try ScriptedOrigin([
            .serve { request in
                let isGood = request.hasPrefix("GET /v1/catalog/us/albums/1 ")
                let content = isGood ? #"{"data":[{"id":"1","type":"albums"}]}"# : "{}"
                let status = isGood ? "200 OK" : "503 Service Unavailable"
                return Array("HTTP/1.1 \(status)\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)".utf8)
            }
        ])
        let keys = try #require(folder).put("phone 0123456789abcdef\n", "keys", mode: 0o600)
        scene = try ProxyScene("upstream http://127.0.0.1:\(origin.port)\nclient_keys_file \(keys)")
        for number in 0..<40 {
            let target = number % 8 < 3 ? "/v1/catalog/us/songs/\(number)" : "/v1/catalog/us/albums/1"
            _ = try scene.client.send("GET", target, fields: [("X-Refrain-Key", "0123456789abcdef")])
        }
    }

    deinit {
        scene.stop()
        origin.stop()
    }

    private func run(_ words: String...) -> RunResult {
        refrainTests.run(words + ["--admin", "http://127.0.0.1:\(scene.proxy.adminAddress?.port ?? 0)"])
    }

    /// Each line with single spaces.
    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test func statsAndTopShowThem() throws {
        let stats = Self.lines(run("stats").standard)
        for line in [
            "2xx 25 62.5 % of answers", "5xx 15 37.5 % of answers", "503 15 37.5 % of answers",
            "phone 40 2xx 25, 5xx 15", "hit ratio 60.0 % hits of hits and misses", "without the proxy 40",
            "sent to Apple 16 40.0 % of those without the proxy", "saved 24 60.0 % of those without the proxy",
            "by hits 24 60.0 % of those without the proxy", "upstream_saved 24",
        ] { #expect(stats.contains(line), "\(line)\n\(stats.joined(separator: "\n"))") }
        let json = try JSON.parse(Array(run("stats", "--json").standard.utf8))
        #expect(json["answers"]?["statuses"]?["503"] == 15 && json["answers"]?["classes"]?["5xx"] == 15)
        #expect(json["answers"]?["outcomes"]?["miss"]?["5xx"] == 15)
        #expect(json["clients"]?[0]?["answers"]?["5xx"] == 15)
        #expect(json["savings"]?["saved"] == 24 && json["upstream_saved"] == 24 && json["hit_ratio"] == .number("0.6"))
        let top = run("top", "--once").standard
        #expect(top.contains("\nanswers: 200 25 (62.5 %), 503 15 (37.5 %)\n"), "\(top)")
        #expect(
            top.contains("\nto Apple since start: 40 without the proxy, 16 sent, 24 saved (60.0 %): by hits 24\n"),
            "\(top)")
        let once = try JSON.parse(Array(run("top", "--once", "--json").standard.utf8))
        #expect(once["statuses"]?["503"] == 15 && once["hit_ratio"] == .number("0.6"))
    }

    @Test func metricsShowThem() throws {
        let metrics = String(decoding: try scene.admin.send("GET", "/metrics").body, as: UTF8.self)
        for line in [
            #"refrain_answers_total{status="200"} 25"#, #"refrain_answers_total{status="503"} 15"#,
            #"refrain_answers_total{status="429"} 0"#,
            #"refrain_answers_by_outcome_total{outcome="miss",class="5xx"} 15"#,
            #"refrain_client_answers_total{client="phone",class="5xx"} 15"#, "refrain_hit_ratio 0.6",
            "refrain_upstream_without_proxy_total 40", "refrain_upstream_sent_total 16",
            "refrain_upstream_saved_total 24", #"refrain_upstream_saved_by_way_total{way="hits"} 24"#,
            #"refrain_upstream_saved_by_way_total{way="joining"} 0"#,
        ] { #expect(metrics.contains("\n\(line)\n"), "\(line)") }
    }

    @Test func theDashboardShowsThem() throws {
        let page = String(decoding: try scene.admin.send("GET", "/").body, as: UTF8.self)
        func row(_ cells: [String]) -> String {
            "<tr><th scope=row>\(cells[0])</th>"
                + cells.dropFirst().map { "<td class=n>\($0)</td>" }.joined() + "</tr>"
        }
        for cells in [
            ["5xx", "15", "37.5 %", "15", "37.5 %"], ["503", "", "", "15", "37.5 %"],
            ["without the proxy", "40", "100 %", "40", "100 %"], ["sent to Apple", "16", "40.0 %", "16", "40.0 %"],
            ["saved", "24", "60.0 %", "24", "60.0 %"], ["by hits", "24", "60.0 %", "24", "60.0 %"],
        ] { #expect(page.contains(row(cells)), "\(cells)") }
        #expect(page.contains("<b id=\"saved\">60.0 %</b> <span id=\"saved-hour\">24 in the hour</span>"))
        #expect(page.contains("<span id=\"ratio-hour\">60.0 % over the hour</span>"))
        #expect(page.contains("<th scope=row>phone</th><td class=n>40</td><td class=n>0</td><td class=n>15</td>"))
    }
}
