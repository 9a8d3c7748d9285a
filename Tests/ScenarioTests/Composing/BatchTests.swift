import Compose
import Foundation
import Proxy
import Synchronization
import TestSupport
import Testing

/// Misses of single resources that come together: the first goes at once, and those behind it are
/// joined into one request (`batch on`, the default).
@Suite(.timeLimit(.minutes(10))) struct BatchTests {
    /// Asks for all of them at once, each on a connection of its own, and gives the answers in
    /// order.
    private func ask(_ targets: [String], _ proxy: ProxyUnderTest) throws -> [HTTPTestClient.Reply] {
        let clients = try targets.map { _ in try RawClient(port: UInt16(proxy.port)) }
        for (client, target) in zip(clients, targets) { try client.send(Self.request(target)) }
        return try clients.map { client in try #require(Self.reply(client.readToEnd().bytes)) }
    }

    private static func request(_ target: String) -> String {
        "GET \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    }

    /// A whole answer, as read until the connection ended.
    private static func reply(_ bytes: [UInt8]) -> HTTPTestClient.Reply? {
        guard let end = Data(bytes).range(of: Data("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let fields = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (String(line[..<colon]), String(line[colon...].dropFirst(2)))
        }
        guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        return HTTPTestClient.Reply(status: status, fields: fields, body: Data(bytes[end.upperBound...]))
    }

    /// Whether clients come together is up to the machine, and the first list may be of no use, but
    /// shows what lists look like: asks for groups of ids until most of one needed one request.
    private func isJoined(oneOf groups: [[String]], _ scene: ComposingScene) throws -> Bool {
        for group in groups {
            let before = scene.upstream.count
            let targets = group.map { "/v1/catalog/us/songs/\($0)" }
            for (target, reply) in zip(targets, try ask(targets, scene.proxy)) {
                #expect(reply.status == 200 && reply.json == scene.direct(target), "\(target)")
            }
            let asked = scene.upstream[before...]
            if asked.count <= group.count / 2, asked.contains(where: { $0.contains("ids=") }) { return true }
        }
        return false
    }

    private func groups(_ ids: [String], of size: Int) -> [[String]] {
        stride(from: 0, to: ids.count - size + 1, by: size).map { Array(ids[$0..<$0 + size]) }
    }

    @Test(arguments: [CompositionSettings.Mode.on, .off])
    func singlesThatComeTogetherAreOneRequest(mode: CompositionSettings.Mode) throws {
        var settings = CompositionSettings()
        settings.compose = mode
        let scene = try ComposingScene(settings)
        defer { scene.stop() }
        let songs = try scene.ids("songs", 85)
        try scene.get("/v1/catalog/us/songs/\(songs[84])")
        guard try isJoined(oneOf: groups(Array(songs[..<84]), of: 6), scene) else {
            return LeftOut.noteClientsApart()
        }
        #expect(scene.proxy.statistics[because: .batched] >= 4)
        #expect(scene.proxy.statistics[.upstreamSaved] >= 3)
        let status = try scene.get("/v1/catalog/us/songs/\(songs[0])").status
        #expect(status.contains("hit"), "\(status)")
    }

    @Test func theAnswerSaysThatItWasBatched() throws {
        let scene = try ComposingScene()
        defer { scene.stop() }
        let albums = try scene.ids("albums", 41)
        try scene.get("/v1/catalog/us/albums/\(albums[40])?include=artists")
        var statuses: [String] = []
        for group in groups(Array(albums[..<40]), of: 4) {
            let replies = try ask(group.map { "/v1/catalog/us/albums/\($0)?include=artists" }, scene.proxy)
            statuses += replies.map { $0.field("Cache-Status") ?? "" }
        }
        let batched = statuses.first { $0.contains("detail=batched") }
        #expect(batched?.contains("fwd=uri-miss; fwd-status=200; stored; ttl=") == true, "\(statuses)")
    }

    @Test func theFirstSinglesGoAlone() throws {
        let gate = DispatchSemaphore(value: 0)
        let scene = try ScriptedScene { request in
            gate.waitOrFail()
            gate.signal()
            return Self.answer(request.target)
        }
        defer { scene.stop() }
        let targets = (1...3).map { "/v1/catalog/us/songs/\($0)" }
        let clients = try targets.map { _ in try RawClient(port: UInt16(scene.proxy.port)) }
        for (client, target) in zip(clients, targets) { try client.send(Self.request(target)) }
        // Nothing is known of their form until all have been sent on.
        waitUntil { scene.proxy.statistics[.requests] == 3 }
        gate.signal()
        for client in clients { #expect(Self.reply(client.readToEnd().bytes)?.status == 200) }
        #expect(Set(scene.upstream) == Set(targets))
    }

    @Test func whatIsAbsentGetsTheOriginsOwn404() throws {
        let scene = try ComposingScene()
        defer { scene.stop() }
        let songs = try scene.ids("songs", 31)
        try scene.get("/v1/catalog/us/songs/\(songs[30])")
        for (index, group) in groups(Array(songs[..<30]), of: 3).enumerated() {
            let targets = (group + ["99999990\(index)"]).map { "/v1/catalog/us/songs/\($0)" }
            let replies = try ask(targets, scene.proxy)
            #expect(replies.map(\.status) == [200, 200, 200, 404])
            // Error ids differ from answer to answer.
            let error = ((replies[3].json as? [String: Any])?["errors"] as? [[String: Any]])?.first
            #expect(error?["code"] as? String == "40400")
            #expect(scene.upstream.contains(targets[3]))
        }
    }

    @Test func whatTheRequestsDifferInIsNeverJoined() throws {
        var settings = CompositionSettings()
        // With them, albums with and without artists would be asked for alike.
        settings.supersets = false
        let scene = try ComposingScene(settings)
        defer { scene.stop() }
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
        defer { scene.stop() }
        let albums = try scene.ids("albums", 6)
        let targets = albums.map { "/v1/catalog/us/albums/\($0)?extend=artistUrl" }
        try scene.get(targets[0])
        for (target, reply) in zip(targets.dropFirst(), try ask(Array(targets.dropFirst()), scene.proxy)) {
            #expect(reply.json == scene.direct(target), "\(target)")
        }
        // Nothing is told of a single one by a batch then (APPLE-MUSIC-API 4.3.16).
        #expect(scene.upstream.sorted() == targets.sorted())
    }

    @Test func aClientThatHangsUpCancelsNothing() throws {
        let scene = try ComposingScene()
        defer { scene.stop() }
        let songs = try scene.ids("songs", 85)
        try scene.get("/v1/catalog/us/songs/\(songs[84])")
        for group in groups(Array(songs[..<84]), of: 4) {
            let targets = group.map { "/v1/catalog/us/songs/\($0)" }
            let before = scene.upstream.count
            let (staying, leaving) = (
                try RawClient(port: UInt16(scene.proxy.port)), try RawClient(port: UInt16(scene.proxy.port))
            )
            try staying.send(Self.request(targets[0]))
            try leaving.send(Self.request(targets[1]))
            leaving.finishSending()
            leaving.close()
            for (target, reply) in zip(targets.dropFirst(2), try ask(Array(targets.dropFirst(2)), scene.proxy)) {
                #expect(reply.json == scene.direct(target), "\(target)")
            }
            #expect(Self.reply(staying.readToEnd().bytes)?.json == scene.direct(targets[0]))
            guard scene.upstream.count == before + 2, scene.upstream.last?.contains("ids=\(group[1])") == true
            else { continue }
            // All but the first went together: what the one that left wanted is stored.
            let (status, cost) = try scene.get(targets[1])
            #expect(status.contains("hit") && cost == 0, "\(status)")
            return
        }
        LeftOut.noteClientsApart()
    }

    @Test func aBatchThatTakesTheOriginTooLongIsHalved() throws {
        let scene = try ScriptedScene { Self.answer($0.target) }
        defer { scene.stop() }
        _ = try scene.proxy.client.send("GET", "/v1/catalog/us/songs/1")
        for round in 1..<10 {
            let ids = (1...7).map { "\(round * 100 + $0)" }
            let replies = try ask(ids.map { "/v1/catalog/us/songs/\($0)" }, scene.proxy)
            for (id, reply) in zip(ids, replies) {
                let expected = Self.answer("/v1/catalog/us/songs/\(id)").body
                #expect(reply.status == 200 && String(decoding: reply.body, as: UTF8.self) == expected)
            }
            if scene.upstream.contains(where: { Self.ids($0).count > 3 }) { break }
        }
        let sizes = scene.upstream.map { Self.ids($0).count }
        guard sizes.contains(where: { $0 > 3 }) else { return LeftOut.noteClientsApart() }
        #expect(sizes.contains { $0 == 2 }, "\(sizes)")
    }

    /// Up to a hundred single requests followed, to an origin that had just refused one.
    @Test func aBatchThatTheOriginRefusesIsNotAskedForOneByOne() throws {
        let scene = try ScriptedScene { request in
            Self.ids(request.target).isEmpty
                ? Self.answer(request.target)
                : FakeOrigin.Reply(status: 429, fields: [("Set-Cookie", "id=batch")], body: "busy")
        }
        defer { scene.stop() }
        _ = try scene.proxy.client.send("GET", "/v1/catalog/us/songs/1")
        for round in 1..<10 {
            let before = scene.upstream.count
            let ids = (1...5).map { "\(round * 100 + $0)" }
            let replies = try ask(ids.map { "/v1/catalog/us/songs/\($0)" }, scene.proxy)
            let asked = scene.upstream[before...]
            let joined = asked.flatMap(Self.ids)
            for (id, reply) in zip(ids, replies) {
                let isRefused = joined.contains(id)
                #expect(reply.status == (isRefused ? 429 : 200))
                #expect(!isRefused || !asked.contains("/v1/catalog/us/songs/\(id)"), "\(asked)")
            }
            let cookies = replies.filter { $0.field("Set-Cookie") != nil }
            #expect(cookies.count == Set(asked.filter { $0.contains("ids=") }).count)
            if !joined.isEmpty { return }
        }
        LeftOut.noteClientsApart()
    }

    /// Half of the clients whose misses were joined with one for which the origin fails got its
    /// 500.
    @Test(arguments: [true, false]) func anIDThatFailsIsTroubleForItsOwnClientAlone(hangsUp: Bool) throws {
        let scene = try ScriptedScene { request in
            let asked = Self.ids(request.target)
            let isBad = request.target.hasSuffix("/666") || asked.contains("666")
            guard isBad else { return Self.resources(request.target) }
            return FakeOrigin.Reply(status: 500, hangsUp: hangsUp && !asked.isEmpty)
        }
        defer { scene.stop() }
        _ = try scene.proxy.client.send("GET", "/v1/catalog/us/songs/1")
        for round in 1..<20 {
            let ids = (1...7).map { $0 == 4 ? "666" : "\(round * 1000 + $0)" }
            for (id, reply) in zip(ids, try ask(ids.map { "/v1/catalog/us/songs/\($0)" }, scene.proxy)) {
                #expect(reply.status == (id == "666" ? 500 : 200), "\(id)")
            }
            if scene.upstream.contains(where: { Self.ids($0).contains("666") }) { return }
        }
        LeftOut.noteClientsApart()
    }

    @Test func whileTheOriginFailsItIsNotAskedForMore() throws {
        let isDown = Mutex(false)
        let scene = try ScriptedScene { request in
            isDown.withLock { $0 } ? FakeOrigin.Reply(status: 503) : Self.resources(request.target)
        }
        defer { scene.stop() }
        _ = try scene.proxy.client.send("GET", "/v1/catalog/us/songs/1")
        isDown.withLock { $0 = true }
        let before = scene.upstream.count
        for round in 1...8 {
            let ids = (1...6).map { "\(round * 1000 + $0)" }
            let replies = try ask(ids.map { "/v1/catalog/us/songs/\($0)" }, scene.proxy)
            #expect(replies.allSatisfy { $0.status == 503 })
        }
        #expect(scene.upstream.count - before <= 8 * 6)
    }

    /// Every miss that came behind another waited first for a list that was refused again, at each
    /// of an origin's resources that it has one by one alone.
    @Test func listsThatTheOriginRefusesAreNotTriedAllTheTime() throws {
        let scene = try ScriptedScene { request in
            Self.ids(request.target).isEmpty
                ? Self.answer(request.target) : FakeOrigin.Reply(status: 404, body: "{}")
        }
        defer { scene.stop() }
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
        guard try lists(in: 60, untilOne: true) > 0 else { return LeftOut.noteClientsApart() }
        #expect(try lists(in: 20) == 0, "the next rest is twice as long")
    }

    private static func ids(_ target: String) -> [String] {
        guard let list = target.components(separatedBy: "ids=").dropFirst().first else { return [] }
        return list.components(separatedBy: ",")
    }

    /// Songs of any id; more than two of them take too long.
    private static func answer(_ target: String) -> FakeOrigin.Reply {
        ids(target).count > 2 ? FakeOrigin.Reply(status: 504, body: "") : resources(target)
    }

    private static func resources(_ target: String) -> FakeOrigin.Reply {
        let batch = ids(target)
        let asked = batch.isEmpty ? [target.components(separatedBy: "/").last ?? ""] : batch
        let data = asked.map { id in
            #"{"id":"\#(id)","type":"songs","href":"/v1/catalog/us/songs/\#(id)","attributes":{"name":"\#(id)"}}"#
        }
        return FakeOrigin.Reply(body: "{\"data\":[\(data.joined(separator: ","))]}")
    }
}
