import Compose
import TestSupport
import Testing

/// How long misses wait for each other, before an origin that holds the answers to some songs back:
/// those whose ids end with 01.
@Suite(.timeLimit(.minutes(10))) struct BatchWaitTests {
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
            proxy = try ProxyUnderTest(scripted: origin, workers: workers, composition: CompositionSettings(compose))
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

    /// Whether clients come within a few milliseconds of each other is up to the machine: it is
    /// tried until they do.
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
            #expect(scene.proxy.statistics[because: .batched] >= 3 && scene.proxy.statistics[.upstreamSaved] >= 2)
            #expect(
                texts.contains {
                    $0.contains("fwd=uri-miss; fwd-status=200; stored; ttl=") && $0.contains("detail=batched")
                }, "\(texts)")
            let again = try scene.proxy.client.send("GET", Scene.target(ids[1]))
            #expect(again.field("Cache-Status")?.contains("hit") == true)
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
