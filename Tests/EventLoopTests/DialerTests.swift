import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

@Suite struct DialerTests: LoopSuite {
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

    /// Patient where nothing else is said: only what is meant to be late may be.
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

    /// Each loop waited for half of its time, and each began anew.
    @Test func addressThatSwallowsConnectionsIsTriedLastByAllDialers() throws {
        // Clients of other tests have ports of 127.0.0.1, so that its port is chosen first.
        let server = try TestServer(loop: loop)
        let hole = try BlackHole(port: server.port)
        let resolver = try resolver("127.0.0.2", "127.0.0.1")
        let (_, first) = dial(server.port, resolver)
        #expect(loop.eventually { first.peer == server.listener.address })
        hole.close()
        let other = try TestServer(loop: loop, address: "127.0.0.2:\(server.port)")
        let (_, second) = dial(server.port, resolver)
        #expect(loop.eventually { second.peer == server.listener.address })
        loop.sync { #expect(other.recorders.isEmpty) }
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

    @Test func addressThatNeverAnswersCostsItsShareOfTheTime() throws {
        let authority = try ThrowawayAuthority()
        let client = try ClientTLS(trustAnchors: .pem(authority.certificatePEM()))
        let server = try TestServer(loop: loop, tls: try ServerTLS(authority: authority, hosts: ["localhost"]))
        let silent = try TestServer(loop: loop, address: "127.0.0.2:\(server.port)") { _ in }
        let (_, outcome) = dial(
            server.port, try resolver("127.0.0.2", "127.0.0.1"), tls: client, within: .milliseconds(100))
        #expect(loop.eventually { outcome.peer == server.listener.address })
        #expect(loop.eventually { silent.recorders.first?.end != nil })
    }

    @Test func failureOfTheLastAddressIsTold() throws {
        let client = try ClientTLS(trustAnchors: .pem(ThrowawayAuthority().certificatePEM()))
        let server = try TestServer(
            loop: loop, tls: try ServerTLS(authority: ThrowawayAuthority(), hosts: ["localhost"]))
        let (_, outcome) = dial(server.port, try resolver("127.0.0.2", "127.0.0.1"), tls: client)
        #expect(loop.eventually { if case .tls? = outcome.failure { true } else { false } })
    }

    @Test func nameWithoutAddressesIsAFailure() throws {
        let (_, unknown) = dial(1, Resolver(), host: "")
        let (_, empty) = dial(1, try resolver())
        let failures = [DialFailure.resolve(": not a host name"), .resolve("no address")]
        #expect(loop.eventually { [unknown.failure, empty.failure] == failures })
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

/// An address of 127.0.0.2 that swallows connections: its queue is full.
private final class BlackHole {
    private var descriptors: [CInt] = []

    init(port: UInt16) throws {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        descriptors.append(listener)
        let address = try #require(SocketAddress("127.0.0.2:\(port)"))
        try #require(address.withSockaddr { bind(listener, $0, $1) } == 0)
        try #require(listen(listener, 0) == 0)
        for _ in 0..<4 {
            let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            let client = socket(AF_INET, kind, 0)
            descriptors.append(client)
            _ = address.withSockaddr { connect(client, $0, $1) }
        }
    }

    func close() {
        for descriptor in descriptors.reversed() { Glibc.close(descriptor) }
        descriptors = []
    }

    deinit { close() }
}
