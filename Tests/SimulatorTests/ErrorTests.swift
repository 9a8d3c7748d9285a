import Testing
import Text

@testable import Simulator

@Suite struct ErrorTests {
    let origin = SimulatedOrigin()

    @Test func notFoundIsWordForWord() throws {  // APPLE-MUSIC-API 8.10
        let error = try origin.expectError(
            "/v1/catalog/us/albums/1", 404,
            [
                "title": "Resource Not Found", "detail": "Resource with requested id was not found", "status": "404",
                "code": "40400",
            ])
        #expect(error.keys == ["id", "title", "detail", "status", "code"])
    }

    @Test func idIsTheCorrelationKeyInBase32() throws {  // APPLE-MUSIC-API 8.2
        let response = origin.respond("/v1/catalog/us/albums/1")
        let id = try #require(try JSON.parse(response.body)["errors"]?[0]?["id"]?.stringValue)
        #expect(id.utf8.count == 26)
        #expect(id.utf8.allSatisfy { ($0 >= 0x41 && $0 <= 0x5A) || ($0 >= 0x32 && $0 <= 0x37) })
        #expect(response.field("x-apple-jingle-correlation-key") == id)
        // Checked on the capture of _header-captures.json.
        let bits: (UInt64, UInt64) = (0xfd2f_8b76_c647_d8b6, 0xbd40_3975_ac0f_1285)
        #expect(ResponseFields.key(bits) == "7UXYW5WGI7MLNPKAHF22YDYSQU")
    }

    @Test func developerTokenFailuresAre401WithoutABody() {  // APPLE-MUSIC-API 2.1.5, 8.8
        let target = Array("/v1/catalog/us/genres".utf8)
        for fields in [
            [], [SimulatorField("Authorization", "Bearer nonsense")], [SimulatorField("Authorization", "a.b.c")],
        ] {
            let response = origin.api.respond(to: SimulatorRequest(target: target, fields: fields))
            #expect(response.status == 401 && response.body.isEmpty)
            #expect(response.field("content-type") == "application/json; charset=utf-8")
        }
        let open = SimulatedOrigin { $0.requiresAuthorization = false }
        #expect(open.api.respond(to: SimulatorRequest(target: target)).status == 200)
    }

    @Test func verifierSeesTokenOriginAndTime() {  // APPLE-MUSIC-API 2.1.1: the origin claim
        let api = SimulatedAPI { token, origin, now in token == "good" && origin == "https://app.example" && now == 9 }
        let fields = [SimulatorField("authorization", "Bearer good"), SimulatorField("Origin", "https://app.example")]
        for (count, now, status) in [(2, 9, 200), (2, 10, 401), (1, 9, 401)] as [(Int, Int64, Int)] {
            let request = SimulatorRequest(
                target: Array("/v1/test".utf8), fields: Array(fields.prefix(count)), nowUnixSeconds: now)
            #expect(api.respond(to: request).status == status, "\(count) fields at \(now)")
        }
    }

    @Test func userTokenFailuresAre403() throws {  // APPLE-MUSIC-API 2.2.2, 2.2.3
        for user in [nil, "nobody", "user-"] {
            try origin.expectError(
                "/v1/me/storefront", user: user, 403,
                ["code": "40300", "title": "Forbidden", "detail": "Invalid authentication"])
        }
        for target in ["?include=library", "?relate=library", "?include[albums]=library", "/library"] {
            try origin.expectError("/v1/catalog/us/albums/\(origin.albumIDs(1)[0])\(target)", 403)
        }
    }

