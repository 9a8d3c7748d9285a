import Compose
import Foundation
import TestSupport
import Testing

@testable import EventLoop
@testable import Proxy
@testable import Simulator
@testable import Upstream

/// `compose verify`, and an origin that changes the form of its answers; `verify_sample`: composed
/// answers that are also asked for, in the background (DECISIONS 9.7).
@Suite(.timeLimit(.minutes(10))) struct VerifyTests {
    private static let verifying = CompositionSettings.byExample(.verify)

    private func album(_ id: String, _ query: String = "?include=artists") -> String {
        "/v1/catalog/us/albums/\(id)\(query)"
    }

    private func batch(_ ids: [String]) -> String { "/v1/catalog/us/albums?ids=" + ids.joined(separator: ",") }

    @Test func theClientGetsTheOriginsAnswer() throws {
        let scene = try ComposingScene(Self.verifying)
        let albums = try scene.ids("albums", 24)
        // Which attributes albums have alone.
        for id in albums.prefix(1) + albums.dropFirst(4) { try scene.get(album(id, "")) }
        try scene.get(batch(albums))
        // Its client gets no content, which counted as a mismatch.
        #expect(try scene.proxy.client.send("HEAD", album(albums[1], "")).status == 200)
        for id in albums[2..<4] {
            let (status, cost) = try scene.get(album(id, ""))
            #expect(status.contains("fwd=uri-miss; fwd-status=200; stored") && cost == 1, "\(status)")
            #expect(!status.contains("detail="), "\(status)")
        }
        waitUntil { scene.proxy.statistics[.verified] == 3 }
        #expect(scene.proxy.statistics[.verifyMismatches] == 0 && scene.proxy.statistics[.verifiedOlder] == 0)
        #expect(scene.proxy.statistics[.built] == 0 && scene.proxy.statistics.savings[.composing] == 0)
        #expect(scene.proxy.statistics[.upstreamRequests] == 25 && scene.warnings.all.isEmpty)
    }

    @Test func verifyingUsesNoCompositionForAFailingOrigin() throws {
        let scene = try ListScene(Self.verifying)
        try scene.get(ListScene.target(1, "limit=100&offset=0"))
        scene.scene.origin.stop()
        let reply = try scene.proxy.client.send("GET", ListScene.target(1, "limit=10&offset=5"))
        #expect(reply.status >= 500 || reply.field("Cache-Status")?.contains("fwd=") == true)
        #expect(scene.proxy.statistics[.built] == 0)
    }

    @Test func whileVerifyingSinglesAreNotJoined() throws {
        var settings = Self.verifying
        settings.batch = true
        let scene = try ComposingScene(settings)
        let albums = try scene.ids("albums", 5)
        for id in albums { try scene.get(album(id, "")) }
        let clients = try albums.map { try scene.proxy.connection(sending: .get(album($0), closes: true)) }
        for client in clients { #expect(!client.readText().isEmpty) }
        #expect(!scene.upstream.contains { $0.contains("ids=") })
        #expect(scene.proxy.statistics[.built] == 0)
    }

    @Test func nothingIsComposedInAFormThatWasContradicted() throws {
        let scene = try ComposingScene()
        let albums = try scene.ids("albums", 8)
        try scene.get(album(albums[0]))
        try scene.get(album(albums[1], ""))
        try scene.get(batch(albums) + "&include=artists")
        // Some have artists with more albums than were seen in any list.
        let composed = try albums[2..<5].filter { try scene.get(album($0)).status.contains("detail=reduced") }
        try #require(!composed.isEmpty)
        scene.api.flip()
        // One that is in no other answer, and shows that artists look otherwise by now.
        let other = try #require(try scene.ids("albums", 9).last)
        #expect(try scene.get(album(other)).cost == 1)
        #expect(scene.proxy.statistics[.contradictions] >= 1)
        #expect(scene.warnings.all.contains { $0.contains("in another form than before") }, "\(scene.warnings.all)")
        for id in albums[5...] {
            let (status, cost) = try scene.get(album(id))
            #expect(status.contains("fwd=uri-miss") && cost == 1, "\(status)")
        }
        #expect(scene.proxy.statistics.restingForms() >= 1)
    }

    // MARK: A sample of answers

    /// The answers of an origin of albums, one of which it names otherwise where it is shown alone.
    private static func albums(
        _ word: String = "Album", contradicting contradicted: Int = 0
    ) -> @Sendable (FakeOrigin.Request) -> FakeOrigin.Reply {
        { request in
            let id = ScriptedAlbums.id(request.target)
            let isContradicted = Int(id) == contradicted && !request.target.contains("include=")
            return ScriptedAlbums.reply(request.target, name: isContradicted ? "Another" : "\(word) \(id)")
        }
    }

    private static func whole(_ id: Int) -> String { "/v1/catalog/us/albums/\(id)?x=s3cret" }
    private static func included(_ id: Int) -> String { "/v1/catalog/us/albums/\(id)?include=artists&x=s3cret" }

    private func scene(
        contradicting contradicted: Int = 0, sample: Int = Sampling.all, connections: Int = 32
    ) throws -> ScriptedScene {
        let answer = Self.albums(contradicting: contradicted)
        let scene = try ScriptedScene(verifySample: sample, connections: connections, answer)
        // The forms of an album with its artists, and without.
        for target in [Self.whole(1)] + (1...6).map(Self.included) {
            #expect(try scene.proxy.client.send("GET", target).status == 200)
        }
        return scene
    }

    /// Asks for an album without its artists, which is composed.
    private func compose(_ id: Int, _ scene: ScriptedScene) throws -> String {
        let reply = try scene.proxy.client.send("GET", Self.whole(id))
        #expect(reply.field("Cache-Status")?.contains("detail=reduced") == true, "\(reply.fields)")
        return String(decoding: reply.body, as: UTF8.self)
    }

    @Test func anEqualAnswerIsReplacedByTheOrigins() throws {
        let scene = try scene()
        let before = scene.upstream.count
        let body = try compose(2, scene)
        waitUntil { scene.proxy.statistics[.verified] == 1 }
        #expect(scene.upstream.dropFirst(before) == [Self.whole(2)])
        let again = try scene.proxy.client.send("GET", Self.whole(2))
        #expect(
            again.field("Cache-Status") == "refrain; hit; ttl=86400"
                && String(decoding: again.body, as: UTF8.self) == body)
        #expect(scene.upstream.count == before + 1)
        #expect(scene.proxy.statistics[.verifiedOlder] == 0 && scene.proxy.statistics[.verifyMismatches] == 0)
    }

    @Test func aRevisionRenewsThePartsAndKeepsTheForm() throws {
        let scene = try scene()
        scene.origin.answer(Self.albums("Revised"))
        let before = scene.upstream.count
        #expect(try compose(2, scene).contains("Album 2"))
        waitUntil { scene.proxy.statistics[.verifiedOlder] == 1 }
        #expect(scene.upstream.dropFirst(before) == [Self.whole(2), Self.included(2)])
        #expect((scene.proxy.statistics[.verified], scene.proxy.statistics[.verifyMismatches]) == (1, 0))
        #expect(scene.proxy.statistics.restingForms() == 0 && scene.warnings.all.isEmpty, "\(scene.warnings.all)")
        for target in [Self.whole(2), Self.included(2)] {
            let reply = try scene.proxy.client.send("GET", target)
            #expect(reply.field("Cache-Status")?.contains("hit") == true)
            #expect(String(decoding: reply.body, as: UTF8.self).contains("Revised 2"), "\(target)")
        }
        #expect(try compose(3, scene).contains("Album 3"), "it has not been asked for since")
    }

    @Test func aContradictionRestsItsFormAndIsLogged() throws {
        let scene = try scene(contradicting: 3, sample: Sampling.all / 2)
        _ = try compose(2, scene)
        let before = scene.upstream.count
        _ = try compose(3, scene)
        waitUntil { scene.proxy.statistics[.verifyMismatches] == 1 && !scene.warnings.all.isEmpty }
        #expect(scene.upstream.dropFirst(before) == [Self.whole(3), Self.included(3), Self.whole(3)])
        #expect(scene.proxy.statistics[.verified] == 1 && scene.proxy.statistics.restingForms() == 1)
        #expect(
            scene.warnings.all == [
                "upstream: composed answer for /v1/catalog/us/albums/3 was wrong: $.data[0].attributes.name "
                    + "differs from the origin's; its form is not composed for 1d"
            ])
        #expect(scene.proxy.statistics.lastTrouble?.what.contains("albums/3 was wrong") == true)
        // The form rests, and its composed answers are gone.
        waitUntil { scene.proxy.cache.memory.lookup(ComposingScene.key(Self.whole(2))) == nil }
        for id in [2, 4] {
            let reply = try scene.proxy.client.send("GET", Self.whole(id))
            #expect(reply.field("Cache-Status")?.contains("fwd=uri-miss") == true, "\(reply.fields)")
        }
    }

    @Test func withoutRoomNothingIsAskedAndThatIsCounted() throws {
        let scene = try scene(connections: 1)
        let before = scene.upstream.count
        _ = try compose(2, scene)
        waitUntil { scene.proxy.statistics[.verifySkipped] == 1 }
        #expect(scene.upstream.count == before && scene.proxy.statistics[.verified] == 0)
    }

    /// It gave up: its own last request was all that the limit leaves to verifications.
    @Test func aSmallLimitDelaysTheNextRequest() throws {
        let budget = UpstreamBudget(rate: 4)
        let scene = try ScriptedScene(verifySample: Sampling.all, budget: budget, Self.albums())
        for target in [Self.whole(1), Self.included(1), Self.included(2)] {
            _ = try scene.proxy.client.send("GET", target)
        }
        scene.origin.answer(Self.albums("Revised"))
        // A verification begins where little of the limit was used in the last second.
        waitUntil { budget.ask { $0.hasRoom(0, now: .now()) } }
        _ = try compose(2, scene)
        waitUntil { scene.proxy.statistics[.verifiedOlder] == 1 }
        #expect(scene.upstream.dropFirst(3) == [Self.whole(2), Self.included(2)])
    }

    /// The token that the origin wants is the client's own, for its own requests.
    @Test func noClientsTokenIsUsed() throws {
        let scene = try ScriptedScene(provesTokens: true, verifySample: Sampling.all) { request in
            request.field("authorization") == "Bearer s3cret"
                ? Self.albums()(request) : FakeOrigin.Reply(status: 401)
        }
        let fields = [("Authorization", "Bearer s3cret")]
        for target in [Self.whole(1), Self.included(1), Self.included(2)] {
            #expect(try scene.proxy.client.send("GET", target, fields: fields).status == 200)
        }
        let reply = try scene.proxy.client.send("GET", Self.whole(2), fields: fields)
        #expect(reply.field("Cache-Status")?.contains("detail=reduced") == true, "\(reply.fields)")
        waitUntil { scene.proxy.statistics[.verifySkipped] == 1 }
        #expect(scene.upstream.count == 3)
    }
}
