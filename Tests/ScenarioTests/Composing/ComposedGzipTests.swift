import Foundation
import HTTP
import TestSupport
import Testing

/// Answers that came in gzip are material like any other, and what is made of them goes out in gzip
/// when it is wanted again.
@Suite(.timeLimit(.minutes(10)), .requires(.zlib)) struct ComposedGzipTests {
    @Test func aComposedAnswerIsCompressedWhenItIsWantedAgain() throws {
        let scene = try ComposingScene()
        defer { scene.stop() }
        let songs = try scene.ids("songs", 40)
        let path = "/v1/catalog/us/songs?ids="
        try scene.get("/v1/catalog/us/songs/\(songs[0])")
        try scene.get(path + songs[..<20].joined(separator: ","))
        try scene.get(path + songs[20...].joined(separator: ","))
        #expect(
            scene.cache.memory.lookup(.init(scope: .shared, target: Array("/v1/catalog/us/songs/\(songs[0])".utf8)))?
                .gzip != nil)
        let target = path + [songs[30], songs[3], songs[7]].joined(separator: ",")
        let plain = try scene.proxy.client.send("GET", target)
        #expect(
            plain.field("Cache-Status")?.contains("detail=split") == true
                && plain.field("Vary") == "Origin, Accept-Encoding")
        var coded = plain
        waitUntil {
            coded = (try? scene.proxy.client.send("GET", target, fields: [("Accept-Encoding", "gzip")])) ?? coded
            return coded.field("Content-Encoding") != nil
        }
        #expect(
            coded.field("Content-Encoding") == "gzip" && coded.field("Cache-Status")?.contains("detail=split") == true)
        #expect(try Data(Gzip.system.inflate(Array(coded.body))) == plain.body)
        #expect(coded.field("ETag") == plain.field("ETag").map { $0.dropLast() + "-gzip\"" })
    }
}