    @Test func wrongRequestsHaveTheirCodes() throws {
        let tracks = "/v1/catalog/us/curators/\(origin.id(.curators, 1))/tracks"
        let noIDs: JSON = "No id(s) supplied in the 'ids' query parameter"
        // APPLE-MUSIC-API 8.4, 8.11
        try origin.expectError("/v1/catalog/us/albums", 400, ["code": "40003"])
        try origin.expectError("/v1/catalog/us/albums?ids=", 400, ["code": "40005", "detail": noIDs])
        try origin.expectError(tracks, 404, ["code": "40403"])
        // APPLE-MUSIC-API 8.12
        try origin.expectError("/v1/catalog/us/genres", method: "POST", 405)
        try origin.expectError("/v1/me/library/songs", method: "PATCH", user: "user-a", 405)
        // APPLE-MUSIC-API 8.5
        try origin.expectError(
            "/v1/me/library/stations", user: "user-a", 400,
            ["code": "40008", "detail": "Unknown library resource type"])
        for target in ["/", "/v2/x", "/v1", "/v1/nothing", "/v1/catalog", "/v1/catalog/us/nothing/1", "/v1/me"] {
            #expect(origin.respond(target, user: "user-a").status == 404, "\(target)")
        }
    }

    @Test func subscriptionAndUpstreamFailures() throws {  // APPLE-MUSIC-API 2.2.7, 8.14
        try origin.expectError(
            "/v1/me/library/songs", user: "user-unsubscribed", 400,
            ["code": "40015", "messageForDisplay": "Insufficient Privileges"])
        try origin.expectError("/v1/me/library/albums", user: "user-failing", 500, ["code": "50001"])
        // the size of the capture
        #expect(origin.respond("/v1/me/library/albums", user: "user-failing").body.count == 153)
    }
}

