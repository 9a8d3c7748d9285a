/// Steps of TLS handshakes in one turn of a loop; streams beyond wait for the next, in their order.
///
/// The step with a signature takes 0.1 ms with P-256, 1 ms with RSA 2048, and any number of clients
/// may begin one at once.
struct HandshakeAllowance {
    static let perTurn = 4
    private var left = 0

    /// A turn begins.
    mutating func renew() { left = Self.perTurn }

    /// Whether another step may be done in this turn.
    mutating func take() -> Bool {
        left -= 1
        return left >= 0
    }
}
