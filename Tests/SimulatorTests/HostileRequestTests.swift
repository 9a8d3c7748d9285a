import TestSupport
import Testing
import Text

@testable import Simulator

/// Whatever is asked, there is an answer, and it is JSON where it says so.
@Suite struct HostileRequestTests {
    private static let elements = [
        "v1", "catalog", "us", "gb", "zz", "albums", "songs", "artists", "search", "charts", "hints", "me", "library",
        "playlists", "view", "tracks", "1400000400", "99999999999999999999", "pl.", "ra.", "i.", "l.zz", "p.0", "%FF",
        "%", "..", "", "ratings", "recent", "played", "storefronts", "language", "tag", "playlist-folders", "genres",
    ]
    private static let names = [
        "ids", "ids[songs]", "ids[", "filter[isrc]", "filter[upc]", "filter[]", "filter[equivalents]", "limit",
        "offset",
        "limit[albums]", "include", "include[albums]", "l", "term", "types", "views", "fields", "with", "kinds", "%5B",
    ]
    private static let values = [
        "1400000400", "1400000401,1400000402", "-1", "9223372036854775807", "99999999999999999999", "albums,artists",
        "songs", "%00%FF", "\u{FF}", "", ",", "GB000000000é", "QQ-1-1-1-1-1", "000000000000000", "+1", "en-US", "terms",
        "tracks,library,albums", "the", "%",
    ]

    @Test(arguments: TestSize.of([1], full: [1, 2, 3]) as [UInt64]) func everyRequestIsAnswered(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let origin = SimulatedOrigin { $0.artists = 100 }
        for _ in 0..<1500 {
            let depth = Int.random(in: 0...6, using: &generator)
            var target = Bool.random(using: &generator) ? "/v1/catalog/us" : "/v1/me/library"
            for _ in 0..<depth { target += "/" + (Self.elements.randomElement(using: &generator) ?? "") }
            var mark = "?"
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                target += mark + (Self.names.randomElement(using: &generator) ?? "")
                target += "=" + (Self.values.randomElement(using: &generator) ?? "")
                mark = "&"
            }
            let method = ["GET", "GET", "GET", "POST", "PUT", "DELETE"].randomElement(using: &generator) ?? "GET"
            let body = ["", "{}", "[1]", "{\"data\":[{\"id\":1}]}", "{\"attributes\":{\"name\":\"x\"}}"]
                .randomElement(using: &generator)
            let response = origin.respond(target, method: method, user: "user-fuzz", body: body ?? "")
            #expect((200...504).contains(response.status), "seed \(seed): \(method) \(target)")
            if response.field("Content-Type")?.hasPrefix("application/json") == true, !response.body.isEmpty {
                #expect(throws: Never.self, "seed \(seed): \(method) \(target)") { try JSON.parse(response.body) }
            }
        }
    }
}
