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
        "usual": 4, "empty": 0, "one request": 4, "nothing sent": 1, "all failed": 2, "two seconds": 4, "an hour": 4,
        "hostile": 4, "compared": 1,
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
        let folder = try TemporaryFolder()
        try folder.put(Self.page(shape).utf8, "report.html")
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

    /// Lines and areas that leave the frame, whose coordinates they have.
    private static let strayLines = """
        [...document.querySelectorAll('.frame .line, .frame .area')].map(p => p.getBBox())
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
            let drawn = "svg => [...svg.querySelectorAll('.line, .area')].some(line => line.getTotalLength() > 0)"
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
        #expect(try browser.text("document.querySelectorAll('script, img').length") == "0")
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
}
