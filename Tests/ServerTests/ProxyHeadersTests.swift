import Synchronization
import TestSupport
import Testing

@testable import EventLoop
@testable import Server

@Suite struct ProxyHeadersTests {
    private typealias Failure = ProxyHeaderWait.Failure
    private let peer = SocketAddress("10.0.0.7:5000")
    private let start = Instant(nanoseconds: 1_000_000_000)

    @Test func aLineIsLoggedOnceAMinute() {
        let lines = Mutex<[String]>([])
        let headers = ProxyHeaders { line in lines.withLock { $0.append(line) } }
        for second in 0..<130 {
            headers.refused(from: peer, because: Failure.malformed.words!, at: start + .seconds(second))
        }
        let words = "a connection from 10.0.0.7 was closed: it did not begin with a PROXY protocol header"
        #expect(
            lines.withLock { $0 } == [
                words, words + "; 59 more since the last message", words + "; 59 more since the last message",
            ])
    }

    /// As a health check does that only connects.
    @Test func silentConnectionsGetNoLine() {
        #expect(Failure.silent.words == nil)
        let lines = Mutex<[String]>([])
        let headers = ProxyHeaders { line in lines.withLock { $0.append(line) } }
        headers.refused(from: nil, because: Failure.late.words!, at: start)
        #expect(
            lines.withLock { $0 } == [
                "a connection from an unknown address was closed: its PROXY protocol header was late"
            ])
    }
}
