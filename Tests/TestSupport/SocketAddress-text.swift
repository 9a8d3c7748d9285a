import EventLoop

extension SocketAddress {
    /// Parses "127.0.0.1:8080" or "[::1]:8080"; nil for a host name.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        self.init(host: text[..<colon].filter { $0 != "[" && $0 != "]" }, port: port)
    }
}
