import Proxy
import Purging
import Store
import TestSupport
import Testing

@testable import Cache

/// HEAD, conditions and ranges on composed answers (RFC 9110 9.3.2, 13, 14). They are as fresh as
/// their stalest part, and go with any of them (DECISIONS 9.4).
@Suite(.timeLimit(.minutes(10))) struct ComposedFormTests {
    /// The target of a song that is stored in a batch alone.
    private func prepare(_ scene: ComposingScene) throws -> [String] {
        let songs = try scene.ids("songs", 4)
        try scene.get("/v1/catalog/us/songs/\(songs[0])")
        try scene.get("/v1/catalog/us/songs?ids=" + songs.joined(separator: ","))
        return songs.dropFirst().map { "/v1/catalog/us/songs/\($0)" }
    }

    @Test func headIsComposedLikeGet() throws {
        let scene = try ComposingScene()
        let song = try prepare(scene)[0]
        let head = try scene.proxy.client.send("HEAD", song)
        let get = try scene.proxy.client.send("GET", song)
        #expect(head.status == 200 && head.body.isEmpty && head.field("Content-Length") == "\(get.body.count)")
        #expect(head.field("Cache-Status")?.contains("hit") == true)
        for name in ["ETag", "Content-Type", "Age"] {
            #expect(head.field(name) != nil && head.field(name) == get.field(name), "\(name)")
        }
        #expect(scene.upstream.count == 2)
    }

    @Test func aComposedTagIsAValidator() throws {
        let scene = try ComposingScene()
        let targets = try prepare(scene)
        let tags = try targets.map { try #require(try scene.proxy.client.send("GET", $0).field("ETag")) }
        #expect(Set(tags).count == targets.count)
        let own = try scene.proxy.client.send("GET", targets[0], fields: [("If-None-Match", tags[0])])
        #expect(own.status == 304 && own.body.isEmpty && own.field("ETag") == tags[0])
        let other = try scene.proxy.client.send("GET", targets[0], fields: [("If-None-Match", tags[1])])
        #expect(other.status == 200 && other.json == scene.direct(targets[0]))
        // Composed anew, of the same bytes, it has the same tag.
        scene.cache.memory.remove(ComposingScene.key(targets[0]))
        let again = try scene.proxy.client.send("GET", targets[0], fields: [("If-None-Match", "W/\(tags[0])")])
        #expect(again.status == 304)
        #expect(scene.upstream.count == 2)
    }

    @Test func aConditionAppliesToACompletedAnswer() throws {
        let scene = try ComposingScene()
        let songs = try scene.ids("songs", 5)
        try scene.get("/v1/catalog/us/songs?ids=\(songs[0]),\(songs[1])")
        let target = "/v1/catalog/us/songs?ids=\(songs[1]),\(songs[2]),\(songs[0])"
        let partial = try scene.proxy.client.send("GET", target, fields: [("If-None-Match", "\"x\"")])
        #expect(partial.status == 200 && partial.json == scene.direct(target))
        #expect(partial.field("Cache-Status")?.contains("fwd=partial") == true)
        let tag = try #require(partial.field("ETag"))
        #expect(try scene.proxy.client.send("GET", target, fields: [("If-None-Match", tag)]).status == 304)
        // A HEAD that lacks something is the origin's to answer.
        let lacking = "/v1/catalog/us/songs?ids=\(songs[3]),\(songs[0])"
        let head = try scene.proxy.client.send("HEAD", lacking)
        #expect(head.status == 200 && head.body.isEmpty)
        try scene.get(lacking)
    }

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
