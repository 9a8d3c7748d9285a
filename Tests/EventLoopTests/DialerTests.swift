import TestSupport
import Testing

@testable import EventLoop

@Suite struct DialerTests {
    /// What a dialer has said; touched on the loop alone.
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
        _ port: UInt16, _ resolver: Resolver, _ loop: EventLoop, host: String = "localhost", tls: ClientTLS? = nil,
        preferred: SocketAddress? = nil, within time: Duration = .seconds(600), takesOver: Bool = true
    ) -> (dialer: Dialer, outcome: Outcome) {
        loop.sync {
            let outcome = Outcome()
            let dialer = Dialer(
                to: Endpoint(isTLS: tls != nil, host: host, port: port), tls: tls, deadline: loop.now + time,
                resolver: resolver, loop: loop, preferred: { _ in preferred },
                completion: { result in
                    outcome.results.append(result)
                    if takesOver, case .success(let stream) = result { stream.handler = Recorder() }
                })
            return (dialer, outcome)
        }
    }

    @Test func addressThatRefusesIsFollowedByTheNext() throws {
        try withLoop { loop in
            let server = try TestServer(loop: loop)
            let (_, outcome) = dial(server.port, try resolver("127.0.0.2", "127.0.0.1"), loop)
            #expect(loop.eventually { outcome.peer == server.listener.address })
        }
    }

    @Test func preferredAddressIsTheFirst() throws {
        try withLoop { loop in
            let server = try TestServer(loop: loop)
            let second = try #require(SocketAddress(host: "127.0.0.2", port: server.port))
            let other = try TestServer(loop: loop, address: second.description)
            let (_, outcome) = dial(
                server.port, try resolver("127.0.0.1", "127.0.0.2"), loop, preferred: second)
            #expect(loop.eventually { outcome.peer == second && !other.recorders.isEmpty })
            loop.sync { #expect(server.recorders.isEmpty) }
        }
    }

    @Test func addressThatNeverAnswersCostsItsShareOfTheTime() throws {
        let authority = try ThrowawayAuthority()
        let client = try ClientTLS(trustAnchors: .pem(authority.certificatePEM()))
        try withLoop { loop in
            let server = try TestServer(loop: loop, tls: try ServerTLS(authority: authority, hosts: ["localhost"]))
            let silent = try TestServer(loop: loop, address: "127.0.0.2:\(server.port)") { _ in }
            let (_, outcome) = dial(
                server.port, try resolver("127.0.0.2", "127.0.0.1"), loop, tls: client, within: .milliseconds(100))
            #expect(loop.eventually { outcome.peer == server.listener.address })
            #expect(loop.eventually { silent.recorders.first?.end != nil })
        }
    }

    @Test func failureOfTheLastAddressIsTold() throws {
        let client = try ClientTLS(trustAnchors: .pem(ThrowawayAuthority().certificatePEM()))
        try withLoop { loop in
            let server = try TestServer(
                loop: loop, tls: try ServerTLS(authority: ThrowawayAuthority(), hosts: ["localhost"]))
            let (_, outcome) = dial(server.port, try resolver("127.0.0.2", "127.0.0.1"), loop, tls: client)
            #expect(loop.eventually { if case .tls? = outcome.failure { true } else { false } })
        }
    }

    @Test func nameWithoutAddressesIsAFailure() throws {
        try withLoop { loop in
            let (_, unknown) = dial(1, Resolver(), loop, host: "")
            let (_, empty) = dial(1, try resolver(), loop)
            let failures = [DialFailure.resolve(": not a host name"), .resolve("no address")]
            #expect(loop.eventually { [unknown.failure, empty.failure] == failures })
        }
    }

    @Test func dialerThatIsStoppedWhileItLooksUpConnectsToNothing() throws {
        try withLoop { loop in
            let server = try TestServer(loop: loop)
            let resolver = Resolver()
            let stopped = loop.sync {
                let (dialer, outcome) = dial(server.port, resolver, loop, host: "127.0.0.1")
                dialer.stop()
                return outcome
            }
            let (_, next) = dial(server.port, resolver, loop, host: "127.0.0.1")
            #expect(loop.eventually { next.peer != nil && !server.recorders.isEmpty })
            loop.sync { #expect(stopped.results.isEmpty && server.recorders.count == 1) }
        }
    }

    @Test func dialerThatIsStoppedWhileItConnectsSaysNothing() throws {
        let client = try ClientTLS(trustAnchors: .pem(ThrowawayAuthority().certificatePEM()))
        try withLoop { loop in
            let silent = try TestServer(loop: loop) { _ in }
            let (dialer, outcome) = dial(silent.port, Resolver(), loop, host: "127.0.0.1", tls: client)
            #expect(loop.eventually { !silent.recorders.isEmpty })
            loop.sync { dialer.stop() }
            #expect(loop.eventually { silent.recorders[0].end != nil })
            loop.sync { #expect(outcome.results.isEmpty) }
        }
    }

    @Test func streamThatNobodyTakesOverIsClosed() throws {
        try withLoop { loop in
            let server = try TestServer(loop: loop)
            let (_, outcome) = dial(server.port, Resolver(), loop, host: "127.0.0.1", takesOver: false)
            #expect(loop.eventually { outcome.results.count == 1 && server.recorders.first?.end != nil })
        }
    }
}
