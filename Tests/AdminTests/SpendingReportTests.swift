import EventLoop
import TestSupport
import Testing
import Text
import Upstream

@testable import Admin
@testable import AppleMusic
@testable import Cache
@testable import Proxy

/// Requests to Apple by cause: since the start, now, and within the windows of the page.
@Suite struct SpendingReportTests {
    private let statistics = Statistics()
    private let start = Instant(nanoseconds: 1_000_000_000_000)

    private var source: StatisticsSource {
        let keys = try? ClientKeys(SecretBytes(Array("phone 0123456789abcdef\n".utf8).span))
        return StatisticsSource(
            statistics: [statistics], cache: ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), store: nil),
            budget: UpstreamBudget(), clients: { keys?.clients ?? [] })
    }

    private func send(_ target: String, _ party: UpstreamParty, _ count: Int) throws {
        let route = try CanonicalTarget(target).route
        let label = UpstreamLabel(route, route.isPersonal ? .personal : .miss, of: party)
        for _ in 0..<count { statistics.upstreamStarted(label, isRepeated: false) }
    }

    private func report(_ windows: SpendingWindows, after seconds: Int) -> SpendingReport {
        windows.report(source.spending, at: start + .seconds(seconds), source.spendingNames)
    }

    /// A quarter of a day, with one request in each ten seconds and 100 in the last.
    private func windows() throws -> SpendingWindows {
        var windows = SpendingWindows()
        for slot in 0...2160 {
            try send("/v1/me/library/songs", .client("phone"), slot == 0 ? 0 : slot == 2160 ? 100 : 1)
            windows.note(source.spending, at: start + .seconds(10 * slot) + .milliseconds(slot % 3))
        }
        return windows
    }

    @Test func windowsHaveTheirNominalLength() throws {
        let windows = try windows()
        let json = report(windows, after: 21_600 + 6).json["windows"]
        func window(_ name: String) -> (seconds: Double, requests: Int) {
            guard case .number(let seconds)? = json?[name]?["seconds"] else { return (0, 0) }
            return (Double(seconds) ?? 0, json?[name]?["requests"]?.countValue ?? 0)
        }
        #expect((5.9...6.1).contains(window("now").seconds) && window("now").requests == 0)
        #expect((300...330).contains(window("5m").seconds) && (129...132).contains(window("5m").requests))
        #expect((3600...3960).contains(window("1h").seconds) && (459...495).contains(window("1h").requests))
        #expect(window("24h").seconds == 21_606 && window("24h").requests == 2259)
    }

    /// Marks of 12 times 25 s are from 275 s on.
    @Test func aWindowIsNoShorterWhereEachSecondIsNoted() throws {
        var windows = SpendingWindows()
        for second in 0...700 {
            windows.note(source.spending, at: start + .seconds(second))
            guard second >= 300 else { continue }
            let json = report(windows, after: second).json["windows"]?["5m"]
            guard case .number(let seconds)? = json?["seconds"] else { return }
            #expect((300...330).contains(Double(seconds) ?? 0), "after \(second) s")
        }
    }

    @Test func rowsTellNamesAndCountsOfEachTime() throws {
        var windows = SpendingWindows()
        windows.note(source.spending, at: start)
        try send("/v1/me/library/songs", .client("phone"), 6)
        try send(
            "/v1/catalog/us/songs/1", .network(try #require(SocketAddress(host: "192.0.2.7", port: 1)?.network)), 3)
        windows.note(source.spending, at: start + .seconds(10))
        try send("/v1/catalog/us/songs/1", .client("removed"), 2)
        try send("/v1/catalog/us/songs/1", .background, 1)
        let report = report(windows, after: 20)
        let json = report.json
        let personal = json["class"]?.arrayValue?.first { $0["name"] == "personal" }
        #expect(personal == ["name": "personal", "since_start": 6, "now": 0, "5m": 6, "1h": 6, "24h": 6])
        let clients = json["client"]?.arrayValue ?? []
        #expect(clients.map { $0["kind"]?.stringValue } == ["key", "network", "key", "proxy"])
        #expect(clients.map { $0["name"]?.stringValue } == ["phone", "192.0.2.7", "removed keys", "Refrain itself"])
        #expect(clients.map { $0["now"] } == [0, 0, 2, 1])
        for axis in SpendingAxis.allCases {
            let rows = json[axis.rawValue]?.arrayValue ?? []
            #expect(rows.reduce(0) { $0 + ($1["since_start"]?.countValue ?? 0) } == 12, "\(axis)")
        }
    }

    @Test func thePageHasSharesAndRates() throws {
        var windows = SpendingWindows()
        windows.note(source.spending, at: start)
        try send("/v1/me/library/songs", .client("phone"), 3)
        try send("/v1/catalog/us/songs/1", .client("phone"), 1)
        let moment = Observations(
            source: source, breakdown: StorageBreakdown(), reloads: ReloadStatus().snapshot, history: History(),
            version: "9.9", unixSeconds: 1_000_000, startedAt: 999_000, spending: report(windows, after: 10),
            totals: History.Totals(source), latencies: LatencySides(source))
        let rows = try #require(DashboardView(moment).tables["spending"])
        #expect(rows.first == ["class", "personal", "3", "75.0 %", "0.3/s", "3"].map { .text($0) })
        #expect(rows.contains(["route", "/v1/me/library/{type}", "3", "75.0 %", "0.3/s", "3"].map { .text($0) }))
        #expect(rows.contains(["client", "phone", "4", "100 %", "0.4/s", "4"].map { .text($0) }))
    }
}
