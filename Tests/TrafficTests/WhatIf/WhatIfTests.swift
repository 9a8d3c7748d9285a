import Freshness
import Glibc
import Recording
import TestSupport
import Testing

@testable import Traffic

@Suite struct WhatIfTests {
    private func run(
        _ trace: TraceUnderTest, _ change: (inout WhatIfSettings) -> Void = { _ in }
    ) throws -> WhatIfFigures {
        var settings = WhatIfSettings(name: "test")
        change(&settings)
        return try WhatIf.run(trace.traffic, settings)
    }

    @Test func theSameTraceAndSettingsGiveTheSameFigures() throws {
        var trace = try TraceUnderTest()
        let count = TestSize.of(300, release: 800)
        trace.addMixture(count, seed: 1, every: .milliseconds(900))
        let variants: [(inout WhatIfSettings) -> Void] = [
            { _ in }, { $0.memoryBytes = 200_000 }, { $0.composition.batch = false },
            { ($0.memoryBytes, $0.fileBytes) = (100_000, 1 << 20) },
        ]
        for change in variants {
            let (first, second) = (try run(trace, change), try run(trace, change))
            #expect(first == second)
            #expect(first.requests == count && first.failed == 0)
            #expect(first.hits + first.misses + first.passes == count)
            #expect(first.hits > 50 && first.misses > 50)
            #expect(first.intervals.reduce(0) { $0 + $1.hits } == first.hits)
            #expect(first.intervals.reduce(0) { $0 + $1.upstreamRequests } == first.upstreamRequests)
        }
    }

    @Test func shorterLifetimesAskTheOriginMore() throws {
        var trace = try TraceUnderTest()
        // The same song every minute for a day.
        for minute in 0..<1440 { trace.add("/v1/catalog/us/songs/\(trace.songs[0])", at: .seconds(60 * minute)) }
        let day = try run(trace)
        #expect(day.misses == 1 && day.hits == 1439 && day.upstreamRequests == 1)
        let hour = try run(trace) { $0.policy[.songs] = .fixed(3600, stale: 0) }
        // Fresh for less than an hour after it came, so it is asked for anew with each 60th
        // request.
        #expect(hour.misses == 24 && hour.upstreamRequests == 24 && hour.stale == 0)
        let stale = try run(trace) { $0.policy[.songs] = .fixed(3600, stale: 86_400) }
        #expect(stale.misses == 1 && stale.stale == 23 && stale.upstreamRequests == 24)
    }

    @Test func requestsWithinTheOriginsLatencyCollapse() throws {
        var trace = try TraceUnderTest()
        for number in 0..<5 {
            trace.add(
                "/v1/catalog/us/songs/\(trace.songs[0])", at: .milliseconds(10 * number), latency: .milliseconds(200))
        }
        let figures = try run(trace)
        #expect(figures.upstreamRequests == 1 && figures.collapsed == 4 && figures.misses == 5)
        #expect(figures.peakUpstreamRate == 1)
    }

    @Test func theUpstreamRateIsHeld() throws {
        var trace = try TraceUnderTest()
        for (number, song) in trace.songs.prefix(40).enumerated() {
            trace.add("/v1/catalog/us/songs/\(song)", at: .milliseconds(number))
        }
        let free = try run(trace) { $0.composition.batch = false }
        #expect(free.upstreamRequests == 40 && free.peakUpstreamRate == 40)
        let bound = try run(trace) { ($0.composition.batch, $0.upstreamRate) = (false, 10) }
        #expect(bound.upstreamRequests == 40 && bound.failed == 0)
        #expect(bound.peakUpstreamRate < 25)
    }

    @Test func batchesAreAssembledOutOfRecordedResources() throws {
        var trace = try TraceUnderTest()
        for (number, song) in trace.songs.enumerated() {
            // One shows the form; the others come by five, of which four are joined, once the first
            // groups have shown that songs look the same in batches.
            let offset = number == 0 ? Duration.zero : .seconds(10 * ((number + 4) / 5)) + .milliseconds(number % 5)
            trace.add("/v1/catalog/us/songs/\(song)", at: offset)
        }
        let alone = try run(trace) { $0.composition.batch = false }
        #expect(alone.upstreamRequests == trace.songs.count && alone.assembled == 0)
        let joined = try run(trace)
        #expect(joined.assembled > 0 && joined.notRecorded == 0)
        #expect(joined.upstreamRequests < alone.upstreamRequests, "\(joined.upstreamRequests)")
        #expect(joined.bytesToClients == alone.bytesToClients)
    }

    /// In virtual time a miss takes as long as the origin, and not a moment longer, however soon it
    /// follows the end of the one before it.
    @Test(arguments: [(80, 1_000), (1, 3)]) func aLoneMissDoesNotWaitForOthers(latency: Int, every: Int) throws {
        var trace = try TraceUnderTest()
        trace.add("/v1/catalog/us/songs/\(trace.songs[0])", at: .zero)
        for (number, song) in trace.songs.dropFirst().prefix(10).enumerated() {
            // Each is asked for again a millisecond after its answer should be there.
            for offset in [0, latency + 1] {
                trace.add(
                    "/v1/catalog/us/songs/\(song)", at: .seconds(1) + .milliseconds(number * every + offset),
                    latency: .milliseconds(latency))
            }
        }
        for batch in [true, false] {
            let figures = try run(trace) { $0.composition.batch = batch }
            #expect(figures.misses == 11 && figures.hits == 10 && figures.collapsed == 0)
        }
    }

