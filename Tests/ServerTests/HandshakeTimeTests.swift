import Dispatch
import TestSupport
import Testing

@testable import EventLoop
@testable import Server

/// The time of clients for a TLS handshake, in virtual time.
@Suite(.timeLimit(.minutes(10))) struct HandshakeTimeTests {
    private final class Silence: Service {
        func handle(_ connection: ClientConnection) {}
    }

    /// One silent client comes under the first setting, one after a reload to the second; returns
    /// how many seconds each had.
    private func seconds(_ first: Int, then second: Int) throws -> [Int] {
        let loop = try EventLoop(label: "handshakes", virtualTime: VirtualTime())
        let (done, stopped) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        defer {
            loop.stop { stopped.signal() }
            stopped.waitOrFail()
        }
        let tls = try ServerTLS(authority: try ThrowawayAuthority(), hosts: ["localhost"], offersHTTP2: true)
        var clients: [RawClient] = []
        var (times, cameAt): ([Int], Int?) = ([], nil)
        try loop.sync {
            let context = LoopContext(loop: loop)
            var timeouts = ClientTimeouts()
            timeouts.head = .seconds(first)
            let server = Server(context: context, service: Silence(), timeouts: timeouts)
            let settings = ListenerSettings(address: try #require(SocketAddress("127.0.0.1:0")), tls: tls)
            let bound = BoundListener(settings: settings, address: try server.listen(settings, sharesPort: false))
            func come(at second: Int) {
                loop.schedule(after: .seconds(second)) {
                    if let client = try? RawClient(port: bound.address.port) { clients.append(client) }
                    cameAt = second
                }
            }
            come(at: 10)
            loop.schedule(after: .seconds(60)) {
                timeouts.head = .seconds(second)
                _ = server.adopt([bound], timeouts, ending: [])
            }
            come(at: 70)
            for second in 11..<120 {
                loop.schedule(after: .milliseconds(second * 1_000 + 500)) {
                    guard let came = cameAt, context.census.count == 0 else { return }
                    times.append(second - came)
                    cameAt = nil
                }
            }
            loop.schedule(after: .seconds(120)) {
                withExtendedLifetime(server) {}
                done.signal()
            }
        }
        done.waitOrFail()
        return times
    }

    @Test func aHandshakeHasTheTimeOfAHeadAlsoAfterAReload() throws {
        #expect(try seconds(17, then: 3) == [17, 3])
    }
}
