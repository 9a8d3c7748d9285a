import EventLoop
import Foundation
import TestSupport
import Testing
import Text
import Tier
import Upstream

@testable import Admin
@testable import AppleMusic
@testable import Cache
@testable import Compose
@testable import Proxy
@testable import Purging
@testable import Store

@Suite struct MetricsTests {
    private static let keys = "phone 0123456789abcdef 5/s\nwe\"b\\ fedcba9876543210\n"

    private func input(
        _ statistics: [Statistics], _ cache: ResponseCache? = nil, tier: TierFigures? = nil,
        developer: DeveloperTokens? = nil
    ) throws -> Observations {
        let cache = cache ?? ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)
        let keys = try ClientKeys(SecretBytes(Array(Self.keys.utf8).span))
        let source = StatisticsSource.ofTests(statistics, cache, keys: keys, developer: developer)
        var breakdown = StorageBreakdown()
        breakdown.file = [
            .init(classTag: ResourceClass.albums.rawValue, storefront: "us", entries: 2, bytes: 30),
            .init(classTag: ResourceClass.albums.rawValue, storefront: "gb", entries: 1, bytes: 12),
        ]
        breakdown.origins = [OriginRows(name: "https://one", entries: 2), OriginRows(name: "http://two", entries: 1)]
        return Observations(
            source: source, breakdown: breakdown,
            reloads: ReloadStatus.Snapshot(succeeded: 3, failed: 1, lastFailure: "x"), history: History(),
            version: "1.2.3", unixSeconds: 1_800_000_000, startedAt: 1_790_000_000, tier: tier,
            spending: SpendingReport(source.spending, [:], source.spendingNames), process: .current,
            cacheDisk: source.cacheDisk)
    }

    /// `stats` said 26.1 % of 6 in 23, and `top` 26.0 %.
    @Test func theHitRatioIsRoundedAsInTop() throws {
        var moment = try input([Statistics()])
        (moment.totals.outcomes[Outcome.hit.rawValue], moment.totals.outcomes[Outcome.miss.rawValue]) = (6, 17)
        #expect(moment.hitRatio == 0.261)
    }

    @Test func verificationsAreCountedByWhatCameOfThem() throws {
        let loop = Statistics()
        let counts: [(Counter, Int)] = [
            (.verifiedEqual, 6), (.verifiedOlder, 3), (.verifyMismatches, 1), (.verifyUndecided, 4),
            (.verifySkipped, 5),
        ]
        for (counter, count) in counts { loop.count(counter, count) }
        let scraped = try Exposition(try input([loop]).metrics)
        for (result, count) in ["equal": 6, "older": 3, "wrong": 1, "undecided": 4, "skipped": 5] {
            #expect(scraped.value("refrain_verifications_total", ["result": result]) == Double(count), "\(result)")
        }
        #expect(scraped.value("refrain_verified_total") == 10)
        #expect(scraped.value("refrain_verify_mismatches_total") == 1)
    }

    @Test func metricsCanBeScraped() throws {
        let loops = [Statistics(), Statistics()]
        loops[0].latencies[Outcome.hit.rawValue].record(nanoseconds: 50_000)
        loops[1].latencies[Outcome.hit.rawValue].record(nanoseconds: 70_000_000)
        loops[1].latencies[Outcome.miss.rawValue].record(nanoseconds: 70_000_000_000_000)
        loops[0].count(.rateLimited, 4)
        loops[1].count(because: .absent)
        for loop in loops { loop.count(notComposed: Refusal(nothingHeldOf: nil)) }
        loops[0].upstream.count(.waitingClient, 200, took: .milliseconds(3))
        loops[1].upstream.count(.waitingClient, 200, took: .milliseconds(3))
        loops[1].upstream.count(.refresh, nil, took: nil)
        let scraped = try Exposition(try input(loops).metrics)
        #expect(scraped.value("refrain_requests_total", ["outcome": "hit"]) == 2)
        #expect(scraped.values("refrain_requests_total").reduce(0, +) == 3)
        #expect(scraped.value("refrain_upstream_rate_limited_total") == 4)
        #expect(scraped.value("refrain_reasons_total", ["reason": "absent"]) == 1)
        let reason = ["rule": "other", "reason": "not-understood"]
        #expect(scraped.value("refrain_not_composed_total", reason) == 2)
        #expect(scraped.values("refrain_not_composed_total").count == 1, "what did not occur is left out")
        #expect(scraped.value("refrain_upstream_requests_total", ["priority": "client", "status": "200"]) == 2)
        #expect(scraped.value("refrain_upstream_requests_total", ["priority": "refresh", "status": "none"]) == 1)
        #expect(scraped.value("refrain_upstream_rate_limit") == 7)
        #expect(scraped.value("refrain_cache_entries", ["tier": "file", "class": "albums"]) == 3)
        #expect(scraped.value("refrain_cache_bytes", ["tier": "file", "class": "albums"]) == 42)
        #expect(scraped.value("refrain_cache_memory_limit_bytes") == 1_048_576)
        #expect(scraped.values("refrain_cache_file_limit_bytes").isEmpty, "there is no file")
        #expect(scraped.value("refrain_cache_file_origin_entries", ["upstream": "http://two"]) == 1)
        #expect(scraped.value("refrain_client_requests_total", ["client": #"we\"b\\"#]) == 0)
        #expect(scraped.value("refrain_config_last_reload_successful") == 0)
        #expect(scraped.value("refrain_config_reloads_total", ["result": "success"]) == 3)
        #expect(scraped.value("refrain_build_info", ["version": "1.2.3"]) == 1)
        #expect(try #require(scraped.value("process_resident_memory_bytes")) > 1_048_576)
        #expect(try #require(scraped.value("process_open_fds")) >= 3)
        #expect(try #require(scraped.value("process_start_time_seconds")) > 1_700_000_000)
    }

    /// An address would be a label for each visitor.
    @Test func theBudgetIsExposedByClassRouteAndClient() throws {
        let loops = [Statistics(), Statistics()]
        let parties: [UpstreamParty] = [.client("phone"), .network(1), .network(2), .client("gone"), .everyone]
        for (index, party) in parties.enumerated() {
            let route = try CanonicalTarget("/v1/me/library/songs?limit=\(index)").route
            loops[index % 2].upstreamStarted(UpstreamLabel(route, .personal, of: party), isRepeated: index == 4)
        }
        let scraped = try Exposition(try input(loops).metrics)
        let name = "refrain_upstream_sent_by_"
        #expect(scraped.value(name + "class_total", ["class": "personal", "purpose": "personal"]) == 4)
        #expect(scraped.value(name + "class_total", ["class": "personal", "purpose": "retry"]) == 1)
        #expect(scraped.value(name + "route_total", ["route": "/v1/me/library/{type}"]) == 5)
        #expect(scraped.value(name + "client_total", ["kind": "key", "client": "phone"]) == 1)
        #expect(scraped.value(name + "client_total", ["kind": "key", "client": "removed keys"]) == 1)
        #expect(scraped.value(name + "client_total", ["kind": "network", "client": "all networks"]) == 2)
        #expect(scraped.value(name + "client_total", ["kind": "socket", "client": "Unix sockets"]) == 1)
        for axis in ["class", "route", "client"] {
            #expect(scraped.values(name + axis + "_total").reduce(0, +) == scraped.value("refrain_upstream_sent_total"))
        }
    }

    /// A network that lost its row to another took its requests out of the sum, which Prometheus
    /// reads as a new start.
    @Test func theNetworksAreNeverFewerThanBefore() throws {
        let loop = Statistics()
        let route = try CanonicalTarget("/v1/storefronts").route
        let count = Spenders.capacity + 9
        for number in 0..<UInt64(count) {
            loop.upstreamStarted(UpstreamLabel(route, .miss, of: .network(number)), isRepeated: false)
        }
        let values = try Exposition(try input([loop]).metrics).values("refrain_upstream_sent_by_client_total")
        #expect(values == [Double(count)])
    }

    @Test func thePurgesThatAreRememberedAreCounted() throws {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil)
        func figure(_ name: String) throws -> Int {
            let observations = try input([Statistics()], cache)
            let (scraped, stats) = (try Exposition(observations.metrics), try JSON.parse(observations.json))
            let isCounter = name == "forgotten" || name == "widened"
            let value = try #require(scraped.value("refrain_purges_" + name + (isCounter ? "_total" : "")))
            #expect(value == stats["purges_" + name]?.intValue.map { Double($0) }, "\(name)")
            return Int(value)
        }
        /// Purges of so many targets, which count as an eighth of a mebibyte each.
        func purge(_ count: Int) {
            for _ in 0..<count {
                let target = Array("/\(cache.purges.newest)".utf8) + Array(repeating: UInt8(ascii: "a"), count: 1 << 16)
                cache.purges.note(EntrySelection([.target(target)]), .soft)
            }
        }
        #expect(try figure("remembered") == 0 && figure("pending") == 0)
        purge(40)
        #expect(try figure("remembered") == 40 && figure("pending") == 40)
        cache.purges.noteSwept(38)
        #expect(try figure("remembered") == 40 && figure("pending") == 2)
        cache.purges.noteSwept(40)
        purge(30)
        #expect(try figure("forgotten") == 1 && figure("widened") == 0)
        purge(70)
        #expect(try figure("widened") == 1)
    }

    /// A full disk was only seen when the file could no longer be written.
    @Test func theDiskIsExposedWhereThereIsAFile() throws {
        let folder = try TemporaryFolder()
        let store = FileTier.open(path: folder.file("cache.sqlite"), maxBytes: 16 << 20) { _ in }
        defer { withExtendedLifetime(folder) { store.records.close() } }
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: store)
        let scraped = try Exposition(try input([Statistics()], cache).metrics)
        let (free, all) = (scraped.value("refrain_cache_disk_free_bytes"), scraped.value("refrain_cache_disk_bytes"))
        #expect(try #require(free) > 0 && free! <= #require(all))
        let alone = try Exposition(try input([Statistics()]).metrics)
        #expect(alone.value("refrain_cache_disk_free_bytes") == nil)
    }

    @Test func theEndOfATokenThatCameReadyIsExposed() throws {
        let folder = try TemporaryFolder()
        let claims = Data(#"{"exp":1800003600}"#.utf8).base64EncodedString()
        let path = try folder.put("e30.\(claims.filter { $0 != "=" }).c2ln", "token", mode: 0o600)
        let tokens = try DeveloperTokens(tokenFile: path)
        let key = try SigningKey(pem: SigningKey.generatePEM())
        let signed = try DeveloperTokens(
            signer: DeveloperTokenSigner(key: key, keyID: "K", teamID: "T", lifetime: 3600), at: 1_800_000_000)
        for (source, end) in [(tokens, 1_800_003_600), (signed, nil)] as [(DeveloperTokens, Double?)] {
            let scraped = try Exposition(try input([Statistics()], developer: source).metrics)
            #expect(scraped.value("refrain_developer_token_file_expiry_timestamp_seconds") == end)
            #expect(scraped.value("refrain_developer_token_expiry_timestamp_seconds") != nil)
        }
    }

    @Test func theTierIsExposedWhereThereIsOne() throws {
        let scraped = try Exposition(try input([Statistics()], tier: .sample).metrics)
        let values: KeyValuePairs<String, Double> = [
            "lookups_total": 10, "put_total": 3, "commands_total": 27, "failures_total": 5, "timeouts_total": 4,
            "reconnects_total": 1, "latency_seconds_sum": 0.036, "latency_seconds_count": 12, "waiting": 2,
            "connected": 1, "breaker_open": 1, "purge_log_lag": 3, "clock_skew_seconds": -1.5, "nodes": 3,
            "nodes_alive": 2, "namesake": 0, "ready": 1,
        ]
        for (name, value) in values { #expect(scraped.value("refrain_tier_" + name) == value, "\(name)") }
        #expect(scraped.value("refrain_tier_put_failed_total") == 2 && scraped.value("refrain_tier_refusing") == 0)
        #expect(scraped.value("refrain_tier_refusals_total", ["kind": "oom"]) == 4)
        #expect(scraped.value("refrain_tier_refusals_total", ["kind": "noperm"]) == 0)
        #expect(scraped.values("refrain_tier_refusals_total").count == EngineRefusal.Kind.allCases.count)
        #expect(scraped.kinds["refrain_tier_latency_seconds"] == "summary")
        #expect(scraped.value("refrain_tier_results_total", ["result": "taken"]) == 6)
        #expect(scraped.value("refrain_tier_results_total", ["result": "purged"]) == 0)
        #expect(scraped.values("refrain_tier_results_total").count == 9, "neither all questions nor what was put")
        let alone = try Exposition(try input([Statistics()]).metrics)
        #expect(!alone.kinds.keys.contains { $0.hasPrefix("refrain_tier") })
    }

    @Test func histogramsAreCumulativeAndEndWithAll() throws {
        let loop = Statistics()
        for exponent in 0..<40 { loop.latencies[Outcome.miss.rawValue].record(nanoseconds: 1 << exponent) }
        let scraped = try Exposition(try input([loop]).metrics)
        let buckets = scraped.samples.filter {
            $0.name == "refrain_request_duration_seconds_bucket" && $0.labels["outcome"] == "miss"
        }
        let bounds = buckets.map { $0.labels["le"] == "+Inf" ? Double.infinity : Double($0.labels["le"] ?? "") ?? -1 }
        #expect(bounds == bounds.sorted() && Set(bounds).count == bounds.count && bounds.last == .infinity)
        #expect(bounds.starts(with: [0.00001, 0.00002, 0.00005, 0.0001]))
        #expect(bounds.suffix(4) == [10, 20, 50, .infinity])
        #expect(buckets.map(\.value) == buckets.map(\.value).sorted())
        #expect(buckets.last?.value == 40)
        #expect(scraped.value("refrain_request_duration_seconds_count", ["outcome": "miss"]) == 40)
        let sum = Double((1 << 40) - 1) / 1e9
        #expect(abs((scraped.value("refrain_request_duration_seconds_sum", ["outcome": "miss"]) ?? 0) - sum) < 1e-6)
    }

    @Test func figuresOfTheProcessAreReadBesideAnyName() {
        var figures = ProcessFigures()
        let stat = "7 (a b) c) S 1 7 7 0 -1 4194560 1 2 3 4 250 150 0 0 20 0 5 0 4000 123456 300 18446744073709551615"
        figures.read(stat: stat, bootedAt: 1000, ticks: 100, pageBytes: 4096)
        let expected = ProcessFigures(
            cpuSeconds: 4, residentBytes: 300 * 4096, virtualBytes: 123456, threads: 5, startedAt: 1040)
        #expect(figures == expected)
        figures = ProcessFigures()
        figures.read(stat: "nonsense", bootedAt: 1000)
        #expect(figures == ProcessFigures())
    }
}

/// Requests to Apple by cause: since the start, now, and within the windows of the page.
@Suite struct SpendingReportTests {
    private let statistics = Statistics()
    private let start = Instant(nanoseconds: 1_000_000_000_000)

    private var source: StatisticsSource {
        let keys = try? ClientKeys(SecretBytes(Array("phone 0123456789abcdef\n".utf8).span))
        return StatisticsSource.ofTests([statistics], keys: keys)
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
