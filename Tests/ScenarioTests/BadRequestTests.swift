import Foundation
import Synchronization
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
        var policy = Policy()
        policy.badRequest = .fixed(90, stale: 0)
        let scene = try ScriptedScene(policy: policy) { _ in Self.reply("40005") }
        let first = try scene.proxy.client.send("GET", Self.page)
        let second = try scene.proxy.client.send("GET", Self.page)
        #expect(first.status == 400 && second.status == 400 && first.body == second.body)
        #expect(second.field("Cache-Status") == "refrain; hit; ttl=90" && scene.origin.requests.count == 1)
        scene.clock.advance(seconds: 91)
        #expect(try scene.proxy.client.send("GET", Self.page).status == 400)
        #expect(scene.origin.requests.count == 2)
    }

    @Test func othersAreAskedForEachTime() throws {
        let scene = try ScriptedScene { _ in Self.reply("40015") }
        for seconds in [0, 0, 600] {
            scene.clock.advance(seconds: seconds)
            #expect(try scene.proxy.client.send("GET", Self.page).status == 400)
        }
        #expect(scene.origin.requests.count == 3)
        let purposes = scene.proxy.statistics.spending.counts(by: .purpose)
        #expect(purposes == [.purpose(.miss): 2, .purpose(.unstored): 1], "what was long ago says nothing of now")
    }

    /// An origin that refuses a request it answered before may do so for a moment.
    @Test func noneTakesThePlaceOfAnAnswer() throws {
        let isRefused = Mutex(false)
        // With a validator it is kept past its time.
        let answer = FakeOrigin.Reply(fields: [("ETag", "\"a\"")], body: #"{"data":[{"id":"1"}]}"#)
        let scene = try ScriptedScene(policy: Policy(.songs, .fixed(10, stale: 0))) { _ in
            isRefused.withLock { $0 } ? Self.reply("40005") : answer
        }
        #expect(try scene.proxy.client.send("GET", Self.page).status == 200)
        scene.clock.advance(seconds: 11)
        isRefused.withLock { $0 = true }
        #expect(try scene.proxy.client.send("GET", Self.page).status == 400)
        isRefused.withLock { $0 = false }
        #expect(try scene.proxy.client.send("GET", Self.page).status == 200)
        #expect(scene.origin.requests.count == 3)
    }
}
