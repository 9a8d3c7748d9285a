/// One `listen` line.
struct ListenAddress: Hashable, Sendable {
    let address: HostPort
    /// Whether it speaks TLS with `tls_certificate`.
    let isTLS: Bool
}

extension ListenAddress {
    /// Reads `ADDRESS:PORT [tls]`.
    init(words: [String]) throws(ValueError) {
        guard words.count == 1 || words[1] == "tls" else { throw ValueError(words[1], isNot: "\"tls\"") }
        try self.init(address: HostPort(words[0]), isTLS: words.count == 2)
    }
}