@Suite struct FaultTests {
    @Test(arguments: [
        (Fault.Kind.tooManyRequests, 429, "text/plain"), (.serverError, 500, "application/json;charset=utf-8"),
        (.unavailable, 503, "application/json;charset=utf-8"), (.gatewayTimeout, 504, "text/html"),
    ])
    func statusFaults(_ kind: Fault.Kind, _ status: Int, _ type: String) {  // APPLE-MUSIC-API 8
        let origin = SimulatedOrigin { $0.faults = [Fault(kind)] }
        let response = origin.respond("/v1/catalog/us/genres")
        #expect(response.status == status && response.field("Content-Type") == type)
        #expect(response.field("Retry-After") == nil)  // APPLE-MUSIC-API 10.3
        let text = String(decoding: response.body, as: UTF8.self)
        if status == 429 { #expect(text == "API capacity exceeded") }
        if status == 504 { #expect(text.contains("Gateway Timeout") && text.contains("Correlation Key: ")) }
    }

    @Test func transportFaultsAndLimitsAreValues() {
        let reset = SimulatedOrigin { $0.faults = [Fault(.reset)] }
        #expect(reset.respond("/v1/catalog/us/genres").fault == .reset)
        let truncated = SimulatedOrigin { $0.faults = [Fault(.truncate)] }.respond("/v1/catalog/us/genres")
        #expect(truncated.fault == .truncate && truncated.body.count > 1)
        let slow = SimulatedOrigin {
            $0.faults = [Fault(.slow)]
            $0.latency = .milliseconds(5)
        }
        #expect(slow.respond("/v1/catalog/us/genres").delay == .milliseconds(3005))
        let origin = SimulatedOrigin { $0.requestsPerSecond = 3 }
        let statuses = [5, 5, 5, 5, 6, 6].map { origin.respond("/v1/test", now: $0).status }
        #expect(statuses == [200, 200, 200, 429, 200, 200])
    }

    @Test(arguments: [UInt64(1), 2, 3]) func sharesAreSeededAndAboutRight(_ seed: UInt64) {
        func statuses() -> [Int] {
            let origin = SimulatedOrigin {
                $0.seed = seed
                $0.faults = [Fault(.unavailable, perMillion: 100_000)]
            }
            return (0..<1000).map { _ in origin.respond("/v1/test").status }
        }
        let first = statuses()
        #expect(first == statuses(), "seed \(seed)")
        let failures = first.count { $0 == 503 }
        #expect((50...150).contains(failures), "seed \(seed): \(failures)")
    }

    // MARK: Arguments of `refrain simulate --fault`

    private func configuration(_ arguments: String...) throws -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        for text in arguments { try configuration.addFault(text) }
        return configuration
    }

    @Test func argumentsAreKindsSharesAndLimits() throws {
        #expect(try configuration("429").faults == [Fault(.tooManyRequests)])
        #expect(try configuration("reset:0.05").faults == [Fault(.reset, perMillion: 50_000)])
        #expect(try configuration("limit:4/s").requestsPerSecond == 4)
        let shares = ["0": 0, "1": 1_000_000, "1.0": 1_000_000, "0.5": 500_000, "0.000001": 1, "0.010": 10_000]
        for (text, perMillion) in shares {
            #expect(try configuration("slow:\(text)").faults == [Fault(.slow, perMillion: perMillion)], "\(text)")
        }
        let several = try configuration("503:0.1", "limit:9/s", "slow")
        #expect(several.faults == [Fault(.unavailable, perMillion: 100_000), Fault(.slow)])
        #expect(several.requestsPerSecond == 9)
    }

    @Test(arguments: [
        "", ":1", "418", "Reset", "reset:", "reset:2", "reset:1.1", "reset:-1", "reset:.5", "reset:0.", "reset:x",
        "reset:0.1234567", "reset:0.1:1", "reset:nan", "limit", "limit:4", "limit:0/s", "limit:/s", "limit:-4/s",
        "limit:+4/s", "limit:4/s/s", "4/s",
    ])
    func otherArgumentsAreRefused(_ text: String) { #expect(throws: MalformedFault.self) { try configuration(text) } }
}

@Suite struct ResponseFieldsTests {
    let origin = SimulatedOrigin()

    @Test func fieldsOfASuccess() {  // APPLE-MUSIC-API 9.1, 9.2, 11.2
        let response = origin.respond("/v1/catalog/us/genres")
        for (name, value) in [
            ("Content-Type", "application/json;charset=utf-8"), ("Vary", "Origin, Accept-Encoding"),
            ("Cache-Control", "max-age=60, s-maxage=0, private, no-transform"), ("Access-Control-Allow-Origin", "*"),
        ] { #expect(response.field(name) == value) }
        #expect(response.field("x-apple-request-uuid")?.utf8.count == 36)
        let page = origin.respond("/v1/catalog/us/genres", fields: [SimulatorField("Origin", "https://a.example")])
        #expect(page.field("Access-Control-Allow-Origin") == "https://a.example")
    }

    @Test func entityTagFreshens() throws {
        let tag = try #require(origin.respond("/v1/catalog/us/genres").field("ETag"))
        let fields = [SimulatorField("If-None-Match", "\"x\", \(tag)")]
        let second = origin.respond("/v1/catalog/us/genres", fields: fields)
        #expect(second.status == 304 && second.body.isEmpty && second.field("ETag") == tag)
        #expect(origin.respond("/v1/catalog/de/genres", fields: fields).status == 200)
    }

    @Test func preflightIsAnswered() {  // APPLE-MUSIC-API 11.1
        let names = "authorization,music-user-token"
        let response = origin.api.respond(
            to: SimulatorRequest(
                method: "OPTIONS", target: Array("/v1/me/library".utf8),
                fields: [SimulatorField("Access-Control-Request-Headers", names)]))
        #expect(response.status == 200 && response.field("Access-Control-Allow-Headers") == names)
    }

    @Test func slugsAreNeverEmpty() {
        for (name, slug) in [("Say \"Hello\"", "say-hello"), ("夜", "x"), ("--", "x"), ("A & B", "a-b"), ("Ü 1 ", "1")] {
            var bytes: [UInt8] = []
            bytes.appendSlug(name)
            #expect(String(decoding: bytes, as: UTF8.self) == slug)
        }
    }
}
