import EventLoop

/// A listener of the running proxy: its settings, and the address that all loops have bound.
package struct BoundListener: Sendable {
    let settings: ListenerSettings
    /// With port 0 resolved.
    package let address: SocketAddress

    package init(settings: ListenerSettings, address: SocketAddress) {
        (self.settings, self.address) = (settings, address)
    }
}
