import Proxy
import Text
import Tier

/// The shared tier and the nodes that share it, as this one knows them at one moment.
struct TierFigures: Sendable {
    /// Since the start, over all loops.
    let counts: [TierCounters.Name: Int]
    /// Commands that the engine has refused, since the start, over all connections.
    var refused: [EngineRefusal.Kind: Int] = [:]
    /// Figures of every loop.
    let connections: [TierStatus]
    /// Figures of the purge log and the nodes, and of the budget.
    var ownConnections: [TierStatus] = []
    let sharing: SharingStatus
    /// Whether clients may be sent here.
    let isReady: Bool

    /// Over all connections.
    func sum(_ figure: KeyPath<TierStatus, Int>) -> Int {
        (connections + ownConnections).reduce(0) { $0 + $1[keyPath: figure] }
    }

    subscript(_ name: TierCounters.Name) -> Int { counts[name] ?? 0 }

    var connected: Int { connections.count(where: \.isConnected) }
    var breakersOpen: Int { connections.count(where: \.isBreakerOpen) }
    /// From sending to the last reply, over all pipelines of requests, and how many those are.
    var latencySum: Duration { connections.reduce(.zero) { $0 + $1.latencySum } }
    var latencyCount: Int { connections.reduce(0) { $0 + $1.latencyCount } }
    /// Milliseconds; nil before the first.
    var meanLatency: Double? {
        latencyCount > 0 ? latencySum / .milliseconds(1) / Double(latencyCount) : nil
    }
    /// Last error of one of the connections.
    var lastError: String? { (connections + ownConnections).lazy.compactMap(\.lastError).first }
    /// This machine's clock less the engine's, in milliseconds.
    var skew: Double? { sharing.skew.map { $0 / .milliseconds(1) } }
}

extension TierFigures {
    init(_ node: ProxyNode) {
        var counts: [TierCounters.Name: Int] = [:]
        for name in TierCounters.Name.allCases { counts[name] = node.tier.counters[name] }
        var refused: [EngineRefusal.Kind: Int] = [:]
        for kind in EngineRefusal.Kind.allCases { refused[kind] = node.tier.refusals.count(of: kind) }
        self.init(
            counts: counts, refused: refused, connections: node.tier.connections(for: .requests),
            ownConnections: node.tier.connections(for: .node), sharing: node.status, isReady: node.isReady)
    }

    /// `tier` in `/stats`. Names of members are part of the interface.
    var json: JSON {
        func milliseconds(_ value: Double?) -> JSON {
            value.map { .number(String(($0 * 1000).rounded() / 1000)) } ?? .null
        }
        let lookups = TierCounters.Name.allCases.map { ($0.text, JSON.integer(self[$0])) }
        let refusals = EngineRefusal.Kind.allCases.map { ($0.rawValue, JSON.integer(refused[$0] ?? 0)) }
        return [
            "standing": .string(sharing.readiness.word), "words": .string(sharing.words), "ready": .bool(isReady),
            "namesake": sharing.namesake.map(JSON.string) ?? .null, "nodes": .integer(sharing.nodes.count),
            "nodes_alive": .integer(sharing.aliveCount),
            "lag": .integer(sharing.lag), "skew_ms": milliseconds(skew), "loops": .integer(connections.count),
            "connected": .integer(connected), "breakers_open": .integer(breakersOpen),
            "waiting": .integer(sum(\.waiting)), "commands": .integer(sum(\.commands)),
            "failures": .integer(sum(\.failures)), "timeouts": .integer(sum(\.timeouts)),
            "reconnects": .integer(sum(\.reconnects)), "last_error": lastError.map(JSON.string) ?? .null,
            "mean_ms": milliseconds(meanLatency), "lookups": .object(pairs: lookups),
            "refusals": .object(pairs: refusals), "refusing": .array(sharing.refusals.map(\.json)),
        ]
    }
}

extension LastingRefusal {
    /// `refusing` in `/stats` and `/nodes`. Names of members are part of the interface.
    var json: JSON {
        [
            "kind": .string(latest.kind.rawValue), "commands": .array(commands.sorted().map(JSON.string)),
            "words": .string(latest.words), "since": .integer(Int(since)), "count": .integer(count),
        ]
    }
}

extension PurgeLogState.Readiness {
    /// For programs; `SharingStatus.words` is for people.
    var word: String {
        switch self {
        case .away: "engine-away"
        case .catchingUp: "catching-up"
        case .ready: "ready"
        }
    }
}

extension NodeState {
    func json(in status: SharingStatus) -> JSON {
        [
            "name": .string(name), "address": .string(address), "version": .string(version),
            "state": .string(words(in: status)), "ready": .bool(isReady),
            "alive": .bool(isAlive), "lag": lag.map(JSON.integer) ?? .null, "last_seen": .integer(lastSeen),
            "self": .bool(isSelf), "upstream": upstream.isEmpty ? .null : .string(upstream),
        ]
    }
}
