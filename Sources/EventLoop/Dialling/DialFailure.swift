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
            case .recordFlood: .tls("too many records without content")
            case .handshakeTimedOut: .timedOut
            case nil: .connect("closed")
            }
    }
}

extension DialFailure {
    /// The kind in a word.
    package var word: String {
        switch self {
        case .resolve: "resolve"
        case .connect: "connect"
        case .tls: "tls"
        case .timedOut: "connect-timeout"
        }
    }

    /// The cause as the resolver, the system or the TLS library says it; nil where none does.
    package var cause: String? {
        switch self {
        case .resolve(let text), .connect(let text), .tls(let text): text
        case .timedOut: nil
        }
    }
}
