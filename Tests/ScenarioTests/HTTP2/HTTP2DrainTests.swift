import EventLoop
import Foundation
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Proxy
@testable import Server

/// The end of the server as an HTTP/2 client sees it.
@Suite(.timeLimit(.minutes(10)), .requires(.nghttp2)) struct HTTP2DrainTests {
    private let scene: HTTP2Scene
    private let client: HTTP2TestClient

    init() throws {
        scene = try HTTP2Scene()
        client = try scene.client()
    }

    @Test func requestsUnderWayAreAnsweredWhileDraining() throws {
        let asked = DispatchSemaphore(value: 0)
        let mayAnswer = DispatchSemaphore(value: 0)
        scene.answer { _ in
            asked.signal()
            mayAnswer.waitOrFail()
            return FakeOrigin.Reply(body: "the last")
        }
        client.send(.head(HTTP2Frame.get(HTTP2Scene.album(1)), stream: 1))
        asked.waitOrFail()
        let stopped = DispatchSemaphore(value: 0)
        let cutOff = Mutex(-1)
        let proxy = scene.proxy
        Thread.detachNewThread {
            let count = proxy.stop()
            cutOff.withLock { $0 = count }
            stopped.signal()
        }
        // First only that it ends: requests on their way are still welcome (RFC 9113 6.8).
        waitUntil { client.goodbye != nil }
        #expect(client.frames(.goAway).first?.word(at: 0) == 0x7FFF_FFFF && client.goodbye == 0)
        mayAnswer.signal()
        #expect(client.answer(1) == "the last")
        stopped.waitOrFail()
        #expect(client.frames(.goAway).last?.word(at: 0) == 1)
        waitUntil { client.isClosed }
        #expect(client.isClosed && cutOff.withLock { $0 } == 0)
    }

    @Test func anIdleConnectionIsToldAndClosed() throws {
        #expect(client.ask(HTTP2Scene.album(1), stream: 1).contains("albums/1"))
        scene.proxy.stop()
        #expect(client.end() == 0)
    }

    @Test func unfinishedRequestsAreCutOffAndCounted() throws {
        var timeouts = ClientTimeouts()
        timeouts.grace = .milliseconds(100)
        timeouts.drain = .milliseconds(300)
        let scene = try HTTP2Scene(timeouts: timeouts)
        let client = try scene.client()
        client.send(.head(HTTP2Frame.get("/v1/catalog/us/albums/large"), stream: 1))
        waitUntil { client.content(1).count == 65_535 }
        #expect(scene.proxy.stop() == 1)
    }

    @Test func aReloadMaySwitchItOffAndOn() throws {
        // The server has accepted the first client.
        waitUntil { !client.frames(.settings).isEmpty }
        for isOffered in [false, true] {
            let tls = try ServerTLS(authority: scene.authority, hosts: ["localhost"], offersHTTP2: isOffered)
            try scene.proxy.adopt { settings in
                settings.listeners[1] = ListenerSettings(
                    address: settings.listeners[1].address, tls: tls, headers: nil)
            }
            let other = try scene.client()
            #expect(other.ask(HTTP2Scene.album(1), stream: 1).contains("albums/1") == isOffered)
        }
        // A connection from before the reload stays.
        #expect(client.ask(HTTP2Scene.album(1), stream: 1).contains("albums/1"))
    }
}
