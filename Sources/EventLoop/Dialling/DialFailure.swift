/// Why no connection came about.
public enum DialFailure: Error, Sendable, Equatable {
    /// The name has no address. The text is the resolver's.
    case resolve(String)
    /// No address accepted a connection. The text names the last system error.
    case connect(String)
    /// The handshake or the verification of the certificate failed.
    case tls(String)
    /// The last address had not answered, or not ended its handshake, in its time.
    case timedOut

    init(_ error: StreamError?) {
        self =
            switch error {
            case .system(let error): .connect(error.description)
            case .tls(let reason): .tls(reason)
            case .truncated: .tls("closed during the handshake")
            case .handshakeTimedOut: .timedOut
            case nil: .connect("closed")
            }
    }
}
