import Testing
import Text

@testable import EventLoop
@testable import Server

@Suite struct ConnectionCensusTests {
    private func address(_ host: String) -> SocketAddress? { SocketAddress(host: host, port: 40_000) }

    @Test func oneAddressHasABoundOfItsOwn() {
        let census = ConnectionCensus(most: 10, mostPerAddress: 2)
        let (one, other) = (address("10.0.0.1"), address("10.0.0.2"))
        #expect(census.enter(from: one) && census.enter(from: one) && !census.enter(from: one))
        #expect(census.enter(from: other) && census.refusedCount == 1 && census.count == 3)
        census.leave(from: one)
        #expect(census.enter(from: one))
    }

    @Test func allTogetherHaveOne() {
        let census = ConnectionCensus(most: 2, mostPerAddress: 2)
        #expect(census.enter(from: address("10.0.0.1")) && census.enter(from: address("10.0.0.2")))
        #expect(!census.enter(from: address("10.0.0.3")) && census.count == 2)
    }

    /// A subscriber can use any address of its network.
    @Test func oneNetworkOf64BitsIsOneAddress() {
        let census = ConnectionCensus(mostPerAddress: 1)
        #expect(census.enter(from: address("fd00:1:2:3::1")))
        #expect(!census.enter(from: address("fd00:1:2:3:4::5")) && census.enter(from: address("fd00:1:2:4::1")))
    }

    @Test func unixSocketsHaveNoAddress() {
        let census = ConnectionCensus(most: 3, mostPerAddress: 1)
        #expect(census.enter(from: nil) && census.enter(from: nil) && census.enter(from: nil))
        #expect(!census.enter(from: nil))
    }

    /// Connections that come and go leave no entry.
    @Test func nothingIsLeftOfThoseThatCameAndWent() {
        for seed in UInt64(1)...20 {
            var random = SplitMix64(seed: seed)
            let census = ConnectionCensus(most: 30, mostPerAddress: 5)
            var inside: [SocketAddress?] = []
            for _ in 0..<500 {
                if !inside.isEmpty, Bool.random(using: &random) {
                    census.leave(from: inside.remove(at: Int.random(in: inside.indices, using: &random)))
                } else {
                    let peer = address("10.0.0.\(Int.random(in: 1...9, using: &random))")
                    let isFull = inside.count >= 30 || inside.count { $0 == peer } >= 5
                    #expect(census.enter(from: peer) == !isFull, "seed \(seed)")
                    if !isFull { inside.append(peer) }
                }
                #expect(census.count == inside.count, "seed \(seed)")
            }
        }
    }
}
