import Testing

@testable import Simulator

@Suite struct ResponseFieldsTests {
    let origin = SimulatedOrigin()

    @Test func fieldsOfASuccess() {  // APPLE-MUSIC-API 9.2
        let response = origin.respond("/v1/catalog/us/genres")
        #expect(response.field("Content-Type") == "application/json;charset=utf-8")
        #expect(response.field("Cache-Control") == "max-age=60, s-maxage=0, private, no-transform")
        #expect(response.field("Vary") == "Origin, Accept-Encoding")
        #expect(response.field("Access-Control-Allow-Origin") == "*")
        #expect(response.field("x-apple-request-uuid")?.utf8.count == 36)
    }

    @Test func originIsEchoed() {  // APPLE-MUSIC-API 9.1, 11.2
        let response = origin.respond("/v1/catalog/us/genres", fields: [SimulatorField("Origin", "https://a.example")])
        #expect(response.field("Access-Control-Allow-Origin") == "https://a.example")
    }

    @Test func entityTagFreshens() throws {
        let first = origin.respond("/v1/catalog/us/genres")
        let tag = try #require(first.field("ETag"))
        let fields = [SimulatorField("If-None-Match", "\"x\", \(tag)")]
        let second = origin.respond("/v1/catalog/us/genres", fields: fields)
        #expect(second.status == 304 && second.body.isEmpty && second.field("ETag") == tag)
        #expect(origin.respond("/v1/catalog/de/genres", fields: fields).status == 200)
    }

    @Test func entityTagFollowsTheContentThroughRevisions() throws {
        var (unchanged, changed) = (0, 0)
        for number in 0..<40 {
            let target = "/v1/catalog/us/songs/\(origin.id(.songs, origin.albums(1)[0] * 400 + number))"
            let before = origin.respond(target)
            origin.api.revise()
            let fields = [SimulatorField("If-None-Match", before.field("ETag") ?? "none")]
            let after = origin.respond(target, fields: fields)
            let isSame = before.status == 200 && origin.respond(target).body == before.body
            #expect((after.status == 304) == isSame, "\(target)")
            if isSame { unchanged += 1 } else { changed += 1 }
        }
        #expect(unchanged > 0 && changed > 0)
    }

    @Test func preflightIsAnswered() {  // APPLE-MUSIC-API 11.1
        let response = origin.api.respond(
            to: SimulatorRequest(
                method: "OPTIONS", target: Array("/v1/me/library".utf8),
                fields: [SimulatorField("Access-Control-Request-Headers", "authorization,music-user-token")]))
        #expect(response.status == 200)
        #expect(response.field("Access-Control-Allow-Headers") == "authorization,music-user-token")
    }
}