    @Test func aMissAfterAnotherWaitsForNoLongerThanTheWindow() throws {
        // It came at 2, and the origin takes 80.
        for (asksAgain, hits) in [(85, 0), (87, 10)] {
            var trace = try TraceUnderTest()
            trace.add("/v1/catalog/us/songs/\(trace.songs[0])", at: .zero)
            for number in 0..<10 {
                let (start, songs) = (Duration.seconds(number + 1), trace.songs[(2 * number + 1)...])
                trace.add("/v1/catalog/us/songs/\(songs[songs.startIndex])", at: start)
                let target = "/v1/catalog/us/songs/\(songs[songs.startIndex + 1])"
                trace.add(target, at: start + .milliseconds(2))
                trace.add(target, at: start + .milliseconds(asksAgain))
            }
            let figures = try run(trace)
            #expect(figures.upstreamRequests == 21, "a batch of one is none")
            #expect(figures.hits == hits && figures.collapsed == 10 - hits)
        }
    }

    @Test func personalRequestsPassWhateverTheSettings() throws {
        var trace = try TraceUnderTest()
        for second in 0..<10 { trace.addPersonal(at: .seconds(second)) }
        for policy in [TTLRule.off, .fixed(3600, stale: 0)] {
            let figures = try run(trace) { $0.policy[.personal] = policy }
            #expect(figures.passes == 10 && figures.hits == 0 && figures.upstreamRequests == 10)
            #expect(figures.filled == 10 && figures.bytesToClients == 50_000)
        }
    }

    /// Lines come in the order of answers: a slow one comes after those that it was before. Later
    /// answers are not known earlier.
    @Test func theOrderOfTheLinesDoesNotMatter() throws {
        var trace = try TraceUnderTest()
        let target = "/v1/catalog/us/songs/\(trace.songs[0])"
        for (hour, name) in [(2, "b"), (0, "a"), (1, "a"), (3, "b"), (4, "a")] {
            trace.add(target, at: .seconds(3600 * hour)) {
                $0.body = nil
                $0.status = name == "a" ? 404 : 410
                $0.length = 0
            }
        }
        trace.addPersonal(at: .seconds(60))
        let traffic = trace.traffic
        func status(_ seconds: Int) -> Int {
            traffic.origin.answer("GET", Array(target.utf8), at: .seconds(seconds), now: 0).status
        }
        #expect([0, 3600, 7199, 7200, 14_399, 14_400].map(status) == [404, 404, 404, 410, 410, 404])
        #expect(traffic.started == TraceUnderTest.started && traffic.duration == .seconds(14_400))
        #expect((0..<traffic.count).map { traffic.due($0) / .seconds(60) } == [0, 1, 60, 120, 180, 240])
        let personal = String(decoding: traffic.request(1).head, as: UTF8.self)
        #expect(personal.hasPrefix("GET \(RecordedOrigin.personalTarget(0)) HTTP/1.1\r\n"))
    }

    @Test func aBodyThatWasNotRecordedIsFilledUp() throws {
        var trace = try TraceUnderTest()
        trace.add("/v1/catalog/us/songs/\(trace.songs[0])", at: .zero) {
            $0.body = nil
            $0.length = 12_345
        }
        let figures = try run(trace)
        #expect(figures.filled == 1 && figures.bytesFromUpstream == 12_345 && figures.bytesToClients == 12_345)
    }

    @Test func requestsRefusedForWantOfAKeyAreLeftOut() throws {
        var trace = try TraceUnderTest()
        trace.add("/v1/catalog/us/songs/\(trace.songs[0])", at: .zero) {
            $0.status = 401
            $0.outcome = "refused"
        }
        trace.add("/v1/catalog/us/songs/\(trace.songs[0])", at: .seconds(1))
        #expect(trace.traffic.leftOut == 1 && trace.traffic.count == 1)
        #expect(try run(trace).requests == 1)
    }

    @Test func composingSparesRequests() throws {
        var trace = try TraceUnderTest()
        trace.addMixture(TestSize.of(600, release: 1500), seed: 2, every: .milliseconds(300))
        let with = try run(trace)
        let without = try run(trace) { ($0.composition.compose, $0.composition.windows) = (.off, false) }
        #expect(with.composed > 0 && without.composed == 0)
        #expect(with.misses < without.misses)
    }

    /// Ctrl-C ended the program at once, and left the cache file with recorded content on the disk.
    @Test func aRunThatIsStoppedLeavesNothingOnDisk() throws {
        var trace = try TraceUnderTest()
        trace.addMixture(200, seed: 3, every: .milliseconds(900))
        let (stop, directory) = (WhatIfStop(), try TemporaryDirectory())
        stop.stop()
        #expect(access(directory.path, F_OK) == 0)
        var settings = WhatIfSettings(name: "test")
        settings.fileBytes = 1 << 20
        _ = try WhatIf.run(trace.traffic, settings, until: stop, in: directory)
        #expect(stop.isStopped && access(directory.path, F_OK) != 0)
    }
}
