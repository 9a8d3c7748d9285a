import Testing
import Text

@testable import refrain

/// Scripts of keys, and the frames that they lead to.
@Suite struct TopSessionTests {
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
            "history":{"outcomes":{"hit":[\((1...360).map(String.init).joined(separator: ","))]}},
            "top_misses":[\((rows + [long]).joined(separator: ","))],"top_targets":[\(long)]}
            """
        return (try? JSON.parse(Array(text.utf8))) ?? .null
    }()

    private static func frame(_ session: TopSession, width: Int = 80, lines: Int? = 40) -> String {
        TopScreen(
            stats: stats, interval: Interval(stats, since: nil, seconds: 100),
            terminal: Terminal(width: width, hasColour: false), lines: lines, session: session
        ).text
    }

    /// The targets of the list of misses, from the top down.
    private static func misses(_ frame: String) -> [String] {
        let list = frame.split(separator: "\n", omittingEmptySubsequences: false).drop { !$0.hasPrefix("waited") }
        return list.dropFirst().prefix { !$0.isEmpty }.compactMap { $0.split(separator: " ").last }
            .map(String.init).filter { $0.count < 10 }
    }

    private static func press(_ keys: String, _ session: inout TopSession) -> [TopSession.Action] {
        keys.utf8.map { session.press($0) }
    }

    @Test func listsStandInTheOrderThatIsChosen() {
        var session = TopSession()
        #expect(Self.misses(Self.frame(session)) == ["/v1/b", "/v1/c", "/v1/a"])
        let script: [(key: String, targets: [String], footer: String)] = [
            ("r", ["/v1/c", "/v1/a", "/v1/b"], "lists by requests"),
            ("n", ["/v1/a", "/v1/b", "/v1/c"], "lists by name"),
            ("i", ["/v1/c", "/v1/b", "/v1/a"], "lists by name, turned round"),
            ("w", ["/v1/b", "/v1/c", "/v1/a"], "lists by waited"),
        ]
        for (key, targets, footer) in script {
            #expect(Self.press(key, &session) == [.redraw])
            let frame = Self.frame(session)
            #expect(Self.misses(frame) == targets, "\(key)")
            #expect(frame.hasSuffix(footer), "\(key)")
        }
        #expect(Self.press("wx\u{1B}", &session) == [.nothing, .nothing, .nothing])
    }

    @Test func helpComesAndGoes() {
        var session = TopSession()
        #expect(Self.press("?", &session) == [.redraw])
        let help = Self.frame(session)
        #expect(help.contains("turns the order of the lists round") && Self.misses(help).isEmpty)
        #expect(help.hasSuffix(session.footer))
        #expect(Self.press("?", &session) == [.redraw] && !session.showsHelp)
        // Whatever else is pressed leads back too, and does what it does.
        #expect(Self.press("hn", &session) == [.redraw, .redraw] && !session.showsHelp && session.order == .name)
    }

    @Test func twoKeysLeaveAlsoFromTheHelp() {
        for keys in ["q", "?q", "\u{3}", "?\u{3}"] {
            var session = TopSession()
            #expect(Self.press(keys, &session).last == .leave, "\(keys)")
        }
    }

    @Test(arguments: [40, 60, 80, 120, 200], [10, 24, 60]) func noLineIsWiderAndNoFrameIsLonger(width: Int, lines: Int)
    {
        for keys in ["", "?", "n"] {
            var session = TopSession()
            _ = Self.press(keys, &session)
            let shown = Self.frame(session, width: width, lines: lines).split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect(shown.allSatisfy { $0.count <= width }, "\(keys): \(shown.map(\.count).max() ?? 0)")
            #expect(shown.count <= lines && shown.last?.hasPrefix("q leave") == true, "\(keys)")
        }
    }

    /// At 80 columns what was asked for was cut to make room for the reason; what a wide terminal
    /// has room for it shows.
    @Test func theWiderTheMoreIsShown() {
        let frames = [60, 80, 120, 200].map { Self.frame(TopSession(), width: $0) }
        #expect(frames.map { $0.contains("reason") } == [false, true, true, true])
        let longest = frames.map { frame in
            frame.split(separator: "\n").filter { $0.contains("term=x") }.map { $0.filter { $0 == "x" }.count }.max()
                ?? 0
        }
        #expect(longest == longest.sorted() && longest[3] > longest[1] + 100)
        let courses = frames.map { frame in frame.filter { "▁▂▃▄▅▆▇█".contains($0) }.count }
        #expect(courses == courses.sorted() && courses[3] > courses[1])
    }
}
