import Foundation
import TestSupport

/// A demonstration, an app that asks it for things, and a browser that shows its dashboard.
final class ShownDashboard {
    let browser: HeadlessBrowser
    var app: HTTPTestClient { demo.client }
    private let demo: RunningDemo

    init(runsScript: Bool = true) throws {
        demo = try RunningDemo()
        browser = try HeadlessBrowser()
        if !runsScript { try browser.call("Emulation.setScriptExecutionDisabled", ["value": true]) }
    }

    deinit { demo.stop() }

    /// Asks for the same few things again and again: misses at first, then hits.
    func ask(times: Int = 5) throws {
        for _ in 0..<times {
            for target in ["/v1/storefronts/us", "/v1/catalog/us/genres", "/v1/catalog/us/charts?types=songs&limit=5"] {
                _ = try app.send("GET", target)
            }
        }
    }

    func open(_ path: String = "/") throws { try browser.open("http://127.0.0.1:\(demo.admin)" + path) }

    /// Waits until the page has heard from the proxy.
    func waitForFeed() throws { try browser.wait(for: "document.getElementById('feed').textContent === 'live'") }

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
