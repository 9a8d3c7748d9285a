import EventLoop

/// Changes from some listeners to others: those of the same address stay, whatever they speak.
package struct ListenerChanges {
    /// The address of a listener that stays; nil for one that has to be bound. In the order of
    /// `wanted`.
    package let addresses: [SocketAddress?]
    /// Bound addresses whose connections end: nothing listens there any more, or a connection of
    /// another kind is wanted.
    package let ended: Set<SocketAddress>

    package init(from running: [BoundListener], to wanted: [ListenerSettings]) {
        var (left, ended) = (running, Set<SocketAddress>())
        addresses = wanted.map { settings in
            // Several may ask for port 0 of one address: each stays with its own.
            guard let index = left.firstIndex(where: { $0.settings.address == settings.address }) else { return nil }
            let former = left.remove(at: index)
            if !settings.allows(connectionsOf: former.settings) { ended.insert(former.address) }
            return former.address
        }
        self.ended = ended.union(left.map(\.address))
    }
}
