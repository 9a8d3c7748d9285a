import EventLoop

/// The node of a cluster that owns the slot of the keys, as another node names it: an error
/// `MOVED 3999 127.0.0.1:6381` (redis.io, "Redis cluster specification").
struct SlotOwner: Sendable, Equatable {
    let endpoint: Endpoint

    /// Nil for a reply that names no owner.
    /// - Parameter node: has sent the reply. A cluster that does not know under which name its
    ///   clients reach it leaves out the host, or writes `?`: then it is the one of that node.
    init?(_ reply: RESPReply, from node: Endpoint) {
        guard case .error("MOVED", let text) = reply else { return nil }
        let words = text.split(separator: " ")
        guard words.count >= 2, UInt16(words[0]).map({ $0 < 16_384 }) == true,
            let colon = words[1].lastIndex(of: ":"), let port = UInt16(words[1][words[1].index(after: colon)...]),
            port > 0
        else { return nil }
        var host = words[1][..<colon]
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        guard host.utf8.count <= 255, host.utf8.allSatisfy(Self.isOfHost) else { return nil }
        endpoint = Endpoint(
            isTLS: node.isTLS, host: host.isEmpty || host == "?" ? node.host : String(host), port: port)
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: "-_.:?%".utf8.contains(byte)
        }
    }
}
