import Text

/// The connections of one loop to the origin, and the parties that hold them. Pure.
///
/// A request that was sent cannot be taken back, so the last connections are not given to a party
/// that holds others: it may hold seven times what is free (`FairShare`). A party has seven eighths
/// at most, whether others wait or not, because they come later. Several parties together may hold
/// all, a client with several networks among them; a newcomer then has the turn of a party that
/// waits. With two connections a party has one, with one there is nothing to share. Each loop
/// shares its own connections.
///
/// Must hold:
/// - a party that holds nothing gets a free connection;
/// - requests in the background take no more than half, but one, and none of the last eighth; they
///   use the share of the party that caused them.
struct Lane {
    let connections: Int
    private(set) var inFlight = 0
    private(set) var inBackground = 0
    /// Connections by holder; no holder has none. At most one entry a connection.
    private var held: [PartyKey: Int] = [:]

    init(connections: Int) {
        self.connections = connections
    }

    private var free: Int { connections - inFlight }
    var isFull: Bool { free <= 0 }

    /// Whether there is a connection for a request of any party. Background requests leave half of
    /// the connections to the others, so that a purge of many entries does not make clients wait.
    func hasRoom(inBackground isBackground: Bool) -> Bool {
        guard isBackground else { return free > 0 }
        return free > connections - FairShare.most(of: connections) && inBackground < max(1, connections / 2)
    }

    /// Whether a party may have the next connection that is free, as far as it holds others.
    func hasShare(_ party: UpstreamParty) -> Bool {
        FairShare.allows(1, holding: held[PartyKey(party)] ?? 0, of: max(1, free))
    }

    func mayStart(_ party: UpstreamParty, inBackground: Bool) -> Bool {
        hasRoom(inBackground: inBackground) && hasShare(party)
    }

    mutating func enter(_ priority: UpstreamPriority, of party: UpstreamParty) {
        inFlight += 1
        if priority.isBackground { inBackground += 1 }
        held[PartyKey(party), default: 0] += 1
    }

    mutating func leave(_ priority: UpstreamPriority, of party: UpstreamParty) {
        inFlight -= 1
        if priority.isBackground { inBackground -= 1 }
        guard let index = held.index(forKey: PartyKey(party)) else { return }
        if held.values[index] > 1 { held.values[index] -= 1 } else { held.remove(at: index) }
    }
}
