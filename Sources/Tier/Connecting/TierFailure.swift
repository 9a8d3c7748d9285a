import EventLoop

/// Why the engine is not used, or no longer.
enum TierFailure: Error, Sendable, Equatable {
    /// The step that was waited for when the time was up.
    enum Phase: String, Sendable {
        case greeting, reply
    }

    /// There is no connection, or the trust anchors cannot be used.
    case dial(DialFailure)
    case timeout(Phase)
    /// The engine closed the connection, or it broke.
    case closed
    /// The bytes are no reply.
    case malformed(RESPFault)
    /// A reply to no command: those before it may have been other commands' too.
    case surplus
    /// The reply does not answer the command, as its sender found.
    case mismatch
    /// The engine refuses the connection, or AUTH, ROLE or MGET of the greeting.
    case refused(EngineRefusal)
    /// It follows another engine, which would not get writes that are made here. The text is its
    /// role.
    case role(String)
    /// It watches engines, and holds no data.
    case sentinel
    /// It was the engine to be used and is none now: its error's first word.
    case demoted(String)
    /// Nodes of the cluster name each other as the owner of the keys.
    case moved

    /// The kind in a word, for counters and the dashboard.
    var word: String {
        switch self {
        case .dial(let failure): failure.word
        case .timeout: "timeout"
        case .closed: "closed"
        case .malformed: "malformed"
        case .surplus: "surplus"
        case .mismatch: "mismatch"
        case .refused: "refused"
        case .role, .demoted: "not-master"
        case .sentinel: "sentinel"
        case .moved: "moved"
        }
    }

    /// Whether the engine works, but is not the one to be used.
    var isDemotion: Bool {
        if case .demoted = self { true } else { false }
    }
}

/// For the log: nothing of values.
extension TierFailure: CustomStringConvertible {
    var description: String {
        switch self {
        case .dial(.tls(let text)): "TLS: \(text)"
        case .dial(let failure): failure.cause ?? "connecting timed out"
        case .timeout(.greeting): "the handshake timed out"
        case .timeout(.reply): "the reply timed out"
        case .closed: "the connection was closed"
        case .malformed(let fault): "not the Redis protocol (\(fault.rawValue))"
        case .surplus: "an unexpected reply"
        case .mismatch: "a value of another key, or a damaged one"
        case .refused(let refusal): "\(refusal.command) refused: \(refusal.words)"
        case .role(let role): "not a master (\(role))"
        case .sentinel:
            "a Redis Sentinel, which holds no data: name the engines that it watches in shared_tier, not the Sentinels"
        case .demoted("CLUSTERDOWN"): "the cluster is down (CLUSTERDOWN)"
        case .demoted(let code): "no longer a master (\(code))"
        case .moved: "the nodes of the cluster name each other as the owner of the keys (MOVED)"
        }
    }
}
