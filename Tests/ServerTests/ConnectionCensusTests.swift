import Testing
import Text

@testable import EventLoop
@testable import Server

@Suite struct ConnectionCensusTests {
    private let now = Instant(nanoseconds: 0)

    private func address(_ host: String) -> SocketAddress? { SocketAddress(host: host, port: 40_000) }

    /// A subscriber can use any address of its network.
    @Test func aNetworkIsOneAddressAndUnixSocketsHaveNone() {
        let census = ConnectionCensus(mostPerAddress: 1)
        #expect(census.enter(from: address("fd00:1:2:3::1"), at: now))
        #expect(
            !census.enter(from: address("fd00:1:2:3:4::5"), at: now)
                && census.enter(from: address("fd00:1:2:4::1"), at: now))
        let local = ConnectionCensus(most: 3, mostPerAddress: 1)
        #expect(local.enter(from: nil, at: now) && local.enter(from: nil, at: now) && local.enter(from: nil, at: now))
        #expect(!local.enter(from: nil, at: now))
    }

    /// Compared with a list of the connections that are there.
    @Test func oneAddressHasItsBoundAndAllHaveOne() {
        for seed in UInt64(1)...20 {
            var random = SplitMix64(seed: seed)
            let census = ConnectionCensus(most: 30, mostPerAddress: 5)
            var (inside, refused): ([SocketAddress?], Int) = ([], 0)
            for _ in 0..<500 {
                if !inside.isEmpty, Int.random(in: 0..<3, using: &random) == 0 {
                    census.leave(from: inside.remove(at: Int.random(in: inside.indices, using: &random)))
                } else {
                    let peer = address("10.0.0.\(Int.random(in: 1...9, using: &random))")
                    let isFull = inside.count >= 30 || inside.count { $0 == peer } >= 5
                    #expect(census.enter(from: peer, at: now) == !isFull, "seed \(seed)")
                    if isFull { refused += 1 } else { inside.append(peer) }
                }
                #expect(census.count == inside.count && census.refusedCount == refused, "seed \(seed)")
            }
        }
    }
}
