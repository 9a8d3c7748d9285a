import Foundation
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import Proxy

/// `verify_sample`: composed answers that are also asked for, in the background (DECISIONS 9.7).
@Suite(.timeLimit(.minutes(10))) struct VerifySampleTests {
    /// An origin of albums that it can revise. One of them it names otherwise where it shows it
    /// alone.
    private final class Albums: Sendable {
        let isRevised = Atomic<Bool>(false)
        let contradicted: Int

        init(contradicting contradicted: Int = 0) { self.contradicted = contradicted }

        func answer(_ request: FakeOrigin.Request) -> FakeOrigin.Reply {
            let id = ScriptedAlbums.id(request.target)
            let isContradicted = Int(id) == contradicted && !request.target.contains("include=")
            let name = isRevised.load(ordering: .relaxed) ? "Revised \(id)" : "Album \(id)"
            return ScriptedAlbums.reply(request.target, name: isContradicted ? "Another" : name)
        }
    }

    private static func whole(_ id: Int) -> String { "/v1/catalog/us/albums/\(id)?x=s3cret" }
    private static func included(_ id: Int) -> String { "/v1/catalog/us/albums/\(id)?include=artists&x=s3cret" }

    private func scene(_ albums: Albums, sample: Int = Sampling.all, connections: Int = 32) throws -> ScriptedScene {
        let scene = try ScriptedScene(verifySample: sample, connections: connections) { albums.answer($0) }
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
        let scene = try scene(Albums())
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
        let albums = Albums()
        let scene = try scene(albums)
        albums.isRevised.store(true, ordering: .relaxed)
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
        let scene = try scene(Albums(contradicting: 3), sample: Sampling.all / 2)
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
        waitUntil { scene.proxy.settings.shared.cache.memory.lookup(ComposingScene.key(Self.whole(2))) == nil }
        for id in [2, 4] {
            let reply = try scene.proxy.client.send("GET", Self.whole(id))
            #expect(reply.field("Cache-Status")?.contains("fwd=uri-miss") == true, "\(reply.fields)")
        }
    }

    @Test func withoutRoomNothingIsAskedAndThatIsCounted() throws {
        let scene = try scene(Albums(), connections: 1)
        let before = scene.upstream.count
        _ = try compose(2, scene)
        waitUntil { scene.proxy.statistics[.verifySkipped] == 1 }
        #expect(scene.upstream.count == before && scene.proxy.statistics[.verified] == 0)
    }

    /// It gave up: its own last request was all that the limit leaves to verifications.
    @Test func aSmallLimitDelaysTheNextRequest() throws {
        let albums = Albums()
        let scene = try ScriptedScene(verifySample: Sampling.all, budget: UpstreamBudget(rate: 4)) { albums.answer($0) }
        for target in [Self.whole(1), Self.included(1), Self.included(2)] {
            _ = try scene.proxy.client.send("GET", target)
        }
        albums.isRevised.store(true, ordering: .relaxed)
        // By then nothing of the limit is used.
        Thread.sleep(forTimeInterval: 2)
        _ = try compose(2, scene)
        waitUntil { scene.proxy.statistics[.verifiedOlder] == 1 }
        #expect(scene.upstream.dropFirst(3) == [Self.whole(2), Self.included(2)])
    }

    /// The token that the origin wants is the client's own, for its own requests.
    @Test func noClientsTokenIsUsed() throws {
        let albums = Albums()
        let scene = try ScriptedScene(provesTokens: true, verifySample: Sampling.all) { request in
            request.field("authorization") == "Bearer s3cret" ? albums.answer(request) : FakeOrigin.Reply(status: 401)
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
