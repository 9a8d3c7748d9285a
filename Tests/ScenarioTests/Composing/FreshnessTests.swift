import Foundation
import Proxy
import Store
import TestSupport
import Testing

/// Composed answers are as fresh as their stalest part, and go with any of them (DECISIONS 9.4).
@Suite(.timeLimit(.minutes(10))) struct ComposedFreshnessTests {
    private func path(_ ids: [String]) -> String { "/v1/catalog/us/songs?ids=" + ids.joined(separator: ",") }

    /// It was composed again of parts that the purge had not chosen, and as fresh as before.
    @Test(arguments: [PurgeMode.hard, .soft], [true, false])
    func purgedAnswersAreNotComposedAgain(mode: PurgeMode, byPrefix: Bool) throws {
        let scene = try ComposingScene()
        let songs = try scene.ids("songs", 2)
        try scene.get("/v1/catalog/us/songs/\(songs[0])")
        try scene.get(path([songs[0], songs[1]]))
        let single = "/v1/catalog/us/songs/\(songs[1])"
        #expect(try scene.get(single).status.contains("detail=reduced"))
        let selection = EntrySelection([byPrefix ? .prefix(Array(single.utf8)) : .target(Array(single.utf8))])
        scene.cache.purgeAndWait(selection, mode, at: scene.clock.unixSeconds)
        #expect(try scene.get(single).cost == 1)
        #expect(try scene.get(single).cost == 0)
        // The parts were not chosen.
        #expect(try scene.get(path([songs[0], songs[1]])).cost == 0)
    }

    @Test func aStaleComposedAnswerIsRefreshedFromTheOrigin() throws {
        let scene = try ComposingScene(policy: Policy(.songs, .fixed(100, stale: 50)))
        let songs = try scene.ids("songs", 2)
        try scene.get("/v1/catalog/us/songs/\(songs[0])")
        try scene.get(path(songs))
        let single = "/v1/catalog/us/songs/\(songs[1])"
        try scene.get(single)
        scene.clock.advance(seconds: 120)
        let (status, _) = try scene.get(single)
        #expect(status == "refrain; hit; ttl=-20; detail=stale-while-revalidate", "\(status)")
        waitUntil { scene.upstream.last == single }
        waitUntil { (try? scene.get(single).status)?.contains("ttl=100") == true }
        #expect(try scene.get(single) == ("refrain; hit; ttl=100", 0))
    }
}
