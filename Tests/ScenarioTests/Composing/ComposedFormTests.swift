import Foundation
import Testing

@testable import Cache

/// HEAD, conditions and ranges on composed answers (RFC 9110 9.3.2, 13, 14).
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
}
