import Foundation
import Proxy
import Purging
import Store
import TestSupport
import Testing

/// Bodies that are no answer despite their status, errors that contradict stored answers, and
/// errors that name a parameter (`ttl bad-request`).
@Suite(.timeLimit(.minutes(10))) struct NoAnswerTests {
    private static let album = "/v1/catalog/us/albums/1"
    private static let good = #"{"data":[{"id":"1","type":"albums","attributes":{"name":"a"}}]}"#

    /// Kept for a day, each of these was the answer for everyone.
    @Test(arguments: ["", "<html>Bad Gateway</html>", #"{"errors":[{"status":"500"}]}"#])
    func aBodyThatIsNoAnswerIsPassedOnAndNotKept(body: String) throws {
        let scene = try ScriptedScene { _ in FakeOrigin.Reply(body: body) }
        let proxy = scene.proxy
        let first = try proxy.client.send("GET", Self.album)
        #expect(first.status == 200 && first.body == Data(body.utf8))
        #expect(first.field("Cache-Status")?.contains("detail=no-answer") == true)
        #expect(proxy.statistics[because: .noAnswer] == 1 && proxy.statistics[.upstreamErrors] == 1)
        #expect(proxy.explain(Self.album)?.lastAnswer?.reason == .noAnswer)
        #expect(scene.warnings.all.contains { $0.contains("is not a valid answer") })
        scene.origin.answer { _ in FakeOrigin.Reply(body: Self.good) }
        for _ in 0..<2 { #expect(try proxy.client.send("GET", Self.album).body == Data(Self.good.utf8)) }
        #expect(scene.upstream.count == 2)
    }

    private static let ids = "/v1/catalog/us/albums?ids=1,2"
    private static let part = #"{"data":[{"id":"1","type":"albums"}],"errors":[{"status":"500"}]}"#

    /// The album that an error had kept out of the list was missing for the lifetime of the list,
    /// and counted as withdrawn for others.
    @Test func dataWithErrorsIsPassedOnAndNotKept() throws {
        let scene = try ScriptedScene { _ in FakeOrigin.Reply(body: Self.part) }
        let proxy = scene.proxy
        for _ in 0..<2 {
            let reply = try proxy.client.send("GET", Self.ids)
            #expect(reply.status == 200 && reply.body == Data(Self.part.utf8))
            #expect(reply.field("Cache-Status")?.contains("detail=incomplete") == true)
        }
        #expect(proxy.statistics[because: .incomplete] == 2 && proxy.statistics[.upstreamErrors] == 0)
        #expect(proxy.explain(Self.ids)?.lastAnswer?.reason == .incomplete)
        #expect(scene.warnings.all.filter { $0.contains("with errors beside data") }.count == 1)
        scene.origin.answer { _ in FakeOrigin.Reply(body: Self.good) }
        for _ in 0..<2 { #expect(try proxy.client.send("GET", Self.ids).body == Data(Self.good.utf8)) }
        #expect(scene.upstream.count == 3)
    }

    /// The stale list stays, also where the error has no effect on what it shows.
    @Test func aRefreshWithErrorsLeavesWhatIsStored() throws {
        let scene = try ScriptedScene { _ in FakeOrigin.Reply(body: Self.good) }
        _ = try scene.proxy.client.send("GET", Self.ids)
        scene.origin.answer { _ in FakeOrigin.Reply(body: Self.part) }
        scene.clock.advance(seconds: 86_401)
        for _ in 0..<2 { #expect(try scene.proxy.client.send("GET", Self.ids).body == Data(Self.good.utf8)) }
        waitUntil { scene.proxy.statistics[because: .incomplete] > 0 }
        #expect(try scene.proxy.client.send("GET", Self.ids).body == Data(Self.good.utf8))
    }

    /// The origin's own fields decide where its rules hold.
    @Test func underTheOriginsRulesItsFieldsDecideOnErrorsToo() throws {
        let reply = FakeOrigin.Reply(fields: [("Cache-Control", "public, max-age=60")], body: Self.part)
        let scene = try ScriptedScene(policy: Policy(.albums, .origin(stale: 0))) { _ in reply }
        for _ in 0..<2 { #expect(try scene.proxy.client.send("GET", Self.ids).status == 200) }
        #expect(scene.upstream.count == 1)
    }

    /// A gateway that writes the mark ended all caching. Answers are composed of it, and go out as
    /// they came.
    @Test func anAnswerAfterAByteOrderMarkIsKept() throws {
        let body = "\u{FEFF}" + Self.good
        let scene = try ScriptedScene { _ in FakeOrigin.Reply(body: body) }
        for _ in 0..<2 { #expect(try scene.proxy.client.send("GET", Self.album).body == Data(body.utf8)) }
        #expect(scene.upstream.count == 1 && scene.warnings.all.isEmpty)
    }

    /// The stale answer stays, and the refresh is counted though no client waits for it.
    @Test func aRefreshThatBringsNoAnswerLeavesWhatIsStored() throws {
        let scene = try ScriptedScene { _ in FakeOrigin.Reply(body: Self.good) }
        let proxy = scene.proxy
        _ = try proxy.client.send("GET", Self.album)
        scene.origin.answer { _ in FakeOrigin.Reply(body: "") }
        scene.clock.advance(seconds: 86_401)
        #expect(try proxy.client.send("GET", Self.album).body == Data(Self.good.utf8))
        waitUntil { proxy.statistics[because: .noAnswer] == 1 }
        #expect(try proxy.client.send("GET", Self.album).body == Data(Self.good.utf8))
    }

    /// The origin's own rules decide on answers of paths that are unknown here.
    @Test func explicitFreshnessOfOtherPathsDecidesAsBefore() throws {
        let page = FakeOrigin.Reply(fields: [("Cache-Control", "max-age=60")], body: "<html></html>")
        let proxy = try ProxyUnderTest(before: FakeOrigin(page))
        for _ in 0..<2 { #expect(try proxy.client.send("GET", "/v1/unknown").body == Data("<html></html>".utf8)) }
        #expect(proxy.origin.requests.count == 1)
    }

    /// For a minute everyone was told that the page does not exist.
    @Test func aNotFoundForWhatAStoredAnswerPromisesIsNotKept() throws {
        let list = Self.album + "/tracks"
        let page = #"{"next":"\#(list)?offset=1","data":[\#(Self.song)]}"#
        let search = "/v1/catalog/us/search?term=a&types=songs"
        let next = "/v1/catalog/us/search?limit=5&offset=1&term=a&types=songs"
        let results = #"{"results":{"songs":{"next":"\#(search)&offset=1","data":[\#(Self.song)]}}}"#
        let named = #"{"data":[{"id":"9","type":"albums"}]}"#
        for (target, answers) in [
            (list + "?offset=1", [list: page]), (next, [search: results]),
            ("/v1/catalog/us/albums/9", ["/v1/catalog/us/songs/1/albums": named]),
        ] {
            let proxy = try proxy(answers)
            for _ in 0..<2 {
                let reply = try proxy.client.send("GET", target)
                #expect(reply.status == 404 && reply.field("Cache-Status")?.contains("detail=contradicted") == true)
            }
            #expect(proxy.origin.requests.count { $0.target == target } == 2, "\(target)")
        }
    }

    @Test func anyOtherNotFoundIsKeptAsTheOperatorSays() throws {
        let list = Self.album + "/tracks"
        let page = #"{"next":"\#(list)?offset=1","data":[\#(Self.song)]}"#
        for target in ["/v1/catalog/us/albums/9", list + "?offset=2", "/v1/catalog/gb/songs/1"] {
            let proxy = try proxy([list: page])
            for _ in 0..<2 { #expect(try proxy.client.send("GET", target).status == 404) }
            #expect(proxy.origin.requests.count { $0.target == target } == 1, "\(target)")
        }
    }

    /// A purge ends what answers promise: the operator knows better.
    @Test func aNotFoundAfterAPurgeIsKept() throws {
        let proxy = try proxy(["/v1/catalog/us/songs/1/albums": #"{"data":[{"id":"9","type":"albums"}]}"#])
        proxy.cache.purgeAndWait(EntrySelection(), .soft, at: 1_790_000_000)
        for _ in 0..<2 { #expect(try proxy.client.send("GET", "/v1/catalog/us/albums/9").status == 404) }
        #expect(proxy.origin.requests.count { $0.target == "/v1/catalog/us/albums/9" } == 1)
    }

    /// A purge of anything did that.
    @Test func aNotFoundAfterAPurgeOfOthersIsNotKept() throws {
        let (named, album) = ("/v1/catalog/us/songs/1/albums", "/v1/catalog/us/albums/9")
        let proxy = try proxy([named: #"{"data":[{"id":"9","type":"albums"}]}"#])
        for (target, isKept) in [(String.album(3), false), (album, false), (named, true)] {
            proxy.cache.purgeAndWait(EntrySelection([.target(Array(target.utf8))]), .hard, at: 1_790_000_000)
            for _ in 0..<2 {
                let reply = try proxy.client.send("GET", album)
                #expect(reply.status == 404)
                #expect(reply.field("Cache-Status")?.contains("detail=contradicted") != isKept, "\(target)")
            }
        }
        #expect(proxy.origin.requests.count { $0.target == album } == 5)
    }

    private static let song = #"{"id":"1","type":"songs","attributes":{"name":"a"}}"#

    /// A proxy that has these answers, before an origin that has nothing else.
    private func proxy(_ answers: [String: String]) throws -> ProxyUnderTest {
        let origin = try FakeOrigin { request in
            answers[request.target].map { FakeOrigin.Reply(body: $0) }
                ?? FakeOrigin.Reply(status: 404, body: #"{"errors":[{"status":"404"}]}"#)
        }
        let proxy = try ProxyUnderTest(before: origin)
        for target in answers.keys { _ = try proxy.client.send("GET", target) }
        return proxy
    }

    // MARK: Bad requests

    // A 400 that came 1,476 times went to the origin 1,476 times.

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
        // With a validator it is kept past its time.
        let answer = FakeOrigin.Reply(fields: [("ETag", "\"a\"")], body: #"{"data":[{"id":"1"}]}"#)
        let scene = try ScriptedScene(policy: Policy(.songs, .fixed(10, stale: 0))) { _ in answer }
        #expect(try scene.proxy.client.send("GET", Self.page).status == 200)
        scene.clock.advance(seconds: 11)
        scene.origin.answer { _ in Self.reply("40005") }
        #expect(try scene.proxy.client.send("GET", Self.page).status == 400)
        scene.origin.answer { _ in answer }
        #expect(try scene.proxy.client.send("GET", Self.page).status == 200)
        #expect(scene.origin.requests.count == 3)
    }
}
