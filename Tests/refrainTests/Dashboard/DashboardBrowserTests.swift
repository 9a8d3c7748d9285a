import TestSupport
import Testing

@testable import refrain

/// A demonstration, an app that asks it for things, and a browser that shows its dashboard.
private final class ShownDashboard {
    let browser: HeadlessBrowser
    var app: HTTPTestClient { demo.client }
    private let demo: RunningDemo

    init(runsScript: Bool = true) throws {
        demo = try RunningDemo()
        browser = try HeadlessBrowser()
        if !runsScript { try browser.call("Emulation.setScriptExecutionDisabled", ["value": true]) }
    }

    deinit { demo.stop() }

    /// Shows the page of a demonstration that has been asked so often before and after it opened.
    static func show(
        _ path: String = "/", asked before: Int = 0, then after: Int = 0,
        _ body: @escaping @Sendable (ShownDashboard) throws -> Void
    ) async throws {
        try await onThread {
            let shown = try ShownDashboard()
            try shown.ask(times: before)
            try shown.open(path)
            try shown.wait(for: "feed", "textContent === 'live'")
            try shown.ask(times: after)
            try body(shown)
        }
    }

    /// Asks for the same few things again and again: misses at first, then hits.
    func ask(times: Int) throws {
        for _ in 0..<times {
            for target in ["/v1/storefronts/us", "/v1/catalog/us/genres", "/v1/catalog/us/charts?types=songs&limit=5"] {
                _ = try app.send("GET", target)
            }
        }
    }

    func open(_ path: String = "/") throws { try browser.open("http://127.0.0.1:\(demo.admin)" + path) }

    /// A property of the element with this identifier.
    func element(_ id: String, _ property: String = "textContent") throws -> String {
        try browser.text("document.getElementById('\(id)').\(property)")
    }

    func wait(for id: String, _ condition: String) throws {
        try browser.wait(for: "document.getElementById('\(id)').\(condition)")
    }

    func waitForRows(_ count: Int, of id: String = "tail") throws { try wait(for: id, "rows.length === \(count)") }

    /// The cell of a table in the row that begins so.
    func cell(_ table: String, row: String, _ column: Int) throws -> String {
        try browser.text(
            "[...document.querySelectorAll('#\(table) tr')].find(r => r.cells[0].textContent === '\(row)')?.cells[\(column)].textContent"
        )
    }

    /// Types as a person does: the old text goes, and the new one comes, with the events of it.
    func type(_ text: String, into selector: String) throws {
        try browser.evaluate(
            "document.querySelector('\(selector)').focus(); document.querySelector('\(selector)').select()")
        try browser.type(text)
    }

    /// Chooses one of a list, with the event of it.
    func choose(_ value: String, in selector: String) throws {
        try browser.evaluate(
            "{ const list = document.querySelector('\(selector)'); list.value = '\(value)'; "
                + "list.dispatchEvent(new Event('input', { bubbles: true })); }")
    }

    func click(_ selector: String) throws { try browser.evaluate("document.querySelector('\(selector)').click()") }
}

