import Text

/// Refrain's own counters, out of its `/stats`.
struct ProxyStatistics {
    private let members: JSONObject

    static func current() throws -> ProxyStatistics {
        let body = try TraceClient(port: SessionServers.adminPort).get("/stats").body
        guard case .object(let members) = try JSON.parse(body) else { throw BenchError("no statistics") }
        return ProxyStatistics(members: members)
    }

    /// Counters and reasons that are not 0.
    var text: String {
        let reasons = members["reasons"]?.objectValue?.members ?? []
        let counts = (members.members + reasons).compactMap { member -> String? in
            guard let count = member.value.intValue, count != 0 else { return nil }
            return "\(member.key) \(count)"
        }
        let notComposed = refusals.sorted { $0.count > $1.count }.map { "\($0.rule) \($0.word) \($0.count)" }
        return (counts + ["not composed: " + notComposed.joined(separator: ", ")]).joined(separator: ", ")
    }

    /// How often one of these words was the reason that nothing was composed.
    func notComposed(_ words: Set<String>) -> Int {
        refusals.filter { words.contains($0.word) }.map(\.count).reduce(0, +)
    }

    private var refusals: [(rule: String, word: String, count: Int)] {
        (members["not_composed"]?.objectValue?.members ?? []).flatMap { rule in
            (rule.value.objectValue?.members ?? []).map { (rule.key, $0.key, $0.value.intValue ?? 0) }
        }
    }
}
