import Testing
import Text

@testable import Simulator

@Suite struct ErrorTests {
    let origin = SimulatedOrigin()

    @Test func notFoundIsWordForWord() throws {  // APPLE-MUSIC-API 8.10
        let (status, error) = try origin.error("/v1/catalog/us/albums/1")
        #expect(status == 404)
        #expect(error.keys == ["id", "title", "detail", "status", "code"])
        #expect(error["title"]?.stringValue == "Resource Not Found")
        #expect(error["detail"]?.stringValue == "Resource with requested id was not found")
        #expect(error["status"]?.stringValue == "404")
        #expect(error["code"]?.stringValue == "40400")
    }

    @Test func idIsTheCorrelationKeyInBase32() throws {  // APPLE-MUSIC-API 8.2
        let response = origin.respond("/v1/catalog/us/albums/1")
        let id = try #require(try JSON.parse(response.body)["errors"]?[0]?["id"]?.stringValue)
        #expect(id.utf8.count == 26)
        #expect(id.utf8.allSatisfy { ($0 >= 0x41 && $0 <= 0x5A) || ($0 >= 0x32 && $0 <= 0x37) })
        #expect(response.field("x-apple-jingle-correlation-key") == id)
    }

    // APPLE-MUSIC-API 8.2: checked on the capture of _header-captures.json
    @Test func keyIsBase32OfTheRequestIdentifier() {
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
        let target = Array("/v1/test".utf8)
        #expect(api.respond(to: SimulatorRequest(target: target, fields: fields, nowUnixSeconds: 9)).status == 200)
        #expect(api.respond(to: SimulatorRequest(target: target, fields: fields, nowUnixSeconds: 10)).status == 401)
        let alone = Array(fields.prefix(1))
        #expect(api.respond(to: SimulatorRequest(target: target, fields: alone, nowUnixSeconds: 9)).status == 401)
    }

    @Test func userTokenFailuresAre403() throws {  // APPLE-MUSIC-API 2.2.3
        for user in [nil, "nobody", "user-"] {
            try origin.expectError(
                "/v1/me/storefront", user: user, 403,
                ["code": "40300", "title": "Forbidden", "detail": "Invalid authentication"])
        }
        let album = origin.albumIDs(1)[0]
        for target in ["?include=library", "?relate=library", "?include[albums]=library", "/library"] {
            #expect(try origin.error("/v1/catalog/us/albums/\(album)\(target)").status == 403)  // APPLE-MUSIC-API 2.2.2
        }
    }

    @Test func missingAndEmptyIDs() throws {  // APPLE-MUSIC-API 8.4
        #expect(try origin.error("/v1/catalog/us/albums").error["code"]?.stringValue == "40003")
        try origin.expectError(
            "/v1/catalog/us/albums?ids=", 400,
            ["code": "40005", "detail": "No id(s) supplied in the 'ids' query parameter"])
    }

    @Test func emptyRelationshipIs404() throws {  // APPLE-MUSIC-API 8.11
        let curator = "/v1/catalog/us/curators/\(origin.id(.curators, 1))/tracks"
        #expect(try origin.error(curator).error["code"]?.stringValue == "40403")
    }

    @Test func methodsThatAreNotAllowed() throws {  // APPLE-MUSIC-API 8.12
        #expect(try origin.error("/v1/catalog/us/genres", method: "POST").status == 405)
        #expect(try origin.error("/v1/me/library/songs", method: "PATCH", user: "user-a").status == 405)
    }

    @Test func unknownPathsAre404() throws {
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

    @Test func unknownLibraryTypeIs400() throws {  // APPLE-MUSIC-API 8.5
        try origin.expectError(
            "/v1/me/library/stations", user: "user-a", 400,
            ["code": "40008", "detail": "Unknown library resource type"])
    }
}
