import Foundation
import TestSupport
import Testing

@testable import Server

/// A proxy that stops, as its clients see it.
@Suite(.timeLimit(.minutes(10))) struct DrainTests {
    private static let request = String.get("/v1/catalog/us/albums/1")

    private static func timeouts(grace: Duration, drain: Duration = .seconds(600)) -> ClientTimeouts {
        var timeouts = ClientTimeouts()
        (timeouts.grace, timeouts.drain) = (grace, drain)
        return timeouts
    }

    /// Returns once no new connection is taken any more.
    private func stopping(_ proxy: ProxyUnderTest) -> Thread {
        let thread = Thread { proxy.stop() }
        thread.start()
        waitUntil { proxy.isClosed }
        return thread
    }

    /// Its next request may be on its way when the proxy is told to stop: it was reset.
    @Test func aRecentConnectionGetsOneMoreAnswer() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin(), timeouts: Self.timeouts(grace: .seconds(600)))
        let client = try proxy.connection(sending: Self.request)
        #expect(!client.readSome().isEmpty)
        let thread = stopping(proxy)
        try client.send(Self.request)
        #expect(client.readText().contains("Connection: close\r\n") && client.sawEnd)
        // Well before the grace is over: nothing is connected any more.
        client.close()
        waitUntil { thread.isFinished }
    }

    @Test func idleConnectionsAreNotCutOff() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin(), timeouts: Self.timeouts(grace: .milliseconds(300)))
        let client = try proxy.connection(sending: Self.request)
        #expect(!client.read(1).isEmpty)
        #expect(proxy.stop() == 0)
    }

    @Test func lateRequestsAreCutOffAndCounted() throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let timeouts = Self.timeouts(grace: .milliseconds(50), drain: .milliseconds(200))
        let proxy = try ProxyUnderTest(before: FakeOrigin(after: mayAnswer), timeouts: timeouts)
        defer { mayAnswer.signal() }
        let client = try proxy.connection(sending: Self.request)
        waitUntil { !proxy.origin.requests.isEmpty }
        #expect(proxy.stop() == 1)
        client.close()
    }

    @Test func theRequestInHandIsFinished() throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let proxy = try ProxyUnderTest(before: FakeOrigin(after: mayAnswer))
        let client = try proxy.connection(sending: Self.request)
        waitUntil { !proxy.origin.requests.isEmpty }
        let thread = stopping(proxy)
        mayAnswer.signal()
        let answer = client.readText()
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.contains("Connection: close\r\n"))
        waitUntil { thread.isFinished }
    }

    /// It is larger than the sockets hold; the client begins to read when the proxy is stopping.
    @Test func anAnswerThatIsStillLeavingIsFinished() throws {
        let body = "{\"a\":\"" + String(repeating: "x", count: 4 << 20) + "\"}"
        let proxy = try ProxyUnderTest(before: FakeOrigin(.init(body: body)))
        let client = try proxy.connection(sending: Self.request, receiveBuffer: 4096)
        waitUntil { proxy.statistics[.stored] > 0 }
        let thread = stopping(proxy)
        let answer = client.readText()
        #expect(client.sawEnd && answer.hasSuffix(body), "\(answer.utf8.count) bytes")
        waitUntil { thread.isFinished }
    }
}
