import Text

extension AdminExchange {
    /// The nodes that share a tier with this one.
    func nodes() {
        guard let status = surface.sources.node?.status else {
            return reply(.error(404, "`shared_tier` is not configured, so there are no other nodes."))
        }
        reply(
            .json([
                "standing": .string(status.readiness.word), "words": .string(status.words),
                "namesake": status.namesake.map(JSON.string) ?? .null, "alive": .integer(status.aliveCount),
                "nodes": .array(status.nodes.map { $0.json(in: status) }),
                "refusing": .array(status.refusals.map(\.json)),
            ]))
    }
}
