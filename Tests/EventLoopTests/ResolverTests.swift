import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

@Suite struct ResolverTests {
    private final class Results: Sendable {
        let all = Mutex<[Result<[SocketAddress], ResolveError>]>([])
        var count: Int { all.withLock { $0.count } }
        var last: Result<[SocketAddress], ResolveError>? { all.withLock { $0.last } }
    }

    private func ask(_ resolver: Resolver, _ host: String, port: UInt16 = 443, _ loop: EventLoop, _ results: Results) {
        resolver.resolve(host: host, port: port, on: loop) { result in
            loop.assertOnLoop()
            results.all.withLock { $0.append(result) }
        }
    }

    @Test func literalAddressesNeedNoLookup() throws {
        try withLoop { loop in
            let results = Results()
            let resolver = Resolver(ttl: .seconds(60)) { host in .failure(ResolveError(host: host, reason: "asked")) }
            for host in ["127.0.0.1", "::1", "[::1]"] { ask(resolver, host, loop, results) }
            #expect(loop.eventually { results.count == 3 })
            let texts = try results.all.withLock { $0 }.flatMap { try $0.get() }.map(\.description)
            #expect(texts == ["127.0.0.1:443", "[::1]:443", "[::1]:443"])
        }
    }

    @Test func asksTheSystem() throws {
        try withLoop { loop in
            let results = Results()
            ask(Resolver(), "localhost", loop, results)
            #expect(loop.eventually { results.count == 1 })
            let addresses = try #require(try results.last?.get())
            #expect(!addresses.isEmpty && addresses.allSatisfy { $0.isLoopback && $0.port == 443 })
        }
    }

    @Test func joinsLookupsUnderWayAndKeepsTheAnswer() throws {
        try withLoop { loop in
            let results = Results()
            let lookups = Mutex(0)
            let gate = DispatchSemaphore(value: 0)
            let address = try #require(SocketAddress("192.0.2.1:0"))
            let resolver = Resolver(ttl: .seconds(60)) { _ in
                lookups.withLock { $0 += 1 }
                gate.waitOrFail()
                return .success([address])
            }
            for port in 1...10 { ask(resolver, "Name.test", port: UInt16(port), loop, results) }
            gate.signal()
            #expect(loop.eventually { results.count == 10 })
            ask(resolver, "name.TEST", port: 11, loop, results)
            #expect(loop.eventually { results.count == 11 })
            #expect(lookups.withLock { $0 } == 1)
            let ports = try results.all.withLock { $0 }.flatMap { try $0.get().map(\.port) }
            #expect(ports == Array(1...11))
        }
    }

    /// Answers a name with what a script says, look-up by look-up; the last entry is for all that
    /// follow.
    private func resolver(
        ttl: Duration = .zero, graceLifetime: Duration = .seconds(60), staleLifetime: Duration = .seconds(3600),
        _ lookups: Lookups
    ) -> Resolver {
        Resolver(ttl: ttl, graceLifetime: graceLifetime, staleLifetime: staleLifetime) { lookups.next($0) }
    }

    private final class Lookups: Sendable {
        let count = Mutex(0)
        let gate = DispatchSemaphore(value: 0)
        private let script: [String?]

        /// An address, nil for a failure, or "hang" for one that waits for the gate and then fails.
        init(_ script: [String?]) { self.script = script }
        convenience init(_ script: String?...) { self.init(script) }

        func next(_ host: String) -> Result<[SocketAddress], ResolveError> {
            let number = count.withLock { count in
                count += 1
                return count
            }
            let entry = script[min(number, script.count) - 1]
            if entry == "hang" { gate.waitOrFail() }
            guard let address = entry.flatMap({ SocketAddress(host: $0, port: 0) }) else {
                return .failure(ResolveError(host: host, reason: "no"))
            }
            return .success([address])
        }
    }

    private func hosts(_ results: Results) -> [String?] {
        results.all.withLock { $0.map { try? $0.get().first?.host } }
    }

    @Test func aFailedRefreshLeavesTheLastGoodAnswer() throws {
        try withLoop { loop in
            let (results, lookups) = (Results(), Lookups("192.0.2.1", nil))
            let resolver = resolver(lookups)
            for round in 1...3 {
                ask(resolver, "name.test", loop, results)
                #expect(loop.eventually { results.count == round })
                // So that the second answer is there before the third question.
                #expect(loop.eventually { lookups.count.withLock { $0 } >= min(round, 2) })
                usleep(10_000)
            }
            #expect(hosts(results) == ["192.0.2.1", "192.0.2.1", "192.0.2.1"])
        }
    }

