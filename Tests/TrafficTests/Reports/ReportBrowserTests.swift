import Foundation
import TestSupport
import Testing
import Text

@testable import Traffic

/// The pages as a browser shows them, of results of all shapes.
@Suite(.requires(.browser))
struct ReportBrowserTests {
    /// How many plots there are for each shape.
    static let shapes: KeyValuePairs = [
        "usual": 2, "empty": 0, "one request": 2, "nothing sent": 1, "all failed": 1, "two seconds": 2, "an hour": 2,
        "hostile": 2, "compared": 0,
    ]

    private static func page(_ shape: String) throws -> String {
        let usual = SyntheticResult.make(seed: 1, seconds: 60, rate: 100)
        var result = ReplayResult.empty(pace: "original timing")
        switch shape {
        case "empty": break
        case "one request":
            result = SyntheticResult.make(seed: 7, seconds: 1, rate: 2, stalls: 0)
            result.elapsed = .milliseconds(12)
        case "nothing sent":
            result.slots = [ReplayResult.Slot()]
            result.elapsed = .seconds(1)
        case "all failed":
            (result.planned, result.sent, result.failures) = (2, 2, ["connection refused": 2])
            result.slots = [ReplayResult.Slot(), ReplayResult.Slot()]
            result.slots[1].sent = 2
            result.slots[1].failed = 2
            result.elapsed = .seconds(2)
            result.invalidBecause = "the generator was late by 120 ms"
        case "two seconds": result = SyntheticResult.make(seed: 2, seconds: 2, rate: 40)
        case "an hour": result = SyntheticResult.make(seed: 3, seconds: 3600, rate: 3)
        case "hostile": result = hostile
        case "lagging":
            // The table of percentiles has a fifth column.
            result = usual
            result.withoutLag = Histogram()
            for _ in 0..<result.corrected.count { result.withoutLag.record(nanoseconds: 0) }
        case "compared":
            var other = SyntheticResult.make(seed: 9, seconds: 50, rate: 90, hitShare: 0.6)
            // All latencies are marked as the generator's, which is the widest that they get.
            other.withoutLag = Histogram()
            for _ in 0..<other.corrected.count { other.withoutLag.record(nanoseconds: 0) }
            return ReplayComparison(("before.json", usual), ("after.json", other)).page
        default: result = usual
        }
        let verdicts = try ["p99>50ms", "hit<0.8", "diff>0"].map { try Threshold($0).verdict(on: result) }
        return HTMLReport.page(of: result, thresholds: verdicts)
    }

    private static let script =
        "\"'></title></style><script>document.title = 'run'</script><img src=x onerror=alert(1)>"

    private static var hostile: ReplayResult {
        var result = SyntheticResult.make(seed: 5, seconds: 3, rate: 50)
        result.file = script
        result.target = String(repeating: "long", count: 200) + script
        result.pace = script
        result.failures = [script: 1, String(repeating: "x", count: 300): 2]
        result.skipped = [script: 1]
        result.outcomes[script] = 5
        result.invalidBecause = script
        for failure in [FailedRequest.Failure.unanswered(script), .status(503)] {
            result.failedRequests.note(
                FailedRequest(
                    index: 3, method: script, target: "/v1/" + String(repeating: "long", count: 200), failure: failure,
                    recordedStatus: 200, due: .seconds(2), waited: .seconds(1)))
        }
        result.verification.note(
            .init(
                index: 1, method: script, target: script, what: script, expected: script + "\u{202E}", found: script))
        return result
    }

    private func open(_ shape: String, in browser: HeadlessBrowser) throws {
        try show(Self.page(shape), in: browser)
    }

    private func show(_ page: String, in browser: HeadlessBrowser) throws {
        let folder = try TemporaryFolder()
        try folder.put(page.utf8, "report.html")
        try browser.open(folder.url.appendingPathComponent("report.html").absoluteString)
    }

    /// Labels of an axis that touch each other.
    private static let touchingLabels = """
        [...document.querySelectorAll('.x, .y')].flatMap(axis => {
          const places = [...axis.children].map(l => l.getBoundingClientRect()).filter(r => r.width > 0)
          return places.flatMap((a, i) => places.slice(i + 1).filter(b =>
            a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom))
        }).length
        """

