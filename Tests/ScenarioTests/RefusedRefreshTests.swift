import Foundation
import Freshness
import TestSupport
import Testing

@testable import Proxy

/// Refreshes under an operator's rule that the origin answers with a 4xx.
@Suite(.timeLimit(.minutes(10))) struct RefusedRefreshTests {
    private static let album = "/v1/catalog/us/albums/1"
    private static let good = #"{"data":[{"id":"1","type":"albums","attributes":{"name":"a"}}]}"#

    /// A proxy with a stale answer, whose origin has this status from now on; the refresh has been
    /// answered.
    private func refreshed(by status: Int, policy: Policy = Policy()) throws -> ScriptedScene {
        let scene = try ScriptedScene(policy: policy) { _ in FakeOrigin.Reply(body: Self.good) }
        _ = try scene.proxy.client.send("GET", Self.album)
        scene.origin.answer { _ in FakeOrigin.Reply(status: status, body: #"{"errors":[{"code":"1"}]}"#) }
        scene.clock.advance(seconds: 86_401)
        #expect(try scene.proxy.client.send("GET", Self.album).body == Data(Self.good.utf8), "stale, and refreshed")
        waitUntil { scene.proxy.statistics.upstreamRequests[.init(priority: .refresh, status: status)] == 1 }
        return scene
    }

    /// An album that was withdrawn for legal reasons was served for a week more.
    @Test(arguments: [404, 410, 451], [true, false]) func whatIsAbsentReplacesTheAnswer(status: Int, isKept: Bool)
        throws
    {
        var policy = Policy()
        if !isKept { policy.notFound = .off }
        let scene = try refreshed(by: status, policy: policy)
        waitUntil { (try? scene.proxy.client.send("GET", Self.album).status) == status }
        #expect(try scene.proxy.client.send("GET", Self.album).status == status)
        #expect((scene.upstream.count == 2) == isKept, "\(scene.upstream.count) requests")
        #expect(scene.proxy.statistics[.refreshRefused] == 0)
    }

    /// Nothing said that refreshes failed until the answers were gone.
    @Test(arguments: [400, 402, 405, 406, 408, 409, 421, 425, 431])
    func otherErrorsLeaveTheAnswerForItsStaleTimeAndAreSaid(status: Int) throws {
        let scene = try refreshed(by: status)
        waitUntil { scene.proxy.statistics[.refreshRefused] == 1 }
        #expect(try scene.proxy.client.send("GET", Self.album).body == Data(Self.good.utf8))
        let lines = scene.warnings.all.filter {
            $0.contains("answers \(status) to a refresh of /v1/catalog/{storefront}")
        }
        #expect(lines.count == 1, "\(scene.warnings.all)")
        scene.clock.advance(seconds: 8 * 86_400)
        #expect(try scene.proxy.client.send("GET", Self.album).status == status, "what the origin says, after that")
        #expect(scene.proxy.statistics[.refreshRefused] == 1)
    }
}
