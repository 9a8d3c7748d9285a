import Testing
import Text

@testable import refrain

/// Frames for terminals of several sizes.
@Suite struct TopScreenTests {
    private static func row(_ target: String, _ count: Int, _ seconds: Double) -> String {
        #"{"target":"\#(target)","count":\#(count),"seconds":\#(seconds),"reason":"uri-miss"}"#
    }

    private static let stats: JSON = {
        let rows = [row("/v1/b", 1, 9), row("/v1/c", 5, 3), row("/v1/a", 3, 3)]
        let long = row("/v1/catalog/us/search?term=" + String(repeating: "x", count: 300), 2, 1)
        let reasons = String(repeating: "r", count: 80)
        let text = """
            {"version":"9.9","time":1100,"started_at":1000,"upstream_rate":20,"rate_limited":123456,
            "outcomes":{"hit":90,"stale-if-error":10},"developer_token_refused":true,
            "tier":{"standing":"ready","words":"ready","nodes":3,"nodes_alive":2,"lag":123456,"breakers_open":2,
            "lookups":{"looks":1000000000,"taken":600000000}},
            "config":{"last_failure":"\(reasons)\(reasons)\(reasons)"},
            "latency":{"hit":{"buckets":[[8.0,90]]}},
            "top_misses":[\((rows + [long]).joined(separator: ","))],"top_targets":[\(long)]}
            """
        return (try? JSON.parse(Array(text.utf8))) ?? .null
    }()

    private static func frame(width: Int, lines: Int? = 40) -> String {
        TopScreen(
            stats: stats, interval: Interval(stats, since: nil, seconds: 100), width: width, lines: lines
        ).text
    }

    /// Where not even one row of each list has room, the terminal cuts the end.
    @Test(arguments: [40, 60, 80, 120, 200], [24, 60]) func noLineIsWiderAndNoFrameIsLonger(width: Int, lines: Int) {
        let shown = Self.frame(width: width, lines: lines).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(shown.allSatisfy { $0.count <= width }, "\(shown.map(\.count).max() ?? 0)")
        #expect(shown.count <= lines)
    }

    /// At 80 columns the targets were cut to make room for the reason; a wide terminal shows all
    /// that it has room for.
    @Test func theWiderTheMoreIsShown() {
        let frames = [60, 80, 120, 200].map { Self.frame(width: $0) }
        #expect(frames.map { $0.contains("reason") } == [false, true, true, true])
        let longest = frames.map { frame in
            frame.split(separator: "\n").filter { $0.contains("term=x") }.map { $0.filter { $0 == "x" }.count }.max()
                ?? 0
        }
        #expect(longest == longest.sorted() && longest[3] > longest[1] + 100)
    }
}