    /// Lines that leave the frame, whose coordinates they have.
    private static let strayLines = """
        [...document.querySelectorAll('.frame .line')].map(p => p.getBBox())
          .filter(b => b.x < 0 || b.y < 0 || b.x + b.width > 1000.01 || b.y + b.height > 300.01).length
        """

    /// One browser for all: starting it takes longer than looking.
    @Test func nothingOverflowsTouchesOrIsPaleAndEveryPlotIsDrawn() throws {
        let browser = try HeadlessBrowser()
        for (shape, plots) in Self.shapes {
            try open(shape, in: browser)
            for (scheme, width) in [("light", 1280), ("dark", 1280), ("light", 375), ("dark", 375)] {
                try browser.prefer(scheme)
                try browser.resize(width: width)
                let overflow = try browser.text("document.documentElement.scrollWidth - innerWidth")
                #expect(Int(overflow) ?? 1 <= 0, "\(shape), \(width) \(scheme): too wide by \(overflow)")
                #expect(try browser.text(Self.touchingLabels) == "0", "\(shape), \(width) \(scheme)")
                #expect(try browser.paleTexts() == "", "\(shape), \(width) \(scheme)")
            }
            let drawn = "svg => [...svg.querySelectorAll('.line')].some(line => line.getTotalLength() > 0)"
            let named = "document.querySelectorAll('.frame svg[role=img] > title').length"
            #expect(try browser.text(named) == "\(plots)", "\(shape)")
            #expect(
                try browser.text("[...document.querySelectorAll('.frame svg')].filter(\(drawn)).length") == "\(plots)",
                "\(shape)")
            #expect(try browser.text(Self.strayLines) == "0", "\(shape)")
        }
        #expect(browser.complaints == [])
    }

    @Test func textsOfARecordingAreNoMarkup() throws {
        let browser = try HeadlessBrowser()
        try open("hostile", in: browser)
        #expect(try browser.text("document.querySelectorAll('img').length") == "0")
        #expect(try browser.text("document.scripts.length") == "2")
        #expect(try browser.text("document.title") == "Replay of " + Self.script)
        #expect(try browser.text("document.querySelector('h1').textContent") == "Replay of " + Self.script)
        let turned = "[...document.querySelectorAll('td')].filter(cell => cell.textContent.includes('u{202e}')).length"
        #expect(try browser.text(turned) == "1")
        #expect(browser.complaints == [])
    }

    /// The last columns of a comparison were beyond the edge of a page of 1280 pixels.
    @Test func tablesSayWhatPlotsShowAndFitThePage() throws {
        let browser = try HeadlessBrowser()
        try open("usual", in: browser)
        #expect(try browser.text("document.querySelectorAll('details tbody tr').length") == "60")
        for (elements, rule) in [("table", "e.caption && e.tHead"), (".scroll", "e.getAttribute('aria-label')")] {
            #expect(try browser.text("[...document.querySelectorAll('\(elements)')].every(e => \(rule))") == "true")
        }
        let cut = "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth).length"
        for shape in ["usual", "compared", "lagging", "hostile"] {
            try open(shape, in: browser)
            for width in [1280, 1100, 1000] {
                try browser.resize(width: width)
                #expect(try browser.text(cut) == "0", "\(shape), \(width)")
            }
        }
    }

    /// Paper scrolls and opens nothing: all of each table must be there, at the width of A4.
    @Test func paperShowsAllOfEachTable() throws {
        let browser = try HeadlessBrowser()
        for shape in ["usual", "compared", "lagging", "hostile"] {
            try open(shape, in: browser)
            try browser.prefer("dark", media: "print")
            try browser.resize(width: 680)
            let hidden =
                "[...document.querySelectorAll('tr')].filter(e => e.getBoundingClientRect().height == 0).length"
            let cut =
                "[...document.querySelectorAll('.scroll')].filter(e => e.scrollWidth > e.clientWidth || "
                + "e.scrollHeight > e.clientHeight).length"
            #expect(try browser.text(hidden) == "0" && browser.text(cut) == "0", "\(shape)")
            #expect(Int(try browser.text("document.documentElement.scrollWidth - innerWidth")) ?? 1 <= 0, "\(shape)")
            #expect(try browser.text("getComputedStyle(document.body).color") == "rgb(0, 0, 0)", "\(shape)")
        }
    }

    /// Labels of an axis, as the page has them.
    private func labels(_ axis: String, of result: ReplayResult, in browser: HeadlessBrowser) throws -> [[String]] {
        try show(HTMLReport.page(of: result), in: browser)
        let texts = "a => [...a.children].map(label => label.textContent).join()"
        let axes = "[...document.querySelectorAll('.\(axis)')].map(\(texts)).join('|')"
        return try browser.text(axes).split(separator: "|").map {
            $0.split(separator: ",").map(String.init)
        }
    }

    /// A run of slots with these latencies and counts.
    private func run(_ slots: [(latency: Int?, sent: Int)], each: Duration = .seconds(1)) -> ReplayResult {
        var result = ReplayResult.empty()
        result.slotLength = each
        result.slots = slots.map { slot in
            ReplayResult.Slot(
                sent: slot.sent, answered: slot.sent, median: slot.latency, p99: slot.latency, maximum: slot.latency)
        }
        result.elapsed = each * slots.count
        return result
    }

    @Test func axesEndAtRoundNumbersInTheirUnits() throws {
        let browser = try HeadlessBrowser()
        let scales: [(latencies: [Int], sent: Int, [String], [String])] = [
            ([120_000, 1_900_000], 512, ["100 µs", "200 µs", "500 µs", "1 ms", "2 ms"], ["0", "200", "400", "600"]),
            (
                [90_000, 2_000_000_000], 51_200, ["100 µs", "1 ms", "10 ms", "100 ms", "1 s"],
                ["0", "20K", "40K", "60K"]
            ),
            ([1_000_000], 0, ["1 ms", "2 ms"], ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        ]
        for (latencies, sent, first, second) in scales {
            let result = run(latencies.map { ($0, sent) })
            #expect(try labels("y", of: result, in: browser) == [first, second])
        }
        // Steps of less than a thousandth were all written as 0.
        let rare = run([(1_000_000, 1), (1_000_000, 0)], each: .seconds(1000))
        #expect(try labels("y", of: rare, in: browser)[1] == ["0", "0.0002", "0.0004", "0.0006", "0.0008", "0.001"])
        let times: [(Int, Duration, [String])] = [
            (1, .milliseconds(12), ["0 ms", "10 ms"]), (2, .seconds(1), ["0 s", "0.5 s", "1 s", "1.5 s", "2 s"]),
            (60, .seconds(1), ["0:00", "0:10"]), (60, .seconds(120), ["0:00", "30:00", "1:00:00"]),
            (30, .seconds(86_400), ["0:00", "120:00:00"]),
        ]
        for (count, each, first) in times {
            let result = run(Array(repeating: (1_000_000, 1), count: count), each: each)
            let shown = try labels("x", of: result, in: browser)[0]
            #expect(shown.starts(with: first) && shown.count <= 7, "\(shown)")
        }
        #expect(browser.complaints == [])
    }

    /// Ten milliseconds with three answers are no 300 a second.
    @Test func slotsAreSummedAndAShortRestGivesNoRate() throws {
        let browser = try HeadlessBrowser()
        var result = run((0..<61).map { ($0 == 3 ? nil : 1_000_000 * ($0 + 1), 20) })
        try show(HTMLReport.page(of: result), in: browser)
        let cells = "[...document.querySelectorAll('details tbody tr')].map(r => [...r.cells].map(c => c.textContent))"
        #expect(try browser.text("\(cells).length") == "31")
        #expect(try browser.text("\(cells)[0].join('|')") == "0:00|40|40|0|0|0|2 ms|2 ms|2 ms")
        #expect(try browser.text("\(cells)[1].join('|')") == "0:02|40|40|0|0|0|3 ms|3 ms|3 ms")
        let ends = "document.querySelector('.frame .s-answered').getBBox().width"
        result = run([(1_000_000, 20), (1_000_000, 20), (1_000_000, 3)])
        for (elapsed, width) in [(Duration.milliseconds(2010), "995"), (.milliseconds(2600), "1000")] {
            result.elapsed = elapsed
            try show(HTMLReport.page(of: result), in: browser)
            #expect(try browser.text("Math.round(\(ends))") == width)
        }
    }
}
