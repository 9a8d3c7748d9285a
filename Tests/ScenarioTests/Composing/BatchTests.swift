import Compose
import Foundation
import TestSupport
import Testing

/// Misses of single resources that come together: the first goes at once, and the ones after it are
/// joined into one request (`batch on`, the default).
@Suite(.timeLimit(.minutes(10))) struct BatchTests {
    /// Asks for all at once, each on its own connection; the answers in their order.
    private func ask(_ targets: [String], _ proxy: ProxyUnderTest) throws -> [HTTPTestClient.Reply] {
        let clients = try targets.map { _ in try proxy.connection() }
        for (client, target) in zip(clients, targets) { try client.send(.get(target, closes: true)) }
        return clients.map { client in
            let text = client.readText()
            let content = text.components(separatedBy: "\r\n\r\n").dropFirst().joined()
            return HTTPTestClient.Reply(
                status: Int(text.dropFirst(9).prefix(3)) ?? 0, fields: [], body: Data(content.utf8))
        }
    }

    private func groups(_ ids: [String], of size: Int) -> [[String]] {
        stride(from: 0, to: ids.count - size + 1, by: size).map { Array(ids[$0..<$0 + size]) }
    }

    @Test func theFirstSinglesGoAlone() throws {
        let gate = DispatchSemaphore(value: 0)
        let scene = try ScriptedScene { request in
            gate.waitOrFail()
            gate.signal()
            return ScriptedSongs.reply(request)
        }
        let targets = (1...3).map { "/v1/catalog/us/songs/\($0)" }
        let clients = try targets.map { try scene.proxy.connection(sending: .get($0, closes: true)) }
        // Nothing is known of their form until all have been sent on.
        waitUntil { scene.proxy.statistics[.requests] == 3 }
        gate.signal()
        for client in clients { #expect(client.readText().hasPrefix("HTTP/1.1 200 ")) }
        #expect(Set(scene.upstream) == Set(targets))
    }

    @Test func differentRequestsAreNeverJoined() throws {
        var settings = CompositionSettings.byExample()
        // With them, albums with and without artists would be asked for alike.
        settings.supersets = false
        let scene = try ComposingScene(settings)
        let albums = try scene.ids("albums", 85)
        let forms: [(storefront: String, query: String)] = [
            ("us", ""), ("us", "?include=artists"), ("us", "?l=es-MX"), ("gb", ""),
        ]
        for form in forms {
            try scene.get("/v1/catalog/\(form.storefront)/albums/\(albums[84])\(form.query)")
        }
        for group in groups(Array(albums[..<84]), of: 12) {
            let targets = group.enumerated().map { index, id in
                "/v1/catalog/\(forms[index % 4].storefront)/albums/\(id)\(forms[index % 4].query)"
            }
            for (target, reply) in zip(targets, try ask(targets, scene.proxy)) {
                #expect(reply.json == scene.direct(target), "\(target)")
            }
            for (index, id) in group.enumerated() {
                let (form, others) = (forms[index % 4], group.indices.filter { $0 % 4 != index % 4 }.map { group[$0] })
                let asked = scene.upstream.filter { $0.contains(id) }
                #expect(!asked.isEmpty)
                for target in asked {
                    #expect(target.contains("/\(form.storefront)/"))
                    #expect(target.contains("include=") == (form.query == "?include=artists"))
                    #expect(target.contains("l=es-MX") == (form.query == "?l=es-MX"))
                    #expect(!others.contains { target.contains($0) })
                }
            }
        }
        #expect(scene.upstream.contains { $0.contains("ids=") })
    }

    @Test func singlesWithParametersThatTouchThemGoAlone() throws {
        let scene = try ComposingScene()
        let albums = try scene.ids("albums", 6)
        let targets = albums.map { "/v1/catalog/us/albums/\($0)?extend=artistUrl" }
        try scene.get(targets[0])
        for (target, reply) in zip(targets.dropFirst(), try ask(Array(targets.dropFirst()), scene.proxy)) {
            #expect(reply.json == scene.direct(target), "\(target)")
        }
        // Nothing is told of a single one by a batch then (APPLE-MUSIC-API 4.3.16).
        #expect(scene.upstream.sorted() == targets.sorted())
    }

    /// Half of the clients whose misses were joined with one for which the origin fails got its
    /// 500. A 504 says that a batch takes the origin too long; nil is a connection that breaks.
    @Test(arguments: [500, 504, nil]) func aFailingIDAffectsItsOwnClientAlone(ofABatch status: Int?) throws {
        let scene = try ScriptedScene { request in
            guard ScriptedSongs.ids(request.target).contains("666") else { return ScriptedSongs.reply(request) }
            let isBatch = !ScriptedSongs.batch(request.target).isEmpty
            return FakeOrigin.Reply(status: isBatch ? status ?? 500 : 500, hangsUp: isBatch && status == nil)
        }
        _ = try scene.proxy.client.send("GET", "/v1/catalog/us/songs/1")
        for round in 1..<20 {
            let ids = (1...7).map { $0 == 4 ? "666" : "\(round * 1000 + $0)" }
            for (id, reply) in zip(ids, try ask(ids.map { "/v1/catalog/us/songs/\($0)" }, scene.proxy)) {
                #expect(reply.status == (id == "666" ? 500 : 200), "\(id)")
            }
            if scene.upstream.contains(where: { ScriptedSongs.batch($0).contains("666") }) { return }
        }
        LeftOut.noteClientsApart()
    }

    /// An error beside data is about one of those that were joined. The others lost their batch,
    /// and asked again each for itself.
    @Test func anErrorBesideDataAffectsItsOwnClientAlone() throws {
        let scene = try ScriptedScene { request in
            let ids = ScriptedSongs.ids(request.target)
            let body = ScriptedSongs.body(ids.filter { $0 != "666" })
            guard ids.contains("666") else { return FakeOrigin.Reply(body: body) }
            return FakeOrigin.Reply(body: body.dropLast() + #","errors":[{"status":"500"}]}"#)
        }
        // They show that songs look the same alone and in lists.
        for target in ["songs/1", "songs/2", "songs?ids=1,2"] {
            _ = try scene.proxy.client.send("GET", "/v1/catalog/us/" + target)
        }
        for round in 1..<20 {
            let ids = (1...7).map { $0 == 4 ? "666" : "\(round * 1000 + $0)" }
            let before = scene.upstream.count
            for (id, reply) in zip(ids, try ask(ids.map { "/v1/catalog/us/songs/\($0)" }, scene.proxy)) {
                let text = String(decoding: reply.body, as: UTF8.self)
                #expect(text.contains("\"id\":\"\(id)\"") == (id != "666"), "\(id)")
                #expect(text.contains("errors") == (id == "666"), "\(id)")
            }
            let asked = scene.upstream[before...]
            let lists = asked.map { ScriptedSongs.batch($0) }
            // A list of four has a half without that one.
            guard let list = lists.first(where: { $0.contains("666") && $0.count >= 4 }) else { continue }
            let isHalved = lists.contains { half in
                half.count >= 2 && !half.contains("666") && half.allSatisfy { list.contains($0) }
            }
            #expect(isHalved, "\(asked)")
            return
        }
        LeftOut.noteClientsApart()
    }

    /// Every miss that came after another waited first for a list that was refused again, at each
    /// of an origin's resources that it has one by one alone.
    @Test func refusedListsRest() throws {
        let scene = try ScriptedScene { request in
            let isBatch = !ScriptedSongs.batch(request.target).isEmpty
            return isBatch ? FakeOrigin.Reply(status: 404, body: "{}") : ScriptedSongs.reply(request)
        }
        _ = try scene.proxy.client.send("GET", "/v1/catalog/us/songs/1")
        var next = 100
        func lists(in rounds: Int, untilOne: Bool = false) throws -> Int {
            let before = scene.upstream.count
            for _ in 0..<rounds {
                let targets = (next..<next + 6).map { "/v1/catalog/us/songs/\($0)" }
                next += 6
                for reply in try ask(targets, scene.proxy) { #expect(reply.status == 200) }
                if untilOne, scene.upstream[before...].contains(where: { $0.contains("ids=") }) { break }
            }
            return scene.upstream[before...].count { $0.contains("ids=") }
        }
        // Lists that are under way together are refused together.
        guard try lists(in: 20, untilOne: true) > 0 else { return LeftOut.noteClientsApart() }
        #expect(try lists(in: 10) == 0, "at most 50 of 60 misses came while another was under way")
    }

    // MARK: How long lists are

    /// Songs of these sizes, by their ids.
    private func scene(ofSongs size: @escaping @Sendable (Int) -> Int) throws -> ScriptedScene {
        try ScriptedScene { request in
            let songs = ScriptedSongs.ids(request.target).map { id in
                let text = String(decoding: [UInt8](repeating: 0x78, count: size(Int(id) ?? 0)), as: UTF8.self)
                return #"{"id":"\#(id)","type":"songs","href":"/v1/catalog/us/songs/\#(id)","#
                    + #""attributes":{"name":"\#(text)"}}"#
            }
            return FakeOrigin.Reply(body: "{\"data\":[\(songs.joined(separator: ","))]}")
        }
    }

    private func askForSongs(_ ids: Range<Int>, _ scene: ScriptedScene) throws {
        for (id, reply) in zip(ids, try ask(ids.map { "/v1/catalog/us/songs/\($0)" }, scene.proxy)) {
            let text = String(decoding: reply.body.prefix(40), as: UTF8.self)
            #expect(reply.status == 200 && text.contains("\"id\":\"\(id)\""), "\(id)")
        }
    }

    /// A list of eighty was thrown away each time, and each of them asked for again.
    @Test func listsAreSoShortThatTheirAnswersAreKept() throws {
        let scene = try scene { _ in 150_000 }
        for target in ["songs/1", "songs/2", "songs?ids=1,2"] {
            _ = try scene.proxy.client.send("GET", "/v1/catalog/us/" + target)
        }
        for round in 1...4 { try askForSongs(round * 100..<round * 100 + 60, scene) }
        let asked = scene.upstream.map(ScriptedSongs.ids)
        #expect(asked.joined().count == 244, "each of them once: \(asked.map(\.count))")
        #expect(asked.allSatisfy { $0.count <= (4 << 20) / 150_000 })
        if !asked.contains(where: { $0.count > 1 }) { LeftOut.noteClientsApart() }
    }

    /// The single ones were small. The list is split, and the next ones are shorter.
    @Test func aListWhoseAnswerIsTooLargeIsSplit() throws {
        let scene = try scene { $0 < 100 ? 100 : 200_000 }
        for id in 1...20 { _ = try scene.proxy.client.send("GET", "/v1/catalog/us/songs/\(id)") }
        for round in 1...4 { try askForSongs(round * 1000..<round * 1000 + 90, scene) }
        let lists = scene.upstream.map(ScriptedSongs.ids).filter { $0.count > 1 }
        guard let tooLarge = lists.firstIndex(where: { $0.count > 42 }) else { return LeftOut.noteClientsApart() }
        #expect(lists[tooLarge...].count { $0.count > 42 } <= 3, "and its halves, if it had so many")
        #expect(lists.suffix(2).allSatisfy { $0.count <= 42 })
    }

    // MARK: How long misses wait for each other

    /// Before an origin that holds the answers to some songs back: those whose ids end with 01.
    private final class Scene {
        let gate = ScriptedOrigin.Gate()
        private let origin: ScriptedOrigin
        let proxy: ProxyUnderTest

        init(workers: Int = 1, compose: CompositionSettings.Mode = .on) throws {
            let gate = gate
            origin = try ScriptedOrigin([
                .perform { request in
                    let ids = ScriptedSongs.ids(ScriptedSongs.target(request))
                    let answer = ScriptedOrigin.Step.send(ScriptedSongs.response(ids))
                    return ids.count == 1 && ids[0].hasSuffix("01") ? [.wait(gate), answer] : [answer]
                }
            ])
            proxy = try ProxyUnderTest(scripted: origin, workers: workers, composition: .byExample(compose))
            // How songs look alone and in a batch. The tests ask for none of these: 902 was one of
            // them, and the ninth round of a busy machine waited for it to be asked again.
            for target in [Self.target("1"), "/v1/catalog/us/songs?ids=1,2"] {
                #expect(try proxy.client.send("GET", target).status == 200)
            }
        }

        /// The ids of each request that reached the origin since the first ones.
        var upstream: [[String]] {
            origin.requests.joined().map { ScriptedSongs.ids(ScriptedSongs.target($0)) }.filter { !$0.contains("1") }
        }

        func hasReached(_ ids: [String]) -> Bool { Set(ids).isSubset(of: upstream.joined()) }

        func ask(_ id: String) throws -> RawClient {
            try proxy.connection(sending: .get(Self.target(id), closes: true))
        }

        static func target(_ id: String) -> String { "/v1/catalog/us/songs/" + id }
    }

    private func isAnswer(_ text: String, _ id: String) -> Bool {
        text.hasPrefix("HTTP/1.1 200 ") && text.contains("\"id\":\"\(id)\"") && !text.contains("},{")
    }

    /// Requests that led a batch, a quarter of those sent, had no time of the origin's.
    private func expectSumsOfTheLog(_ proxy: ProxyUnderTest) throws {
        let lines = try proxy.finalLog().map { $0.split(separator: " ") }
        let sent = lines.compactMap { $0.last.flatMap { Int($0) } }
        #expect(sent.reduce(0, +) == proxy.statistics[.upstreamRequests])
        #expect(sent.count == lines.count { $0[$0.count - 4] != "-" })
    }

    /// Clients seldom come within milliseconds of each other: it is tried until they do.
    @Test("on whatever loops they come", arguments: [(1, CompositionSettings.Mode.on), (3, .on), (1, .off)])
    func missesAfterOneUnderWayAreOneRequest(workers: Int, compose: CompositionSettings.Mode) throws {
        let scene = try Scene(workers: workers, compose: compose)
        for round in 1...50 {
            let (ids, before) = ((1...4).map { "\(round)0\($0)" }, scene.upstream.count)
            let clients = try ids.map(scene.ask)
            waitUntil { scene.hasReached(ids) }
            let asked = Array(scene.upstream[before...])
            scene.gate.open()
            let texts = clients.map { $0.readText() }
            for (text, id) in zip(texts, ids) { #expect(isAnswer(text, id), "\(id)") }
            guard asked.contains(Array(ids.dropFirst())) else { continue }
            #expect(asked.count == 2 && scene.upstream.count == before + 2)
            #expect(scene.proxy.statistics[because: .batched] >= 3 && scene.proxy.statistics.savings[.batching] >= 2)
            #expect(
                texts.contains {
                    $0.contains("fwd=uri-miss; fwd-status=200; stored; ttl=") && $0.contains("detail=batched")
                }, "\(texts)")
            let again = try scene.proxy.client.send("GET", Scene.target(ids[1]))
            #expect(again.field("Cache-Status")?.contains("hit") == true)
            try expectSumsOfTheLog(scene.proxy)
            return
        }
        LeftOut.noteClientsApart()
    }

    /// The one under way may be out for 15 seconds before an origin that is dead.
    @Test func aMissDoesNotWaitForASlowOne() throws {
        let scene = try Scene()
        let held = try scene.ask("101")
        waitUntil { scene.hasReached(["101"]) }
        for id in ["102", "103", "104"] { #expect(isAnswer(try scene.ask(id).readText(), id)) }
        #expect(scene.upstream == [["101"], ["102"], ["103"], ["104"]])
        scene.gate.open()
        #expect(isAnswer(held.readText(), "101"))
    }
}
