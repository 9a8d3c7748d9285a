import Compose
import Foundation
import TestSupport
import Testing

@testable import Simulator

/// `compose verify`, and an origin that changes the form of its answers (DECISIONS 9.7).
@Suite(.timeLimit(.minutes(10))) struct VerifyTests {
    private static let verifying = CompositionSettings(.verify)

    private func album(_ id: String, _ query: String = "?include=artists") -> String {
        "/v1/catalog/us/albums/\(id)\(query)"
    }

    private func batch(_ ids: [String]) -> String { "/v1/catalog/us/albums?ids=" + ids.joined(separator: ",") }

    @Test func theClientGetsTheOriginsAnswer() throws {
        let scene = try ComposingScene(Self.verifying)
        let albums = try scene.ids("albums", 4)
        try scene.get(album(albums[0], ""))
        try scene.get(batch(albums))
        // The answer to a HEAD has no content, which counted as a mismatch.
        #expect(try scene.proxy.client.send("HEAD", album(albums[1], "")).status == 200)
        for id in albums.dropFirst() {
            let (status, cost) = try scene.get(album(id, ""))
            #expect(status.contains("fwd=uri-miss; fwd-status=200; stored") && cost == 1, "\(status)")
            #expect(!status.contains("detail="), "\(status)")
        }
        waitUntil { scene.proxy.statistics[.verified] == 3 }
        #expect(scene.proxy.statistics[.verifyMismatches] == 0 && scene.proxy.statistics[.verifiedOlder] == 0)
        #expect(scene.proxy.statistics[.built] == 0 && scene.proxy.statistics[.upstreamSaved] == 0)
        #expect(scene.proxy.statistics[.upstreamRequests] == 6 && scene.warnings.all.isEmpty)
    }

    @Test func verifyingUsesNoCompositionForAFailingOrigin() throws {
        let scene = try ListScene(Self.verifying)
        try scene.get(ListScene.target(1, "limit=100&offset=0"))
        scene.scene.origin.stop()
        let reply = try scene.proxy.client.send("GET", ListScene.target(1, "limit=10&offset=5"))
        #expect(reply.status >= 500 || reply.field("Cache-Status")?.contains("fwd=") == true)
        #expect(scene.proxy.statistics[.built] == 0)
    }

    @Test func whileVerifyingSinglesAreNotJoined() throws {
        var settings = Self.verifying
        settings.batch = true
        let scene = try ComposingScene(settings)
        let albums = try scene.ids("albums", 5)
        for id in albums { try scene.get(album(id, "")) }
        let clients = try albums.map { try scene.proxy.connection(sending: .get(album($0), closes: true)) }
        for client in clients { #expect(!client.readText().isEmpty) }
        #expect(!scene.upstream.contains { $0.contains("ids=") })
        #expect(scene.proxy.statistics[.built] == 0)
    }

    @Test func nothingIsComposedInAFormThatWasContradicted() throws {
        let scene = try ComposingScene()
        let albums = try scene.ids("albums", 8)
        try scene.get(album(albums[0]))
        try scene.get(album(albums[1], ""))
        try scene.get(batch(albums) + "&include=artists")
        // Some have artists with more albums than were seen in any list.
        let composed = try albums[2..<5].filter { try scene.get(album($0)).status.contains("detail=reduced") }
        try #require(!composed.isEmpty)
        scene.api.flip()
        // One that is in no other answer, and shows that artists look otherwise by now.
        let other = try #require(try scene.ids("albums", 9).last)
        #expect(try scene.get(album(other)).cost == 1)
        #expect(scene.proxy.statistics[.contradictions] >= 1)
        #expect(scene.warnings.all.contains { $0.contains("in another form than before") }, "\(scene.warnings.all)")
        for id in albums[5...] {
            let (status, cost) = try scene.get(album(id))
            #expect(status.contains("fwd=uri-miss") && cost == 1, "\(status)")
        }
        #expect(scene.proxy.statistics.restingForms() >= 1)
    }
}
