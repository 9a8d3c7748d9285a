import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10))) struct ResolverTests: LoopSuite {
    let scene = LoopScene()

    /// The answer to one question, of which the asker is told once.
    private func answer(
        _ resolver: Resolver, _ host: String = "name.test", since: Instant? = nil
    ) throws -> Result<[SocketAddress], ResolveError> {
        let answer = Mutex<Result<[SocketAddress], ResolveError>?>(nil)
        resolver.resolve(host: host, port: 443, since: since, on: loop) { [loop] result in
            loop.assertOnLoop()
            let isFirst = answer.withLock { answer in
                defer { answer = result }
                return answer == nil
            }
            #expect(isFirst)
        }
        #expect(loop.eventually { answer.withLock { $0 != nil } })
        return try #require(answer.withLock { $0 })
    }

    /// The first address that was found.
    private func host(_ resolver: Resolver, since: Instant? = nil) throws -> String? {
        try? answer(resolver, since: since).get().first?.host
    }

    @Test func literalAddressesNeedNoLookup() throws {
        let resolver = resolver(Lookups(nil))
        let texts = try ["127.0.0.1", "::1", "[::1]"].flatMap { try answer(resolver, $0).get() }.map(\.description)
        #expect(texts == ["127.0.0.1:443", "[::1]:443", "[::1]:443"])
    }

    @Test func aProblemSaysWhyANameHasNoAddress() throws {
        let address = try #require(SocketAddress("192.0.2.1:0"))
        func problem(_ host: String) -> String? {
            Resolver.problem(with: host, within: .seconds(60)) { host in
                host == "a.example" ? .success([address]) : .failure(ResolveError(host: host, reason: "unknown"))
            }
        }
        #expect(problem("a.example") == nil && problem("b.example") == "unknown")
        #expect(problem("127.0.0.1") == nil && problem("::1") == nil, "literal addresses are not looked up")
        #expect(Resolver.problem(with: "localhost", within: .seconds(60)) == nil)
        #expect(Resolver.problem(with: "", within: .seconds(60)) == "not a host name")
    }

    @Test func aLookupThatTakesTooLongIsAProblem() throws {
        let gate = DispatchSemaphore(value: 0)
        defer { gate.signal() }
        let words = Resolver.problem(with: "a.example", within: .milliseconds(1)) { host in
            gate.waitOrFail()
            return .failure(ResolveError(host: host, reason: "unknown"))
        }
        #expect(words == "no answer of the name servers within 0 seconds")
    }

    @Test func asksTheSystem() throws {
        let addresses = try answer(Resolver(), "localhost").get()
        #expect(!addresses.isEmpty && addresses.allSatisfy { $0.isLoopback && $0.port == 443 })
    }

    @Test func joinsLookupsUnderWayAndKeepsTheAnswer() throws {
        let ports = Mutex<[UInt16]>([])
        let lookups = Mutex(0)
        let gate = DispatchSemaphore(value: 0)
        let address = try #require(SocketAddress("192.0.2.1:0"))
        let resolver = Resolver(ttl: .seconds(60)) { _ in
            lookups.withLock { $0 += 1 }
            gate.waitOrFail()
            return .success([address])
        }
        func ask(_ host: String, port: UInt16) {
            resolver.resolve(host: host, port: port, on: loop) { result in
                ports.withLock { $0.append((try? result.get())?.first?.port ?? 0) }
            }
        }
        for port in 1...10 { ask("Name.test", port: UInt16(port)) }
        gate.signal()
        #expect(loop.eventually { ports.withLock { $0.count } == 10 })
        ask("name.TEST", port: 11)
        #expect(loop.eventually { ports.withLock { $0 } == Array(1...11) })
        #expect(lookups.withLock { $0 } == 1)
    }

    /// Answers a name by a script, look-up by look-up; the last entry is for all that follow.
    private func resolver(
        ttl: Duration = .zero, graceLifetime: Duration = .seconds(60), staleLifetime: Duration = .seconds(3600),
        failureLifetime: Duration = Resolver.failureLifetime, _ lookups: Lookups
    ) -> Resolver {
        Resolver(
            ttl: ttl, graceLifetime: graceLifetime, staleLifetime: staleLifetime, failureLifetime: failureLifetime
        ) { lookups.next($0) }
    }

    private final class Lookups: Sendable {
        private let begun = Atomic(0)
        let gate = DispatchSemaphore(value: 0)
        private let script: [String?]

        /// An address, nil for a failure, or "hang" for one that waits for the gate and then fails.
        init(_ script: [String?]) { self.script = script }
        convenience init(_ script: String?...) { self.init(script) }

        var count: Int { begun.load(ordering: .relaxed) }

        func next(_ host: String) -> Result<[SocketAddress], ResolveError> {
            let number = begun.add(1, ordering: .relaxed).newValue
            let entry = script[min(number, script.count) - 1]
            if entry == "hang" { gate.waitOrFail() }
            guard let address = entry.flatMap({ SocketAddress(host: $0, port: 0) }) else {
                return .failure(ResolveError(host: host, reason: "no"))
            }
            return .success([address])
        }
    }

    /// However old the answer is.
    @Test(arguments: [Duration.seconds(60), .zero]) func aHangingRefreshHoldsNoRequestUp(grace: Duration) throws {
        let lookups = Lookups("192.0.2.1", "hang")
        defer { for _ in 0..<2 { lookups.gate.signal() } }
        let resolver = resolver(graceLifetime: grace, lookups)
        for _ in 1...2 { #expect(try host(resolver) == "192.0.2.1") }
        #expect(loop.eventually { lookups.count == 2 })
        lookups.gate.signal()
        #expect(try host(resolver) == "192.0.2.1")
    }

    /// A list that was an hour old was used, though the name server had another.
    @Test func anAnswerWhoseTimeIsLongOverWaitsForTheLookup() throws {
        for (stale, script, expected) in [
            (3600, ["192.0.2.1", "192.0.2.2", nil], ["192.0.2.1", "192.0.2.2", "192.0.2.2"]),
            (0, ["192.0.2.1", nil], ["192.0.2.1", nil]),
        ] as [(Int, [String?], [String?])] {
            let resolver = resolver(graceLifetime: .zero, staleLifetime: .seconds(stale), Lookups(script))
            #expect(try script.map { _ in try host(resolver) } == expected)
        }
    }

    @Test func askersWhoseAddressesFailedGetNewerOnes() throws {
        let resolver = resolver(ttl: .seconds(60), Lookups("192.0.2.1", "192.0.2.2"))
        let hosts = [try host(resolver), try host(resolver, since: .now()), try host(resolver)]
        #expect(hosts == ["192.0.2.1", "192.0.2.2", "192.0.2.2"])
    }

    @Test func remembersAFailureForAWhile() throws {
        for (lifetime, count) in [(Duration.seconds(3_600), 1), (.zero, 2)] {
            let lookups = Lookups([nil])
            let resolver = resolver(ttl: .seconds(60), failureLifetime: lifetime, lookups)
            for _ in 0..<2 {
                #expect(try answer(resolver) == .failure(ResolveError(host: "name.test", reason: "no")))
            }
            #expect(lookups.count == count)
        }
    }

    /// While the name server failed, each connection asked it once more: only failures without an
    /// older answer were held.
    @Test func aFailedRefreshWasTriedAgainForEachConnection() throws {
        let lookups = Lookups("192.0.2.1", nil)
        let resolver = resolver(graceLifetime: .zero, failureLifetime: .seconds(3_600), lookups)
        for _ in 0..<4 { #expect(try host(resolver) == "192.0.2.1") }
        #expect(loop.eventually { lookups.count == 2 })
    }

    @Test func alternatesBetweenFamilies() {
        func addresses(_ hosts: [String]) -> [SocketAddress] { hosts.compactMap { SocketAddress(host: $0, port: 0) } }
        let mixed = addresses(["::1", "::2", "::3", "1.1.1.1", "2.2.2.2"])
        #expect(Resolver.interleaved(mixed).map(\.host) == ["::1", "1.1.1.1", "::2", "2.2.2.2", "::3"])
        #expect(Resolver.interleaved(addresses(["1.1.1.1", "::1"])).map(\.host) == ["1.1.1.1", "::1"])
        #expect(Resolver.interleaved([]).isEmpty)
    }
}
