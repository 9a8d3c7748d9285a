import Foundation
import Freshness
import Server
import Synchronization
import TestSupport
import Testing

@testable import Proxy

/// `ttl bad-request`: a 400 that came 1,476 times went to the origin 1,476 times.
@Suite(.timeLimit(.minutes(10))) struct BadRequestTests {
    private static let page = "/v1/catalog/us/songs/1/albums?limit=9999"
    private static func error(_ code: String) -> String {
        #"{"errors":[{"status":"400","code":"\#(code)","source":{"parameter":"limit"}}]}"#
    }

    private static func reply(_ code: String) -> FakeOrigin.Reply { FakeOrigin.Reply(status: 400, body: error(code)) }

    @Test func oneThatNamesAParameterIsStored() throws {
        let clock = ManualClock(1_790_000_000)
        let origin = try FakeOrigin { _ in Self.reply("40005") }
        let proxy = try ProxyUnderTest(originPort: origin.port, timeOfDay: TimeOfDay { clock.unixSeconds })
        defer { proxy.stop() }
        let first = try proxy.client.send("GET", Self.page)
        let second = try proxy.client.send("GET", Self.page)
        #expect(first.status == 400 && second.status == 400 && first.body == second.body)
        #expect(second.field("Cache-Status") == "refrain; hit; ttl=60" && origin.requests.count == 1)
        clock.advance(seconds: 61)
        #expect(try proxy.client.send("GET", Self.page).status == 400)
        #expect(origin.requests.count == 2)
    }

    @Test func othersAreAskedForEachTime() throws {
        let clock = ManualClock(1_790_000_000)
        let origin = try FakeOrigin { _ in Self.reply("40015") }
        let proxy = try ProxyUnderTest(originPort: origin.port, timeOfDay: TimeOfDay { clock.unixSeconds })
        defer { proxy.stop() }
        for seconds in [0, 0, 600] {
            clock.advance(seconds: seconds)
            #expect(try proxy.client.send("GET", Self.page).status == 400)
        }
        #expect(origin.requests.count == 3)
        let purposes = proxy.statistics.spending.counts(by: .purpose)
        #expect(purposes == [.purpose(.miss): 2, .purpose(.unstored): 1], "what was long ago says nothing of now")
    }

    /// An origin that refuses what it answered before may do so for a moment.
    @Test func noneTakesThePlaceOfAnAnswer() throws {
        let clock = ManualClock(1_790_000_000)
        let isRefused = Mutex(false)
        // With a validator it is kept past its time.
        let answer = FakeOrigin.Reply(fields: [("ETag", "\"a\"")], body: #"{"data":[{"id":"1"}]}"#)
        let origin = try FakeOrigin { _ in isRefused.withLock { $0 } ? Self.reply("40005") : answer }
        var policy = Policy()
        policy[.songs] = .fixed(10, stale: 0)
        let proxy = try ProxyUnderTest(
            originPort: origin.port, policy: policy, timeOfDay: TimeOfDay { clock.unixSeconds })
        defer { proxy.stop() }
        #expect(try proxy.client.send("GET", Self.page).status == 200)
        clock.advance(seconds: 11)
        isRefused.withLock { $0 = true }
        #expect(try proxy.client.send("GET", Self.page).status == 400)
        isRefused.withLock { $0 = false }
        #expect(try proxy.client.send("GET", Self.page).status == 200)
        #expect(origin.requests.count == 3)
    }
}
