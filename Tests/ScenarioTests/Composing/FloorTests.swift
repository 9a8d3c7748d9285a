import Foundation
import Purging
import TestSupport
import Testing
import Tier

@testable import Proxy

/// A URL shows nothing older than it has shown before.
@Suite(.timeLimit(.minutes(10))) struct FloorTests {
    /// A URL, a larger answer of which its answer is made, an older answer that is one too, and
    /// what is changed.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let url: String
        let larger: String
        let older: String
        let change: String

        init(_ url: String, from larger: String, or older: String, _ change: String) {
            (self.url, self.larger, self.older, self.change) = (url, larger, older, change)
            testDescription = "\(url) of \(larger) with a new \(change)"
        }
    }

    private static let list = RevisedOrigin.list
    /// Larger answers in a form that was not seen before are fetched, whatever older ones are held.
    static let cases = [
        Case("albums/1", from: "albums/1?include=artists,genres", or: "albums?ids=1,2", "albums/1"),
        Case(
            "albums/1?include=artists", from: "albums?ids=1,2&include=artists", or: "albums?ids=1,3&include=artists",
            "artists/7"),
        Case("albums?ids=1,2", from: "albums?ids=1,2&include=artists,genres", or: "albums?ids=2,1,4", "albums/2"),
        Case("\(list)?limit=4&offset=4", from: "\(list)?limit=20", or: "\(list)?limit=12", "albums/6"),
        Case("\(list)?limit=4&offset=4", from: "\(list)?limit=20", or: "\(list)?limit=12", list),
        Case("\(list)?limit=4&offset=4", from: "\(list)?limit=12&offset=2", or: "\(list)?limit=10", list),
    ]

    /// Has the proxy learn the forms, and its URLs nothing.
    private func teach(_ scene: RevisedScene) throws {
        for name in [
            "albums/9", "albums/9?include=artists", "albums?ids=8,9", "albums?ids=8,9&include=artists", "artists/7",
            "\(Self.list)?limit=4&offset=44", "\(Self.list)?limit=4&offset=36", "\(Self.list)?offset=25",
        ] { _ = try scene.get(name) }
    }

    /// The URL's own answer has expired, and a newer one was composed of the larger answer.
    private func composed(_ row: Case, holdingOlder: Bool = false) throws -> RevisedScene {
        let scene = try RevisedScene()
        _ = try scene.get(row.url)
        scene.clock.advance(seconds: RevisedScene.freshFor + 1)
        try teach(scene)
        if holdingOlder { _ = try scene.get(row.older) }
        scene.clock.advance(seconds: 1)
        scene.origin.raise(row.change)
        #expect(try scene.get(row.larger).revisions[row.change] == 1)
        let shown = try scene.get(row.url)
        #expect(shown.revisions[row.change] == 1 && shown.cacheStatus.contains("hit"), "\(shown)")
        return scene
    }

    @Test(arguments: cases) func anExpiredAnswerWasBackAfterARestart(_ row: Case) throws {
        let scene = try composed(row)
        try scene.restart()
        let again = try scene.get(row.url)
        #expect(again.revisions[row.change] == 1 && again.older.isEmpty, "\(again)")
    }

    @Test(arguments: cases) func anExpiredAnswerWasBackOnceTheLargerOneWasGone(_ row: Case) throws {
        let scene = try composed(row)
        scene.evict(row.larger)
        scene.evict(row.url, fromFile: false)
        #expect(try scene.get(row.url).revisions[row.change] == 1)
        let other = try composed(row)
        other.purge(row.larger)
        #expect(try other.get(row.url).revisions[row.change] == 1)
        let softened = try composed(row)
        softened.purge(row.larger, .soft)
        #expect(try softened.get(row.url).revisions[row.change] == 1)
    }

    @Test(arguments: cases) func anOlderAnswerTookThePlaceOfTheLargerOne(_ row: Case) throws {
        for restarts in [false, true] {
            let scene = try composed(row, holdingOlder: true)
            scene.purge(row.larger)
            // The forms are learnt again of what is in the file.
            if restarts { try scene.restart(untilIndexed: true) }
            let again = try scene.get(row.url)
            #expect(again.revisions[row.change] == 1, "\(restarts ? "after a restart " : "")\(again)")
        }
    }

    /// Nothing was composed yet: the newest answer alone says that the stored one is out of date.
    @Test func aStaleAnswerThatANewerOneContradictsStoodIn() throws {
        let scene = try RevisedScene()
        _ = try scene.get("albums/1")
        scene.clock.advance(seconds: RevisedScene.freshFor + 1)
        scene.origin.raise("albums/1")
        // No batch was seen before, so nothing is known about what single albums look like.
        _ = try scene.get("albums?ids=1,2&include=artists")
        let shown = try scene.get("albums/1")
        #expect(shown.revisions["albums/1"] == 1)
        #expect(
            shown.cacheStatus.contains("fwd=stale") && scene.proxy.statistics[because: .superseded] == 1, "\(shown)")
    }

    /// Another way to compose has another library, which knew nothing of what was contradicted.
    @Test func aReloadForgotWhatWasContradicted() throws {
        let scene = try RevisedScene(keepsFile: false)
        _ = try scene.get("albums/1")
        scene.clock.advance(seconds: RevisedScene.freshFor + 1)
        scene.origin.raise("albums/1")
        _ = try scene.get("albums?ids=1,2&include=artists")
        scene.evict("albums?ids=1,2&include=artists")
        try scene.proxy.adopt { settings in
            settings.serve { $0.composition.windows.toggle() }
        }
        let shown = try scene.get("albums/1")
        #expect(shown.revisions["albums/1"] == 1, "\(shown)")
    }

    /// A composed answer stands in for the origin's, and the answer that it replaced never does.
    @Test func aReplacedAnswerStoodInForAFailingOrigin() throws {
        let row = Self.cases[0]
        let scene = try composed(row)
        scene.origin.fail()
        scene.clock.advance(seconds: RevisedScene.freshFor + 1)
        let stale = try scene.get(row.url)
        #expect(stale.revisions[row.change] == 1 && stale.cacheStatus.contains("stale"), "\(stale)")
        try scene.restart()
        #expect(try scene.get(row.url).status == 503)
        // Other expired answers stand in as ever.
        #expect(try scene.get("albums/9").cacheStatus.contains("stale-while-revalidate"))
    }

    /// The answer to an earlier request came after the composed one was shown.
    @Test func anAnswerThatWasOvertakenWasShownAfterwards() throws {
        let scene = try RevisedScene()
        try teach(scene)
        let gate = ScriptedOrigin.Gate()
        scene.origin.hold("albums/1", for: gate)
        let late = try scene.proxy.connection(sending: .get(RevisedScene.target("albums/1"), closes: true))
        waitUntil { scene.origin.targets.contains("albums/1") }
        scene.origin.raise("albums/1")
        _ = try scene.get("albums/1?include=artists")
        #expect(try scene.get("albums/1").revisions["albums/1"] == 1)
        gate.open()
        #expect(late.readToEnd().ended)
        let again = try scene.get("albums/1")
        #expect(again.revisions["albums/1"] == 1 && again.older.isEmpty, "\(again)")
    }

    /// The other node's answer came before this one's, and would have been shown after it.
    @Test(.requires(.redis)) func anOlderAnswerOfAnotherNodeIsNotTaken() throws {
        let engine = try RedisServer()
        let tiers = (0..<2).map { SharedTier(ofNode: $0, engine) }
        let other = try RevisedScene(tier: tiers[0])
        tiers[0].beginLog(in: other.cache)
        let scene = try RevisedScene(before: other.origin, tier: tiers[1])
        #expect(try other.get("albums/1").revisions["albums/1"] == 0)
        waitUntil { tiers[0].counters[.put] == 1 }
        scene.clock.advance(seconds: 1)
        scene.origin.raise("albums/1")
        // Not knowing the log yet, the node takes nothing of the other's.
        #expect(try scene.get("albums?ids=1,2&include=artists").revisions["albums/1"] == 1)
        tiers[1].beginLog(in: scene.cache)
        #expect(try scene.get("albums/1").revisions["albums/1"] == 1)
        #expect(scene.origin.targets.filter { $0 == "albums/1" }.count == 2 && tiers[1].counters[.taken] == 0)
    }

    private static let urls =
        ["albums/1", "albums/2", "albums/1?include=artists", "albums/2?include=artists", "albums?ids=1,2", "artists/7"]
        + ["albums?ids=1,2&include=artists", "albums?ids=2,3", "albums/5"]
        + ["limit=4", "limit=4&offset=4", "limit=4&offset=8", "limit=12", "limit=20", "limit=12&offset=4"]
        .map { "\(RevisedOrigin.list)?\($0)" }

    /// Fetches, compositions, changes, time, restarts, evictions and purges by chance, against a
    /// model that remembers the latest revision that each URL has shown.
    @Test(arguments: 1...TestSize.of(6, full: 30, release: 2_000)) func noURLGoesBack(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let scene = try RevisedScene()
        // The clock is adjusted in odd ones.
        let isAdjusted = seed % 2 == 1
        var last: [String] = []
        func step(_ what: String) { last = last.suffix(40) + [what] }
        for _ in 0..<TestSize.of(250, full: 600) {
            let url = Self.urls.randomElement(using: &random) ?? ""
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<60:
                let shown = try scene.get(url)
                step("\(url) \(shown.cacheStatus) \(shown.revisions.filter { $0.value > 0 })")
                #expect(
                    shown.status == 200 && shown.older.isEmpty,
                    "seed \(seed): \(shown.older)\n\(last.joined(separator: "\n"))")
                if !shown.older.isEmpty { return }
                if Bool.random(using: &random) { waitUntil { !scene.proxy.isAsking } }
            case 60..<74:
                let changed =
                    ["albums/1", "albums/2", "albums/5", "artists/7", RevisedOrigin.list].randomElement(using: &random)
                    ?? ""
                scene.origin.raise(changed)
                step("new \(changed)")
            case 74..<86:
                let seconds = Int.random(in: (isAdjusted ? -3 : 1)...14, using: &random)
                scene.clock.advance(seconds: seconds)
                step("\(seconds) s")
            case 86..<90:
                let mode: PurgeMode = Bool.random(using: &random) ? .hard : .soft
                scene.purge(url, mode)
                step("\(mode) purge of \(url)")
            case 90..<96:
                let fromFile = Bool.random(using: &random)
                scene.evict(url, fromFile: fromFile)
                step("eviction of \(url)\(fromFile ? "" : " from memory")")
            default:
                // Before the file's latest answer is read, nothing tells that the clock went back.
                try scene.restart(untilIndexed: Bool.random(using: &random) || isAdjusted)
                step("restart")
            }
        }
        let composed = ["reduced", "split", "window"].map { scene.reasons[$0] ?? 0 }.reduce(0, +)
        #expect(composed > 10, "seed \(seed): hardly anything was composed: \(scene.reasons)")
    }
}
