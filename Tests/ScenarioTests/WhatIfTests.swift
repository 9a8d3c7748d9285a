import Compose
import Foundation
import Server
import TestSupport
import Testing
import Text

@testable import Proxy
@testable import Recording
@testable import Simulator
@testable import Traffic

/// A comparison of what-if runs with real ones.
///
/// A proxy that listens gets the same requests, one at a time.
@Suite struct WhatIfScenarioTests {
    private static let start: Int64 = 1_795_219_200

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

    /// The simulated API, small enough to be asked for all of it.
    private static func origin() throws -> (SimulatedAPI, ServiceHost) {
        let api = SimulatedAPI.open { $0.artists = 300 }
        return (api, try ServiceHost.serving(api))
    }

    /// Ten minutes are one where everything comes ten times as fast; clients are told the age by
    /// the clock on the wall.
    @Test func withTTLSpeedAnswersAgeFaster() throws {
        let (api, origin) = try Self.origin()
        defer { origin.stop() }
        var policy = Policy(.songs, .fixed(600, stale: 0))
        policy.speed = 10
        let clock = ManualClock(Self.start)
        let proxy = try ProxyUnderTest(
            originPort: Int(origin.address.port), policy: policy, timeOfDay: TimeOfDay { clock.unixSeconds })
        let target = "/v1/catalog/us/songs/\(try api.ids(of: "songs", 1)[0])"
        _ = try proxy.client.send("GET", target)
        clock.advance(seconds: 59)
        let fresh = try proxy.client.send("GET", target)
        #expect(fresh.field("Age") == "59" && fresh.field("Cache-Status")?.contains("hit; ttl=1") == true)
        clock.advance(seconds: 1)
        #expect(try proxy.client.send("GET", target).field("Cache-Status")?.contains("fwd=stale") == true)
        // Confirmed by a 304, for as long again.
        clock.advance(seconds: 59)
        #expect(try proxy.client.send("GET", target).field("Cache-Status")?.contains("hit; ttl=1") == true)
        #expect(proxy.statistics.ttlSpeed() == 10)
    }

    @Test func aRunThatTakesNoTimeCountsAsARealOne() throws {
        let (api, origin) = try Self.origin()
        defer { origin.stop() }
        var policy = Policy(.songs, .fixed(600, stale: 300))
        policy[.charts] = .fixed(60, stale: 0)
        let composition = CompositionSettings()
        let clock = ManualClock(Self.start)
        let proxy = try ProxyUnderTest(
            originPort: Int(origin.address.port), policy: policy, timeOfDay: TimeOfDay { clock.unixSeconds },
            composition: composition)

        var exchanges: [RecordedExchange] = []
        var contents: [BodyHash: [UInt8]] = [:]
        for (number, target) in targets(try api.ids(of: "songs", 40)).enumerated() {
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
        settings.composition = composition
        let figures = try WhatIf.run(traffic, settings)
        let real = proxy.statistics
        #expect(figures.requests == 300 && figures.notRecorded == 0)
        #expect(figures.hits == real[.hits] && figures.misses == real[.misses])
        #expect(figures.stale == real[.stale] && figures.composed == real.latency(.composed).count)
        #expect(figures.revalidated == real[.revalidated])
        #expect(figures.upstreamRequests == real[.upstreamRequests])
        #expect(real[.stale] > 0 && real[.misses] > 40 && real[.hits] > 150)
    }
}