/// The dashboard in a real browser.
@Suite(.serialized, .timeLimit(.minutes(10)), .requires(.browser)) struct DashboardBrowserTests {
    @Test func figuresMoveAsRequestsCome() async throws {
        try await ShownDashboard.show { shown in
            #expect(try shown.cell("outcomes", row: "hit", 3) == "0")
            try shown.ask(times: 5)
            try shown.browser.wait(
                for:
                    "[...document.querySelectorAll('#outcomes tr')].some(r => r.cells[0].textContent === 'hit' && r.cells[3].textContent === '12')"
            )
            #expect(try shown.cell("outcomes", row: "miss", 3) == "3")
            #expect(try shown.element("saved-hour") == "12 in the hour")
            #expect(try shown.element("misses", "rows.length") == "3")
            try shown.waitForRows(15)
            #expect(try shown.element("tail", "rows[0].cells[6].textContent") == "HTTP/1")
            #expect(shown.browser.complaints == [])
        }
    }

    @Test func theTailIsFilteredAndPaused() async throws {
        try await ShownDashboard.show(then: 2) { shown in
            func expect(_ count: Int, _ words: String) throws {
                try shown.waitForRows(count)
                #expect(try shown.element("tail-count") == words)
            }
            try shown.waitForRows(6)
            try shown.choose("miss", in: "#tail-outcome")
            try expect(3, "3 of 6 match")
            try shown.choose("", in: "#tail-outcome")
            try shown.choose("without a key", in: "#tail-client")
            try expect(6, "6 of 6 match")
            try shown.choose("", in: "#tail-client")
            try shown.type("MISS genres", into: "#tail-filter")
            try expect(1, "1 of 6 match")
            try shown.type("hit", into: "#tail-filter")
            try shown.waitForRows(3)
            try shown.click("#tail-pause")
            try shown.ask(times: 1)
            try shown.wait(for: "tail-count", "textContent === 'paused, 6 of 9 match'")
            #expect(try shown.element("tail", "rows.length") == "3")
            try shown.click("#tail-pause")
            try shown.waitForRows(6)
        }
    }

    @Test func theChartGoesAsFarBackAsIsChosen() async throws {
        try await ShownDashboard.show("/?window=24h") { shown in
            #expect(try shown.browser.text("document.querySelector('[data-state=chosen]').textContent") == "24 h")
            try shown.click("#window-5m")
            try shown.wait(for: "window-5m", "dataset.state === 'chosen'")
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
            try shown.wait(for: "feed", "textContent === 'live'")
            try shown.ask(times: 1)
            try shown.waitForRows(3)
            let cell = "document.querySelector('#tail .w')"
            let box = "\(cell).getBoundingClientRect()"
            #expect(try shown.browser.text("\(box).left >= 0 && \(box).right <= 375 && \(box).width > 300") == "true")
            #expect(try shown.browser.text("\(cell).scrollWidth <= \(cell).clientWidth") == "true", "nothing is cut")
            #expect(try shown.browser.text("document.documentElement.scrollWidth") == "375")
        }
    }

    @Test func aPurgeIsCountedFirst() async throws {
        try await ShownDashboard.show(asked: 1) { shown in
            func status() throws -> String {
                try shown.app.send("GET", "/v1/catalog/us/genres").field("Cache-Status") ?? ""
            }
            #expect(try shown.element("purge-do", "disabled") == "true")
            try shown.type("/v1/catalog/us/", into: "input[name=prefix]")
            try shown.click("input[value=hard]")
            try shown.click("#purge-count")
            try shown.wait(for: "purge-result", "textContent.includes('match')")
            #expect(try shown.element("purge-do") == "Remove 2 answers")
            #expect(try status().contains("hit"))
            // The selection has changed, so it has to be counted anew.
            try shown.type("/v1/catalog/us/genres", into: "input[name=prefix]")
            #expect(try shown.element("purge-do", "disabled") == "true")
            try shown.click("#purge-count")
            try shown.wait(for: "purge-do", "disabled === false")
            try shown.click("#purge-do")
            try shown.wait(for: "purge-result", "textContent === '1 answer removed'")
            #expect(try status().contains("fwd"))
            // An error is shown.
            try shown.type("no path", into: "input[name=prefix]")
            try shown.click("#purge-count")
            try shown.wait(for: "purge-result", "textContent.startsWith('prefix: expected')")
        }
    }

    @Test func aMissIsExplained() async throws {
        try await ShownDashboard.show(asked: 1) { shown in
            try shown.click("#misses a")
            try shown.wait(for: "explanation", "rows.length > 3")
            #expect(try shown.browser.text("document.activeElement.id") == "explain")
            try shown.type("nonsense", into: "#explain-url")
            try shown.browser.press("Enter", code: 13)
            try shown.wait(for: "explain-error", "textContent !== ''")
            #expect(try shown.element("explanation", "rows.length") == "0")
        }
    }

    @Test func withoutScriptThePageSaysTheSame() async throws {
        try await onThread {
            let shown = try ShownDashboard(runsScript: false)
            try shown.ask(times: 5)
            try shown.open("/?explain=/v1/catalog/us/genres")
            #expect(try shown.cell("outcomes", row: "hit", 3) == "12")
            #expect(try shown.element("feed").hasPrefix("as of "))
            #expect(try shown.element("explanation", "rows.length > 3") == "true")
            #expect(try shown.browser.text("getComputedStyle(document.getElementById('purge-form')).display") == "none")
            #expect(try shown.browser.text("document.body.innerText.includes('refrain purge')") == "true")
            #expect(try shown.browser.text("document.querySelector('meta[http-equiv]')") == "null")
            try shown.open()
            #expect(try shown.browser.text("document.querySelector('meta[http-equiv]').content") == "5")
        }
    }
}

