import Cache
import Foundation
import Server
import TestSupport
import Testing

@testable import EventLoop
@testable import Simulator

/// Every recorded response, served over TLS by a throw-away authority, comes through equal in
/// status, content type and JSON value: cold, as a hit, and after a restart with the origin
/// switched off.
@Suite(.requires(.sharedMaterial)) struct RecordingsTests {
    private typealias Case = (method: String, target: String)

    /// Whether the parts of an answer are equal that must not change on the way.
    private static func areEqual(_ one: HTTPTestClient.Reply, _ other: HTTPTestClient.Reply) -> Bool {
        one.status == other.status && one.field("Content-Type") == other.field("Content-Type")
            && (one.json != nil ? one.json == other.json : one.body == other.body)
    }

    @Test func everyRecordingComesThroughColdAsHitAndAfterARestart() throws {
        let folder = try TemporaryFolder()
        let authority = try ThrowawayAuthority()
        let anchors = try folder.put(authority.certificatePEM().utf8, "ca.pem")
        let recorded = try RecordedAPI(path: SharedMaterial.directory.appendingPathComponent("recordings").path)
        let origin = try ServiceHost(
            label: "recorded",
            listener: ListenerSettings(
                address: SocketAddress("127.0.0.1:0")!,
                tls: ServerTLS(authority: authority, hosts: ["localhost", "127.0.0.1"]))
        ) { context in SimulatorService(recorded, context: context) }
        let cases = try Self.cases()
        #expect(cases.count > 200)

        func makeProxy() throws -> ProxyUnderTest {
            try ProxyUnderTest(
                originPort: Int(origin.address.port), upstreamTLS: ClientTLS(trustAnchors: .file(anchors)),
                originHost: "localhost",
                cache: ResponseCache(mebibytes: 32, file: folder.file("cache.sqlite")))
        }
        var proxy = try makeProxy()
        var stored: [Case] = []
        for one in cases {
            let direct = Self.direct(recorded, one)
            #expect(Self.areEqual(try Self.ask(proxy, one), direct), "cold: \(one.method) \(one.target)")
            let again = try Self.ask(proxy, one)
            #expect(Self.areEqual(again, direct), "again: \(one.method) \(one.target)")
            // A composed answer is not in the file, and captures of two years may not compose.
            if let status = again.field("Cache-Status"), status.hasPrefix("refrain; hit"), !status.contains("detail=") {
                stored.append(one)
            }
        }
        // Storable are GETs of the catalog and the storefronts with status 200 or 404.
        #expect(stored.count > cases.count / 2)
        proxy.stop()
        origin.stop()
        proxy = try makeProxy()
        for one in stored {
            let reply = try Self.ask(proxy, one)
            #expect(reply.isHit && Self.areEqual(reply, Self.direct(recorded, one)), "after a restart: \(one.target)")
        }
    }

    private static func cases() throws -> [Case] {
        try SharedMaterial.lines(of: "recordings/index.jsonl").compactMap { entry in
            guard let method = entry["method"] as? String, let path = entry["path"] as? String, path.hasPrefix("/v1/")
            else { return nil }
            let query = entry["query"] as? String ?? ""
            return (method, query.isEmpty ? path : path + "?" + query)
        }
    }

    /// Without a developer token a 401 without content is explained, and so is not the origin's.
    private static func ask(_ proxy: ProxyUnderTest, _ one: Case) throws -> HTTPTestClient.Reply {
        try proxy.client.send(
            one.method, one.target, fields: [("Authorization", "Bearer app"), ("Music-User-Token", "user-1")],
            body: one.method == "GET" ? nil : Data("{}".utf8))
    }

    private static func direct(_ recorded: RecordedAPI, _ one: Case) -> HTTPTestClient.Reply {
        let response = recorded.respond(
            to: SimulatorRequest(
                method: one.method, target: Array(one.target.utf8),
                fields: [SimulatorField("Music-User-Token", "user-1")]))
        return HTTPTestClient.Reply(
            status: response.status, fields: response.fields.map { ($0.name, $0.value) }, body: Data(response.body))
    }
}
