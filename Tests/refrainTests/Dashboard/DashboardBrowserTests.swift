import Foundation
import TestSupport
import Testing

/// The dashboard in a real browser.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .requires(.browser)
) struct DashboardBrowserTests {
    @Test func figuresMoveAsRequestsCome() async throws {
        try await onThread {
            let shown = try ShownDashboard()
            try shown.open()
            try shown.waitForFeed()
            #expect(try shown.cell("outcomes", row: "hit", 3) == "0")
            try shown.ask()
            try shown.browser.wait(
                for:
                    "[...document.querySelectorAll('#outcomes tr')].some(r => r.cells[0].textContent === 'hit' && r.cells[3].textContent === '12')"
            )
            #expect(try shown.cell("outcomes", row: "miss", 3) == "3")
            #expect(try shown.browser.text("document.getElementById('saved-hour').textContent") == "12 in the hour")
            #expect(try shown.browser.text("document.getElementById('misses').rows.length") == "3")
            try shown.browser.wait(for: "document.getElementById('tail').rows.length === 15")
            #expect(try shown.browser.text("document.getElementById('tail').rows[0].cells[6].textContent") == "HTTP/1")
            #expect(shown.browser.complaints == [])
        }
    }

    @Test func theTailIsFilteredAndPaused() async throws {
        try await onThread {
            let shown = try ShownDashboard()
            try shown.open()
            try shown.waitForFeed()
            try shown.ask(times: 2)
            func waitForRows(_ count: Int) throws {
                try shown.browser.wait(for: "document.getElementById('tail').rows.length === \(count)")
            }
            func count() throws -> String {
                try shown.browser.text("document.getElementById('tail-count').textContent")
            }
            try waitForRows(6)
            try shown.choose("miss", in: "#tail-outcome")
            try waitForRows(3)
            #expect(try count() == "3 of 6 match")
            try shown.choose("", in: "#tail-outcome")
            try shown.choose("without a key", in: "#tail-client")
            #expect(try count() == "6 of 6 match")
            try waitForRows(6)
            try shown.choose("", in: "#tail-client")
            try shown.type("MISS genres", into: "#tail-filter")
            try waitForRows(1)
            #expect(try count() == "1 of 6 match")
            try shown.type("hit", into: "#tail-filter")
            try waitForRows(3)
            try shown.click("#tail-pause")
            try shown.ask(times: 1)
            try shown.browser.wait(for: "document.getElementById('tail-count').textContent === 'paused, 6 of 9 match'")
            #expect(try shown.browser.text("document.getElementById('tail').rows.length") == "3")
            try shown.click("#tail-pause")
            try waitForRows(6)
        }
    }

    @Test func theChartGoesAsFarBackAsIsChosen() async throws {
        try await onThread {
            let shown = try ShownDashboard()
            try shown.open("/?window=24h")
            try shown.waitForFeed()
            #expect(try shown.browser.text("document.querySelector('[data-state=chosen]').textContent") == "24 h")
            try shown.click("#window-5m")
            try shown.browser.wait(for: "document.getElementById('window-5m').dataset.state === 'chosen'")
            #expect(try shown.browser.text("location.search") == "?window=5m")
            #expect(try shown.browser.text("document.querySelectorAll('[data-state=chosen]').length") == "1")
            #expect(shown.browser.complaints == [])
        }
    }

    /// At 375 pixels the targets were beyond the right edge.
    @Test func aPhoneShowsTheTargetsOfTheLiveList() async throws {
        try await onThread {
            let shown = try ShownDashboard()
            try shown.browser.resize(width: 375, height: 800, isMobile: true)
            try shown.open()
            try shown.waitForFeed()
            try shown.ask(times: 1)
            try shown.browser.wait(for: "document.getElementById('tail').rows.length === 3")
            let box = "document.querySelector('#tail .w').getBoundingClientRect()"
            #expect(try shown.browser.text("\(box).left >= 0 && \(box).right <= 375 && \(box).width > 300") == "true")
            let cell = "document.querySelector('#tail .w')"
            #expect(try shown.browser.text("\(cell).scrollWidth <= \(cell).clientWidth") == "true", "nothing is cut")
            #expect(try shown.browser.text("document.documentElement.scrollWidth") == "375")
        }
    }

    @Test func aPurgeIsCountedFirst() async throws {
        try await onThread {
            let shown = try ShownDashboard()
            try shown.ask(times: 1)
            try shown.open()
            try shown.waitForFeed()
            #expect(try shown.browser.text("document.getElementById('purge-do').disabled") == "true")
            try shown.type("/v1/catalog/us/", into: "input[name=prefix]")
            try shown.click("input[value=hard]")
            try shown.click("#purge-count")
            try shown.browser.wait(for: "document.getElementById('purge-result').textContent.includes('match')")
            #expect(try shown.browser.text("document.getElementById('purge-do').textContent") == "Remove 2 answers")
            #expect(try shown.app.send("GET", "/v1/catalog/us/genres").field("Cache-Status")?.contains("hit") == true)
            // The selection has changed, so it has to be counted anew.
            try shown.type("/v1/catalog/us/genres", into: "input[name=prefix]")
            #expect(try shown.browser.text("document.getElementById('purge-do').disabled") == "true")
            try shown.click("#purge-count")
            try shown.browser.wait(for: "!document.getElementById('purge-do').disabled")
            try shown.click("#purge-do")
            try shown.browser.wait(for: "document.getElementById('purge-result').textContent === '1 answer removed'")
            #expect(try shown.app.send("GET", "/v1/catalog/us/genres").field("Cache-Status")?.contains("fwd") == true)
            // An error is shown.
            try shown.type("no path", into: "input[name=prefix]")
            try shown.click("#purge-count")
            try shown.browser.wait(
                for: "document.getElementById('purge-result').textContent.startsWith('prefix: expected')")
        }
    }

    @Test func aMissIsExplained() async throws {
        try await onThread {
            let shown = try ShownDashboard()
            try shown.ask(times: 1)
            try shown.open()
            try shown.waitForFeed()
            try shown.click("#misses a")
            try shown.browser.wait(for: "document.getElementById('explanation').rows.length > 3")
            #expect(try shown.browser.text("document.activeElement.id") == "explain")
            try shown.type("nonsense", into: "#explain-url")
            try shown.browser.press("Enter", code: 13)
            try shown.browser.wait(for: "document.getElementById('explain-error').textContent !== ''")
            #expect(try shown.browser.text("document.getElementById('explanation').rows.length") == "0")
        }
    }

    @Test func withoutScriptThePageSaysTheSame() async throws {
        try await onThread {
            let shown = try ShownDashboard(runsScript: false)
            try shown.ask()
            try shown.open("/?explain=/v1/catalog/us/genres")
            #expect(try shown.cell("outcomes", row: "hit", 3) == "12")
            #expect(try shown.browser.text("document.getElementById('feed').textContent").hasPrefix("as of "))
            #expect(try shown.browser.text("document.getElementById('explanation').rows.length > 3") == "true")
            #expect(try shown.browser.text("getComputedStyle(document.getElementById('purge-form')).display") == "none")
            #expect(try shown.browser.text("document.body.innerText.includes('refrain purge')") == "true")
            #expect(try shown.browser.text("document.querySelector('meta[http-equiv]')") == "null")
            try shown.open()
            #expect(try shown.browser.text("document.querySelector('meta[http-equiv]').content") == "5")
        }
    }
}