    /// However old the answer is.
    @Test(arguments: [Duration.seconds(60), .zero]) func aHangingRefreshHoldsNoRequestUp(grace: Duration) throws {
        try withLoop { loop in
            let (results, lookups) = (Results(), Lookups("192.0.2.1", "hang"))
            defer { for _ in 0..<2 { lookups.gate.signal() } }
            let resolver = resolver(graceLifetime: grace, lookups)
            for round in 1...2 {
                ask(resolver, "name.test", loop, results)
                #expect(loop.eventually { results.count == round })
            }
            #expect(loop.eventually { lookups.count.withLock { $0 } == 2 })
            #expect(hosts(results) == ["192.0.2.1", "192.0.2.1"])
            lookups.gate.signal()
            ask(resolver, "name.test", loop, results)
            #expect(loop.eventually { results.count == 3 }, "nobody is told twice")
        }
    }

    @Test func aRefreshReplacesTheOldAnswer() throws {
        try withLoop { loop in
            let (results, lookups) = (Results(), Lookups("192.0.2.1", "192.0.2.2"))
            let resolver = resolver(lookups)
            #expect(
                loop.eventually {
                    ask(resolver, "name.test", loop, results)
                    return hosts(results).last == "192.0.2.2"
                })
            #expect(hosts(results).first == "192.0.2.1")
        }
    }

    /// A list that was an hour old was used, though the name server had another.
    @Test func anAnswerWhoseTimeIsLongOverWaitsForTheLookup() throws {
        for (stale, script, expected) in [
            (3600, ["192.0.2.1", "192.0.2.2", nil], ["192.0.2.1", "192.0.2.2", "192.0.2.2"]),
            (0, ["192.0.2.1", nil], ["192.0.2.1", nil]),
        ] as [(Int, [String?], [String?])] {
            try withLoop { loop in
                let results = Results()
                let resolver = resolver(graceLifetime: .zero, staleLifetime: .seconds(stale), Lookups(script))
                for round in 1...script.count {
                    ask(resolver, "name.test", loop, results)
                    #expect(loop.eventually { results.count == round })
                }
                #expect(hosts(results) == expected)
            }
        }
    }

    @Test func whoHasTriedWhatIsKnownGetsWhatIsNewer() throws {
        try withLoop { loop in
            let (results, lookups) = (Results(), Lookups("192.0.2.1", "192.0.2.2"))
            let resolver = resolver(ttl: .seconds(60), lookups)
            ask(resolver, "name.test", loop, results)
            #expect(loop.eventually { results.count == 1 })
            resolver.resolve(host: "name.test", port: 1, since: .now(), on: loop) { result in
                results.all.withLock { $0.append(result) }
            }
            #expect(loop.eventually { results.count == 2 })
            ask(resolver, "name.test", loop, results)
            #expect(loop.eventually { results.count == 3 })
            #expect(hosts(results) == ["192.0.2.1", "192.0.2.2", "192.0.2.2"])
        }
    }

    @Test func remembersAFailureForAWhile() throws {
        try withLoop { loop in
            let results = Results()
            let lookups = Mutex(0)
            let resolver = Resolver(ttl: .seconds(60)) { host in
                lookups.withLock { $0 += 1 }
                return .failure(ResolveError(host: host, reason: "no"))
            }
            ask(resolver, "name.test", loop, results)
            #expect(loop.eventually { results.count == 1 })
            #expect(results.last == .failure(ResolveError(host: "name.test", reason: "no")))
            // A second later, however long this machine takes for it, the name is asked for again.
            usleep(1_010_000)
            ask(resolver, "name.test", loop, results)
            #expect(loop.eventually { results.count == 2 })
            #expect(lookups.withLock { $0 } == 2)
        }
    }

    @Test func alternatesBetweenFamilies() {
        func addresses(_ hosts: [String]) -> [SocketAddress] { hosts.compactMap { SocketAddress(host: $0, port: 0) } }
        let mixed = addresses(["::1", "::2", "::3", "1.1.1.1", "2.2.2.2"])
        #expect(Resolver.interleaved(mixed).map(\.host) == ["::1", "1.1.1.1", "::2", "2.2.2.2", "::3"])
        #expect(Resolver.interleaved(addresses(["1.1.1.1", "::1"])).map(\.host) == ["1.1.1.1", "::1"])
        #expect(Resolver.interleaved([]).isEmpty)
    }
}
