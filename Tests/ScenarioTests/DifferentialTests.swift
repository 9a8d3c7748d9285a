import EventLoop
import Foundation
import Proxy
import Simulator
import TestSupport
import Testing

/// Whatever sequence of requests is made, the proxy's answer equals the origin's in status and JSON value.
@Suite struct DifferentialTests {
    @Test(arguments: [UInt64(20_261_121)])
    func proxyAndOriginAgreeOnThousandsOfRequests(seed: UInt64) throws {
        var configuration = SimulatorConfiguration()
        configuration.requiresAuthorization = false
        let api = SimulatedAPI(configuration: configuration)
        let origin = try ServiceHost(
            label: "simulated", listener: ListenerSettings(address: SocketAddress("127.0.0.1:0")!, tls: nil)
        ) { context in SimulatorService(api, context: context) }
        defer { origin.stop() }
        let proxy = try ProxyUnderTest(originPort: Int(origin.address.port), workers: 2)
        defer { proxy.stop() }
        let other = HTTPTestClient(port: proxy.port)
        var generator = RequestGenerator(seed: seed, api: api)
        for index in 0..<4000 {
            let (target, user) = generator.next()
            let client = index % 2 == 0 ? proxy.client : other
            let reply = try client.send("GET", target, fields: user.map { [("Music-User-Token", $0)] } ?? [])
            let direct = api.respond(to: RequestGenerator.request(target, user: user))
            try #require(reply.status == direct.status, "seed \(seed), request \(index): \(target)")
            let expected =
                try? JSONSerialization.jsonObject(
                    with: Data(direct.body), options: .fragmentsAllowed) as? NSObject
            let matches = expected == nil ? reply.body == Data(direct.body) : Self.isEqual(reply.json, expected)
            try #require(matches, "seed \(seed), request \(index): \(target) \(reply.field("Cache-Status") ?? "")")
        }
        #expect(proxy.statistics[.hits] > 500)
        #expect(proxy.statistics[.requests] == 4000)
    }

    /// Equal but for the id of an error, which is new with every answer (API.md 8).
    private static func isEqual(_ one: NSObject?, _ other: NSObject?) -> Bool {
        withoutErrorIDs(one) == withoutErrorIDs(other)
    }

    private static func withoutErrorIDs(_ json: NSObject?) -> NSObject? {
        guard let object = json as? [String: Any], let errors = object["errors"] as? [[String: Any]] else {
            return json
        }
        var copy = object
        copy["errors"] = errors.map { $0.filter { $0.key != "id" } }
        return copy as NSDictionary
    }
}
