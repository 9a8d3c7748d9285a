import Proxy

/// Memory of the admin listener, in bytes.
public enum AdminMemory {
    /// The most streams of events at once.
    static let readers = 32
    /// Lines for readers of requests (`refrain tail`).
    public static let tailBytes = readers * ProxyMemory.tailBytes
}
