import Foundation
import TestSupport
import Testing

@testable import refrain

/// The accessibility of the dashboard: by keyboard, by ear, on a telephone, by night.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .requires(.browser)
) struct DashboardAccessTests {
    private func shown() throws -> ShownDashboard {
        let shown = try ShownDashboard()
        try shown.ask()
        try shown.open("/?explain=/v1/catalog/us/genres")
        try shown.waitForFeed()
        return shown
    }

    @Test func theKeyboardReachesEverythingInOrder() async throws {
        try await onThread {
            let browser = try shown().browser
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

    private func expectFits(_ browser: HeadlessBrowser) throws {
        for width in [375, 768, 1280] {
            try browser.resize(width: width, isMobile: width < 500)
            #expect(try browser.text("document.documentElement.scrollWidth") == "\(width)")
        }
    }

    @Test func thePageIsNeverWiderThanTheWindow() async throws {
        try await onThread { try expectFits(shown().browser) }
    }

    /// Words about the engine were wider than their column, and the light was green.
    @Test func thePageFitsTheWindowWithoutEngineAndOrigin() async throws {
        try await onThread {
            let configuration = try read(quiet("shared_tier redis://127.0.0.1:1")).configuration
            let proxy = try RunningProxy(configuration, OperationalLog(level: .error) { _ in })
            defer { proxy.stop() }
            let app = HTTPTestClient(port: Int(try #require(proxy.addresses.first).port))
            defer { app.close() }
            #expect(try app.send("GET", "/v1/catalog/us/songs/1").status == 502)
            let browser = try HeadlessBrowser()
            try browser.open("http://\(try #require(proxy.adminAddress))/")
            try browser.wait(for: "document.getElementById('tier').textContent.includes('engine away since')")
            try browser.wait(for: "document.getElementById('errors').rows.length === 1")
            try expectFits(browser)
            #expect(try browser.text("document.querySelectorAll('[data-state=good]').length") == "0")
        }
    }

    @Test func everythingHasANameForWhoListens() async throws {
        try await onThread {
            let browser = try shown().browser
            let tree = try browser.call("Accessibility.getFullAXTree")["nodes"] as? [[String: Any]] ?? []
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
            let levels = try browser.text(
                "[...document.querySelectorAll('h1, h2, h3')].map(h => h.tagName[1]).join('')")
            #expect(levels.first == "1" && levels.dropFirst().first == "2" && !levels.contains("13"))
        }
    }

    @Test func textStandsOutFromItsGround() async throws {
        try await onThread {
            let browser = try shown().browser
            for (scheme, color) in [("light", "rgb(255, 255, 255)"), ("dark", "rgb(18, 21, 24)")] {
                try browser.prefer(scheme)
                #expect(try browser.paleTexts() == "", "\(scheme)")
                #expect(try browser.text("getComputedStyle(document.body).backgroundColor") == color)
            }
        }
    }
}
