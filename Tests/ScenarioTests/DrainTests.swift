import Foundation
import TestSupport
import Testing

@testable import Proxy
@testable import Server

/// A proxy that stops, as its clients see it.
@Suite(.timeLimit(.minutes(10))) struct DrainTests {
    private static let request = "GET /v1/catalog/us/albums/1 HTTP/1.1\r\nHost: a\r\n\r\n"

    private func stopping(_ proxy: ProxyUnderTest) -> Thread {
        let thread = Thread { proxy.stop() }
        thread.start()
        return thread
    }

    /// Its next request may be on its way when the proxy is told to stop: it was reset.
    @Test func aRecentConnectionGetsOneMoreAnswer() throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply() }
        var timeouts = ClientTimeouts()
        timeouts.grace = .seconds(600)
        timeouts.drain = .seconds(600)
        let proxy = try ProxyUnderTest(originPort: origin.port, timeouts: timeouts)
        let client = try RawClient(port: UInt16(proxy.port))
        try client.send(Self.request)
        #expect(!client.readSome().isEmpty)
        let thread = stopping(proxy)
        waitUntil { (try? RawClient(port: UInt16(proxy.port))) == nil }
        try client.send(Self.request)
        let (answer, ended) = client.readToEnd()
        #expect(String(decoding: answer, as: UTF8.self).contains("Connection: close\r\n") && ended)
        // Well before the grace is over: nothing is connected any more.
        client.close()
        waitUntil { thread.isFinished }
    }

    @Test func idleConnectionsAreNotCutOff() throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply() }
        var timeouts = ClientTimeouts()
        timeouts.grace = .milliseconds(300)
        let proxy = try ProxyUnderTest(originPort: origin.port, timeouts: timeouts)
        let client = try RawClient(port: UInt16(proxy.port))
        try client.send(Self.request)
        #expect(!client.read(1).isEmpty)
        #expect(proxy.stop() == 0)
    }

    @Test func lateRequestsAreCutOffAndCounted() throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let origin = try FakeOrigin { _ in
            mayAnswer.waitOrFail()
            return FakeOrigin.Reply()
        }
        defer { mayAnswer.signal() }
        var timeouts = ClientTimeouts()
        timeouts.grace = .milliseconds(50)
        timeouts.drain = .milliseconds(200)
        let proxy = try ProxyUnderTest(originPort: origin.port, timeouts: timeouts)
        let client = try RawClient(port: UInt16(proxy.port))
        try client.send(Self.request)
        waitUntil { !origin.requests.isEmpty }
        #expect(proxy.stop() == 1)
    }
}
