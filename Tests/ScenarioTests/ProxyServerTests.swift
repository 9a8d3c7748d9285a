import Cache
import EventLoop
import Foundation
import Proxy
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ProxyServerTests {
    /// Loops share a port, and so could another proxy: both once served half of the requests each.
    @Test func aPortThatAnotherProxyHasIsAnErrorThatNamesIt() throws {
        let first = try ProxyUnderTest(originPort: 1, workers: 2)
        defer { first.stop() }
        do {
            let second = try ProxyUnderTest(originPort: 1, workers: 2, port: first.port)
            second.stop()
            Issue.record("two proxies listen on one port")
        } catch let error as ListenError {
            #expect("\(error)".hasPrefix("127.0.0.1:\(first.port): bind: Address already in use"))
        }
    }

    @Test func everyLoopServesTheSharedPort() throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply() }
        let proxy = try ProxyUnderTest(originPort: origin.port, workers: 3)
        defer { proxy.stop() }
        for _ in 0..<30 {
            let client = HTTPTestClient(port: proxy.port)
            #expect(try client.send("GET", "/v1/catalog/us/albums/1").status == 200)
        }
        #expect(proxy.statistics[.requests] == 30)
        #expect(proxy.statistics[.hits] + proxy.statistics[.misses] == 30)
    }
}