/// The accessibility of the dashboard: by keyboard, by ear, on a telephone, by night.
@Suite(.serialized, .timeLimit(.minutes(10)), .requires(.browser)) struct DashboardAccessTests {
    private func show(_ body: @escaping @Sendable (ShownDashboard) throws -> Void) async throws {
        try await ShownDashboard.show("/?explain=/v1/catalog/us/genres", asked: 5, body)
    }

    @Test func theKeyboardReachesEverythingInOrder() async throws {
        try await show { shown in
            let browser = shown.browser
            try browser.evaluate("window.seen = []")
            for _ in 0..<80 {
                try browser.press("Tab", code: 9)
                let isInPage = try browser.evaluate(
                    """
                    (() => {
                      const it = document.activeElement;
                      if (!it || it === document.body || window.seen.includes(it)) return false;
                      window.seen.push(it);
                      return true;
                    })()
                    """)
                if isInPage as? Bool == false { break }
                let outline = try browser.text(
                    "(s => s.outlineStyle + ' ' + s.outlineWidth)(getComputedStyle(document.activeElement))")
                let place = try browser.text("document.activeElement.outerHTML.slice(0, 80)")
                #expect(outline == "solid 2px", "\(place)")
            }
            #expect(try browser.text("window.seen[0].className") == "skip")
            let isInOrder = "window.seen.every((e, i) => i === 0 || window.seen[i - 1].compareDocumentPosition(e) & 4)"
            #expect(try browser.text(isInOrder) == "true")
            for id in ["tail-filter", "tail-pause", "tail-clear", "explain-url", "purge-count"] {
                #expect(try browser.text("window.seen.some(e => e.id === '\(id)')") == "true", "\(id)")
            }
            let all = "[...document.querySelectorAll('a, button:enabled, input:not([type=radio])')]"
            #expect(try browser.text("\(all).filter(e => !window.seen.includes(e)).map(e => e.outerHTML)") == "")
        }
    }

    private static func expectFits(_ browser: HeadlessBrowser) throws {
        for width in [375, 768, 1280] {
            try browser.resize(width: width, isMobile: width < 500)
            #expect(try browser.text("document.documentElement.scrollWidth") == "\(width)")
            let cut = "[...document.querySelectorAll('#errors .w')].filter(c => c.scrollWidth > c.clientWidth).length"
            #expect(try browser.text(cut) == "0", "the end of a sentence was behind an ellipsis")
        }
    }

    /// Words about the engine were wider than their column, and the light was green.
    @Test func thePageFitsTheWindowWithoutEngineAndOrigin() async throws {
        try await onThread {
            let scene = try ProxyScene("shared_tier redis://127.0.0.1:1")
            defer { scene.stop() }
            #expect(try scene.client.send("GET", "/v1/catalog/us/songs/1").status == 502)
            let browser = try HeadlessBrowser()
            try browser.open("http://\(try #require(scene.proxy.adminAddress))/")
            try browser.wait(for: "document.getElementById('tier').textContent.includes('engine away since')")
            try browser.wait(for: "document.getElementById('errors').rows.length === 1")
            try Self.expectFits(browser)
            #expect(try browser.text("document.querySelectorAll('[data-state=good]').length") == "0")
        }
    }

    @Test func everythingHasANameForWhoListens() async throws {
        try await show { shown in
            let tree = try shown.browser.call("Accessibility.getFullAXTree")["nodes"] as? [[String: Any]] ?? []
            func value(_ node: [String: Any], _ member: String) -> String {
                (node[member] as? [String: Any])?["value"] as? String ?? ""
            }
            let named: Set = [
                "button", "textbox", "searchbox", "checkbox", "radio", "link", "table", "region", "image", "img",
                "heading", "columnheader", "rowheader", "search", "group",
            ]
            var roles: Set<String> = []
            for node in tree where node["ignored"] as? Bool != true {
                let role = value(node, "role")
                roles.insert(role)
                guard named.contains(role) else { continue }
                #expect(!value(node, "name").isEmpty, "\(role): \(node["nodeId"] ?? "")")
            }
            for role in ["banner", "main", "contentinfo", "heading", "table", "searchbox", "status"] {
                #expect(roles.contains(role), "\(role)")
            }
            let levels = try shown.browser.text(
                "[...document.querySelectorAll('h1, h2, h3')].map(h => h.tagName[1]).join('')")
            #expect(levels.first == "1" && levels.dropFirst().first == "2" && !levels.contains("13"))
        }
    }

    @Test func textFitsTheWindowAndStandsOutFromItsGround() async throws {
        try await show { shown in
            try Self.expectFits(shown.browser)
            for (scheme, color) in [("light", "rgb(255, 255, 255)"), ("dark", "rgb(18, 21, 24)")] {
                try shown.browser.prefer(scheme)
                #expect(try shown.browser.paleTexts() == "", "\(scheme)")
                #expect(try shown.browser.text("getComputedStyle(document.body).backgroundColor") == color)
            }
        }
    }
}
