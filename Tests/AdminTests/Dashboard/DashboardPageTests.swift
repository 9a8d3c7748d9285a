import EventLoop
import Foundation
import TestSupport
import Testing
import Text
import Upstream

@testable import Admin
@testable import Cache
@testable import Freshness
@testable import Proxy
@testable import Server

@Suite struct DashboardPageTests {
    /// A moment at which a hostile target has been asked for, a reload has failed and a client has
    /// a hostile name.
    private func moment(
        reloadError: String? = nil, upgradeError: String? = nil, tier: TierFigures? = nil,
        statistics: Statistics = Statistics(),
        availability: AdminSources.Availability = .init(),
        cache: ResponseCache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil),
        breakdown: StorageBreakdown = StorageBreakdown()
    ) throws -> Observations {
        let key = CacheKey(of: .none, scope: .shared, target: Array(Self.hostile.utf8))
        statistics.hotTargets.note(key, nanoseconds: 2_000_000_000, standingFor: 3, .absent, now: .now())
        statistics.latencies[Outcome.hit.rawValue].record(nanoseconds: 40_000)
        let source = StatisticsSource.ofTests([statistics], cache)
        let reloads = ReloadStatus()
        if let reloadError { reloads.noteFailure(reloadError) }
        if let upgradeError { reloads.noteFailedUpgrade(upgradeError) }
        var history = History()
        history.endSlot(History.Totals(source))
        return Observations(
            source: source, breakdown: breakdown, reloads: reloads.snapshot, history: history,
            version: "9.9", unixSeconds: 1_000_000, startedAt: 999_000, tier: tier,
            totals: History.Totals(source), latencies: LatencySides(source), availability: availability)
    }

    private static let hostile = #"/v1/catalog/us/search?term=<script>alert("1")</script>&types='songs'"#

    private func html(_ view: DashboardView, markup: [String: String] = [:]) throws -> String {
        String(decoding: try #require(DashboardPage.standard).html(view, markup: markup), as: UTF8.self)
    }

    @Test func targetsAreEscapedInThePage() throws {
        let html = try html(DashboardView(moment(reloadError: "line 3: <b>&</b>")))
        #expect(html.components(separatedBy: "<script").count == 2, "the page's own script and no other")
        #expect(html.contains("term=&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;types=&#39;songs&#39;"))
        #expect(html.contains("/?explain=%2Fv1%2Fcatalog%2Fus%2Fsearch%3Fterm%3D%3Cscript%3E"))
        #expect(html.contains("the last reload failed: line 3: &lt;b&gt;&amp;&lt;/b&gt;"))
        #expect(!html.contains("<b>&"))
    }

    @Test func thePolicyNamesTheVeryBlocksOfThePage() throws {
        let page = try #require(DashboardPage.standard)
        let html = try html(DashboardView(moment()))
        for (tag, directive) in [("style", "style-src"), ("script", "script-src")] {
            let open = try #require(html.range(of: "<\(tag)>"))
            let close = try #require(html.range(of: "</\(tag)>", range: open.upperBound..<html.endIndex))
            let content = Array(html[open.upperBound..<close.lowerBound].utf8)
            let digest = Data(try #require(content.withUnsafeBytes(Digest.sha256))).base64EncodedString()
            #expect(page.contentPolicy.contains("\(directive) 'sha256-\(digest)'"), "\(directive)")
        }
        #expect(page.contentPolicy.hasPrefix("default-src 'none'; "))
        #expect(!page.contentPolicy.contains("unsafe"))
    }

    /// Inline styles and handlers would be refused by the policy, and addresses elsewhere would
    /// tell other servers of the visit.
    @Test func thePageAsksNobodyElseForAnything() throws {
        let html = try html(DashboardView(moment()))
        let addresses = html.components(separatedBy: "http").dropFirst().filter {
            $0.hasPrefix("://") || $0.hasPrefix("s://")
        }
        #expect(
            addresses.allSatisfy { $0.hasPrefix("://www.w3.org/2000/svg") }, "the namespace of drawings and no other")
        for word in [" style=", " onclick", " onload", " src=", "@import", "<link", "<img", "innerHTML", "eval("] {
            #expect(!html.contains(word), "\(word)")
        }
    }

    @Test func everyPlaceIsFilledAndEverythingShownHasItsPlace() throws {
        let page = try #require(DashboardPage.standard)
        let view = try DashboardView(moment())
        let states = view.states.keys.map { $0 + "-state" }
        let made = Set(Array(view.texts.keys) + view.paths.keys + view.tables.keys + states)
        let given: Set = ["refresh", "hold", "time", "logout", "explain-url", "explain-error", "explanation"]
        #expect(made.subtracting(page.places).isEmpty)
        #expect(Set(page.places).subtracting(made) == given)
        let html = try html(view)
        #expect(!html.contains("{{"))
        for id in Array(view.texts.keys) + view.paths.keys + view.tables.keys {
            #expect(html.contains("id=\"\(id)\""), "\(id): the script looks for it")
        }
    }

    /// The script makes rows too; their columns are as the head of the table says.
    @Test func columnsAreThoseOfTheHeads() throws {
        let html = try html(DashboardView(moment()))
        for (table, columns) in DashboardView.columns {
            let body = try #require(html.range(of: "<tbody id=\"\(table)\">"))
            let head = try #require(
                html.range(of: "<thead>", options: .backwards, range: html.startIndex..<body.lowerBound))
            let cells = html[head.upperBound..<body.lowerBound].components(separatedBy: "<th scope=\"col\"").dropFirst()
            let classes = cells.map { cell in
                cell.hasPrefix(" class=\"") ? String(cell.dropFirst(8).prefix { $0 != "\"" }) : ""
            }
            let padded = columns + Array(repeating: "", count: classes.count - columns.count)
            #expect(classes == padded, "\(table)")
        }
    }

    /// The table said "nothing yet" below the number of answers.
    @Test func answersThatAreNotCountedByClassYetAreBeingCounted() throws {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)
        #expect(try DashboardView(moment(cache: cache)).tables["storage"] == [])
        cache.keep("/v1/catalog/us/songs/1")
        let rows = try #require(try DashboardView(moment(cache: cache)).tables["storage"])
        #expect(rows == [["counting", "", "", "", ""].map { .text($0) }])
        var unread = StorageBreakdown()
        unread.isFileUnreadable = true
        let told = try DashboardView(moment(cache: cache, breakdown: unread)).tables["storage"]
        #expect(told?.first?.first == .text("unreadable"))
    }

    @Test func theTierAndItsNodesAreShown() throws {
        let view = DashboardView(try moment(tier: .sample))
        let rows = try #require(view.tables["tier"])
        func value(_ name: String) -> DashboardView.Cell? { rows.first { $0[0] == .text(name) }?[1] }
        #expect(value("standing") == .text("ready") && value("lookups taken") == .text("6"))
        #expect(value("breakers open") == .text("1") && value("lag") == .text("3"))
        #expect(value("skew ms") == .text("-1500.0") && value("last error") == .text("timeout"))
        let nodes = try #require(view.tables["nodes"])
        #expect(nodes.map { $0[0] } == [.text("a (this one)"), .text("b"), .text("c")])
        #expect(nodes.map { $0[3] } == [.text("ready"), .text("catching up"), .text("missing")])
        #expect(nodes[2][5] == .text("1m 40s ago"))
        let html = try html(view)
        #expect(html.contains("&lt;b&gt;c&lt;/b&gt;") && html.contains("id=\"nodes-section\" data-state=\"plain\""))
        let alone = try self.html(DashboardView(moment()))
        for section in ["tier", "nodes"] {
            #expect(alone.contains("id=\"\(section)-section\" data-state=\"none\""), "style.css hides it")
        }
    }

    /// Errors of clients and of the proxy are not the origin's.
    @Test func originErrorsAreCountedByStatus() throws {
        let statistics = Statistics()
        func answered(_ status: Int?, _ times: Int) {
            for _ in 0..<times { statistics.upstreamAnswered(.waitingClient, status: status, after: nil) }
        }
        for (status, times) in [(200, 9), (404, 5), (429, 3), (503, 2)] { answered(status, times) }
        answered(nil, 1)
        let none = DashboardView(try moment())
        #expect(none.tables["errors"] == [] && none.texts["last-error"] == "")
        statistics.upstream.note("limits the rate of requests (429)", at: 999_000)
        let view = DashboardView(try moment(statistics: statistics))
        let rows = try #require(view.tables["errors"])
        #expect(rows.map { $0[0] } == [.text("–"), .text("429"), .text("503")])
        #expect(rows.map { $0[2] } == [.text("1"), .text("3"), .text("2")])
        #expect(
            view.texts["last-error"]
                == "Last error: limits the rate of requests (429), 16m 40s ago, at 13:30:00 UTC")
        #expect(view.states["last-error"] == "plain")
        statistics.upstream.note("answers 503", at: 999_990)
        #expect(DashboardView(try moment(statistics: statistics)).states["last-error"] == "bad")
    }

    /// The light was green while the origin failed, and next to a failure in red.
    @Test func theLightIsGreenOnlyWhereNothingIsWrong() throws {
        #expect(try DashboardView(moment()).states["readiness"] == "good")
        #expect(try DashboardView(moment(reloadError: "line 3")).states["readiness"] == "degraded")
        let upgraded = try DashboardView(moment(upgradeError: "access_log: no folder"))
        #expect(upgraded.states["readiness"] == "degraded")
        #expect(upgraded.texts["reload"] == "the last upgrade failed: access_log: no folder")
        let statistics = Statistics()
        statistics.upstream.note("answers 503", at: 999_000)
        #expect(try DashboardView(moment(statistics: statistics)).states["readiness"] == "good", "long ago")
        statistics.upstream.note("requires a developer token (401)", at: 999_990, isOfOrigin: false)
        #expect(try DashboardView(moment(statistics: statistics)).states["readiness"] == "good", "a client's mistake")
        statistics.upstream.note("answers 503", at: 999_990)
        let view = try DashboardView(moment(statistics: statistics))
        #expect(
            view.states["readiness"] == "degraded"
                && view.texts["readiness"] == "ready; Apple's API returns errors"
        )
        let draining = AdminSources.Availability(isReady: false, words: "draining")
        #expect(try DashboardView(moment(statistics: statistics, availability: draining)).states["readiness"] == "bad")
    }

    /// All refusals were one number.
    @Test func refusalsAreCountedByCause() throws {
        let statistics = Statistics()
        #expect(try DashboardView(moment(statistics: statistics)).tables["refusals"] == [])
        statistics.count(.refused, 6)
        for reason in [Reason.clientRate, .clientRate, .invalidRequest] { statistics.count(because: reason) }
        let rows = try #require(DashboardView(moment(statistics: statistics)).tables["refusals"])
        #expect(rows.map { $0[0] } == [.text("client-rate"), .text("invalid-request"), .text("others: see the log")])
        #expect(rows.map { $0[1] } == [.text("2"), .text("1"), .text("3")])
    }

    /// A request that a limit refused was in its own row, and among the others too.
    @Test func aRefusalByALimitIsInOneRow() throws {
        let statistics = Statistics()
        statistics.count(.refused, 5)
        let moment = try moment(statistics: statistics)
        let census = moment.source.connections
        census.limit(to: 1, perAddress: 0)
        for _ in 0..<2 { #expect(!census.enterRequest(of: 7, nil, at: .now())) }
        // A connection that is refused is no request.
        #expect(census.enter(from: nil, at: .now()) && !census.enter(from: nil, at: .now()))
        let rows = try #require(DashboardView(moment).tables["refusals"])
        #expect(
            rows == [
                [.text("others: see the log"), .text("3")], [.text("limit: descriptors"), .text("1")],
                [.text("limit: address-requests"), .text("2")],
            ])
    }

    @Test func oneSentenceSumsUpVerification() throws {
        let statistics = Statistics()
        #expect(DashboardView(try moment(statistics: statistics)).texts["verified"] == "")
        statistics.count(.verifiedEqual, 1_232)
        statistics.count(.verifiedOlder, 11)
        let view = DashboardView(try moment(statistics: statistics))
        #expect(
            view.texts["verified"]
                == "Composed answers: 0 of 1,243 verified were wrong, 11 were older than the origin")
        #expect(view.states["verified"] == "plain")
        statistics.count(.verifyMismatches)
        statistics.count(.verifyUndecided, 2)
        let bad = DashboardView(try moment(statistics: statistics))
        #expect(bad.states["verified"] == "bad" && bad.texts["verified"]?.hasSuffix(" origin, 2 undecided") == true)
    }

    /// A request that was answered meanwhile was in the table and not in the figures.
    @Test func theTableAndTheFiguresAreOfOneMoment() throws {
        let statistics = Statistics()
        let moment = try moment(statistics: statistics)
        statistics.latencies[Outcome.hit.rawValue].record(nanoseconds: 1_000)
        let view = DashboardView(moment)
        let rows = try #require(view.tables["outcomes"])
        #expect(view.texts["requests-hour"] == "1 in the hour")
        #expect(rows.first { $0.first == .outcome(.hit) }?[3] == .text("1"))
    }

    @Test func theShareOfHTTP2IsShown() throws {
        #expect(try DashboardView(moment()).texts["requests-hour"] == "1 in the hour")
        let statistics = Statistics()
        statistics.count(.http2Requests)
        for _ in 0..<3 { statistics.latencies[Outcome.miss.rawValue].record(nanoseconds: 1_000) }
        let view = DashboardView(try moment(statistics: statistics))
        #expect(view.texts["requests-hour"] == "4 in the hour, 25.0 % by HTTP/2")
        // Preflights are no requests of apps.
        for _ in 0..<9 { statistics.count(.http2Requests) }
        #expect(
            DashboardView(try moment(statistics: statistics)).texts["requests-hour"] == "5 in the hour, 100 % by HTTP/2"
        )
    }

    @Test func theScriptGetsTheFiguresOfThePage() throws {
        let view = try DashboardView(moment())
        let json = try JSON.parse(view.json.bytes)
        #expect(json["texts"]?["version"] == .string("9.9"))
        #expect(json["states"]?["readiness"] == .string("good"))
        // Without its engine a node was as green as with it.
        let alone = AdminSources.Availability(words: "ready; engine away", isAlone: true)
        #expect(try DashboardView(moment(availability: alone)).states["readiness"] == "degraded")
        #expect(json["tables"]?["misses"]?[0]?[0] == ["explain": .string(Self.hostile)])
        #expect(json["tables"]?["misses"]?[0]?[3] == .string(Reason.absent.text))
        #expect(json["paths"]?["ribbon-hit"]?.stringValue?.hasPrefix("M0 ") == true)
        #expect(try DashboardView(moment(), ribbon: false).paths["ribbon-hit"] == nil)
    }
}
