import Synchronization
import TestSupport
import Testing

/// A song that was withdrawn comes back.
@Suite(.timeLimit(.minutes(10))) struct BackAgainTests {
    private static let songs = "/v1/catalog/us/songs"
    private static let pair = songs + "?ids=1,7"

    private final class Origin: Sendable {
        let isBack = Mutex(false)
    }

    /// A proxy that has composed batches without song 7, and an origin that has it again from now
    /// on.
    private func scene() throws -> ScriptedScene {
        let origin = Origin()
        let scene = try ScriptedScene { request in
            let list = request.target.split(separator: "ids=").dropFirst().first?.prefix { $0 != "&" }
            let ids = list.map { $0.split(separator: ",").map(String.init) } ?? ScriptedSongs.ids(request.target)
            if ids.contains("8") { origin.isBack.withLock { $0 = true } }
            let isBack = origin.isBack.withLock { $0 }
            return FakeOrigin.Reply(body: ScriptedSongs.body(ids.filter { isBack || $0 != "7" }))
        }
        for target in ["/1", "?ids=1,2", "?ids=7"] { _ = try scene.proxy.client.send("GET", Self.songs + target) }
        for _ in 0..<2 {
            let reply = try scene.proxy.client.send("GET", Self.pair)
            #expect(reply.isHit && names(reply) == ["1"])
        }
        #expect(scene.upstream.count == 3, "it was composed, and stored")
        return scene
    }

    private func names(_ reply: HTTPTestClient.Reply) -> [String] {
        let data = (reply.json as? [String: Any])?["data"] as? [[String: Any]] ?? []
        return data.compactMap { $0["id"] as? String }
    }

    /// It was left out for as long as `not-found` lasts.
    @Test(arguments: ["?extend=artistUrl&ids=8,7", "?ids=8,7&l=es-MX", "?ids=8,7&include=artists"])
    func itIsAskedForOnceAnyAnswerShowsIt(observation: String) throws {
        let scene = try scene()
        #expect(names(try scene.proxy.client.send("GET", Self.songs + observation)) == ["8", "7"])
        #expect(names(try scene.proxy.client.send("GET", Self.pair)) == ["1", "7"])
        #expect(scene.upstream.count <= 5)
    }

    @Test func itIsAnotherOneInAnotherStorefront() throws {
        let scene = try scene()
        _ = try scene.proxy.client.send("GET", "/v1/catalog/gb/songs?ids=8,7")
        let reply = try scene.proxy.client.send("GET", Self.pair)
        #expect(reply.isHit && names(reply) == ["1"])
    }
}
