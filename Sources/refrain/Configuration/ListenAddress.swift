import EventLoop

/// A `listen` line.
struct ListenAddress: Hashable, Sendable {
    let address: SocketAddress
    /// Whether it speaks TLS with `tls_certificate`.
    let isTLS: Bool
    /// Whether each connection begins with a header of the PROXY protocol.
    var expectsHeader = false
}

extension ListenAddress {
    /// Reads `ADDRESS:PORT [tls] [proxy_protocol]`, in either order; `localhost` has two addresses.
    static func all(words: [String]) throws(ValueError) -> [ListenAddress] {
        let options = words.dropFirst()
        for word in options where word != "tls" && word != "proxy_protocol" {
            throw ValueError(word, isNot: "\"tls\" or \"proxy_protocol\"")
        }
        guard Set(options).count == options.count else { throw ValueError("\"\(words[1])\" is given twice") }
        return try HostPort(words[0]).all.map { address in
            ListenAddress(
                address: address, isTLS: options.contains("tls"), expectsHeader: options.contains("proxy_protocol"))
        }
    }
}
