import Foundation
import TestSupport
import Testing
import Text

@testable import Proxy
@testable import Recording
@testable import Simulator
@testable import Traffic

/// Compares what-if runs with a real proxy that gets the same requests, one at a time.
@Suite(.timeLimit(.minutes(10))) struct WhatIfScenarioTests {
    /// Every request five seconds after the one before it.
    private func targets(_ songs: [String]) -> [String] {
        var random = SeededGenerator(seed: 5)
        return (0..<300).map { _ in
            let song = songs.randomElement(using: &random) ?? ""
            switch Int.random(in: 0..<10, using: &random) {
            case 0: return "/v1/catalog/us/charts?types=songs"
            case 1: return "/v1/catalog/us/songs?ids=\(song),\(songs[0])"
            case 2: return "/v1/catalog/us/songs/none-\(Int.random(in: 0..<3, using: &random))"
            default: return "/v1/catalog/us/songs/\(song)"
            }
        }
    }

    /// Before an API that is small enough to be asked for all of it.
    private static func scene(_ policy: Policy) throws -> ComposingScene {
        try ComposingScene(policy: policy) { $0.artists = 300 }
    }

    /// At ten times the speed ten minutes are one; `Age` follows the wall clock.
    @Test func withTTLSpeedAnswersAgeFaster() throws {
        var policy = Policy(.songs, .fixed(600, stale: 0))
        policy.speed = 10
        let scene = try Self.scene(policy)
        let (proxy, clock) = (scene.proxy, scene.clock)
        let target = "/v1/catalog/us/songs/\(try scene.ids("songs", 1)[0])"
        _ = try proxy.client.send("GET", target)
        clock.advance(seconds: 59)
        let fresh = try proxy.client.send("GET", target)
        #expect(fresh.field("Age") == "59" && fresh.field("Cache-Status")?.contains("hit; ttl=1") == true)
        clock.advance(seconds: 1)
        #expect(try proxy.client.send("GET", target).field("Cache-Status")?.contains("fwd=stale") == true)
        // Confirmed by a 304, for as long again.
        clock.advance(seconds: 59)
        #expect(try proxy.client.send("GET", target).field("Cache-Status")?.contains("hit; ttl=1") == true)
        #expect(scene.proxy.statistics.ttlSpeed() == 10)
    }

    @Test func aRunThatTakesNoTimeCountsAsARealOne() throws {
        var policy = Policy(.songs, .fixed(600, stale: 300))
        policy[.charts] = .fixed(60, stale: 0)
        let scene = try Self.scene(policy)
        let (proxy, clock) = (scene.proxy, scene.clock)
        var exchanges: [RecordedExchange] = []
        var contents: [BodyHash: [UInt8]] = [:]
        for (number, target) in targets(try scene.ids("songs", 40)).enumerated() {
            let reply = try proxy.client.send("GET", target)
            var exchange = RecordedExchange(
                time: Timestamp(microseconds: clock.unixSeconds * 1_000_000), offset: .seconds(5 * number),
                method: "GET", target: target, status: reply.status, latency: .milliseconds(1), length: reply.body.count
            )
            exchange.fields = reply.fields.map { RecordedField($0.name.lowercased(), $0.value) }
            let hash = try #require(BodyHash(of: Array(reply.body)))
            contents[hash] = Array(reply.body)
            exchange.body = hash
            exchanges.append(exchange)
            // Work in the background, such as a refresh, ends before the next request comes.
            waitUntil { proxy.statistics.upstream.inFlight == 0 && proxy.statistics.upstream.waiting == 0 }
            clock.advance(seconds: 5)
        }

        let traffic = RecordedTraffic(exchanges, bodies: RecordedBodies(contents))
        var settings = WhatIfSettings(name: "test")
        settings.policy = policy
        settings.composition = .byExample()
        let figures = try WhatIf.run(traffic, settings)
        let real = scene.proxy.statistics
        #expect(figures.requests == 300 && figures.notRecorded == 0)
        #expect(figures.hits == real[.hits] && figures.misses == real[.misses])
        #expect(figures.stale == real[.stale] && figures.composed == real.latency(.composed).count)
        #expect(figures.revalidated == real[.revalidated])
        #expect(figures.upstreamRequests == real[.upstreamRequests])
        #expect(real[.stale] > 0 && real[.misses] > 40 && real[.hits] > 150)
    }
}
