import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10))) struct DialerTests: LoopSuite {
    let scene = LoopScene()

    /// The results of a dialer; touched on the loop alone.
    private final class Outcome {
        var results: [Result<Stream, DialFailure>] = []
        var peer: SocketAddress? { try? results.first?.get().peer }
        var failure: DialFailure? {
            if case .failure(let failure)? = results.first { failure } else { nil }
        }
    }

    /// Finds these addresses for the name that is dialled.
    private func resolver(_ hosts: String...) throws -> Resolver {
        let addresses = try hosts.map { try #require(SocketAddress(host: $0, port: 0)) }
        return Resolver(ttl: .seconds(60)) { _ in .success(addresses) }
    }

    /// Patient by default: only an address that is meant to be late may be.
    private func dial(
        _ port: UInt16, _ resolver: Resolver, host: String = "localhost", tls: ClientTLS? = nil, rotation: Int = 0,
        within time: Duration = .seconds(600)
    ) -> (dialer: Dialer, outcome: Outcome) {
        loop.sync {
            let outcome = Outcome()
            let dialer = Dialer(
                to: Endpoint(isTLS: tls != nil, host: host, port: port), tls: tls, deadline: loop.now + time,
                resolver: resolver, loop: loop, rotation: rotation,
                completion: { result in
                    outcome.results.append(result)
                    if case .success(let stream) = result { stream.handler = Recorder() }
                })
            return (dialer, outcome)
        }
    }

    @Test func rotationMovesAnotherAddressToTheFront() throws {
        let server = try TestServer(loop: loop)
        let second = try #require(SocketAddress(host: "127.0.0.2", port: server.port))
        let other = try TestServer(loop: loop, address: second.description)
        let (_, outcome) = dial(server.port, try resolver("127.0.0.1", "127.0.0.2"), rotation: 3)
        #expect(loop.eventually { outcome.peer == second && !other.recorders.isEmpty })
        loop.sync { #expect(server.recorders.isEmpty) }
    }

    /// The addresses of a name had changed, and every request failed for a minute.
    @Test func addressesThatAllFailAreLookedUpOnceMore() throws {
        let hosts = Mutex(["127.0.0.2", "127.0.0.1"])
        let resolver = Resolver(ttl: .seconds(60)) { _ in
            .success([SocketAddress(host: hosts.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }, port: 0)!])
        }
        let server = try TestServer(loop: loop)
        let isKnown = DispatchSemaphore(value: 0)
        resolver.resolve(host: "localhost", port: 1, on: loop) { _ in isKnown.signal() }
        isKnown.waitOrFail()
        let (_, outcome) = dial(server.port, resolver)
        #expect(loop.eventually { outcome.peer == server.listener.address })
    }

    /// Each loop waited for half of its time, and each began anew.
    @Test func addressThatNeverAnswersCostsItsShareOfTheTimeOnce() throws {
        let authority = try ThrowawayAuthority()
        let client = try ClientTLS(trustAnchors: .pem(authority.certificatePEM()))
        let server = try TestServer(loop: loop, tls: try ServerTLS(authority: authority, hosts: ["localhost"]))
        let silent = try TestServer(loop: loop, address: "127.0.0.2:\(server.port)") { _ in }
        let resolver = try resolver("127.0.0.2", "127.0.0.1")
        let (_, outcome) = dial(server.port, resolver, tls: client, within: .milliseconds(100))
        #expect(loop.eventually { outcome.peer == server.listener.address })
        #expect(loop.eventually { silent.recorders.first?.end != nil })
        // All dialers try that address last from now on.
        let (_, next) = dial(server.port, resolver)
        #expect(loop.eventually { next.peer == server.listener.address && silent.recorders.count == 1 })
    }

    @Test func failureOfTheLastAddressIsTold() throws {
        let client = try ClientTLS(trustAnchors: .pem(ThrowawayAuthority().certificatePEM()))
        let server = try TestServer(
            loop: loop, tls: try ServerTLS(authority: ThrowawayAuthority(), hosts: ["localhost"]))
        let (_, outcome) = dial(server.port, try resolver("127.0.0.2", "127.0.0.1"), tls: client)
        #expect(loop.eventually { if case .tls? = outcome.failure { true } else { false } })
    }

    @Test func failuresSayTheirCause() throws {
        let closed = try TestServer(loop: loop)
        loop.sync { closed.listener.close() }
        let (_, unknown) = dial(1, Resolver(), host: "")
        let (_, empty) = dial(1, try resolver())
        let (_, refused) = dial(closed.port, try resolver("127.0.0.1"))
        let failures = [
            DialFailure.resolve(": not a host name"), .resolve("no address"), .connect("connect: Connection refused"),
        ]
        #expect(loop.eventually { [unknown.failure, empty.failure, refused.failure] == failures })
    }

    @Test func dialerThatIsStoppedWhileItLooksUpConnectsToNothing() throws {
        let server = try TestServer(loop: loop)
        let resolver = Resolver()
        let stopped = loop.sync {
            let (dialer, outcome) = dial(server.port, resolver, host: "127.0.0.1")
            dialer.stop()
            return outcome
        }
        let (_, next) = dial(server.port, resolver, host: "127.0.0.1")
        #expect(loop.eventually { next.peer != nil && !server.recorders.isEmpty })
        loop.sync { #expect(stopped.results.isEmpty && server.recorders.count == 1) }
    }

    @Test func dialerThatIsStoppedWhileItConnectsSaysNothing() throws {
        let client = try ClientTLS(trustAnchors: .pem(ThrowawayAuthority().certificatePEM()))
        let silent = try TestServer(loop: loop) { _ in }
        let (dialer, outcome) = dial(silent.port, Resolver(), host: "127.0.0.1", tls: client)
        #expect(loop.eventually { !silent.recorders.isEmpty })
        loop.sync { dialer.stop() }
        #expect(loop.eventually { silent.recorders[0].end != nil })
        loop.sync { #expect(outcome.results.isEmpty) }
    }
}
