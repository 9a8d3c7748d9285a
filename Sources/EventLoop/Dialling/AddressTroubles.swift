/// Addresses that failed, or lost against another, in the last ten minutes: they are tried last.
/// Pure.
///
/// Must hold: an address is forgotten after that time (as RFC 8305, 4, forgets a family), and when
/// it is reached; the number of addresses is bounded.
struct AddressTroubles {
    /// Until when each is tried last.
    private var until: [SocketAddress: Instant] = [:]

    static let memory = Duration.seconds(600)
    static let most = 1024

    mutating func noteFailure(of address: SocketAddress, now: Instant) {
        if until.count >= Self.most { until = until.filter { $0.value > now } }
        if until.count < Self.most || until[address] != nil { until[address] = now + Self.memory }
    }

    mutating func noteReached(_ address: SocketAddress) {
        if !until.isEmpty { until[address] = nil }
    }

    /// The addresses, those without trouble first; each part keeps its order.
    func ordered(_ addresses: [SocketAddress], now: Instant) -> [SocketAddress] {
        guard !until.isEmpty else { return addresses }
        let isLast = { (address: SocketAddress) in until[address].map { $0 > now } ?? false }
        return addresses.filter { !isLast($0) } + addresses.filter(isLast)
    }
}
