extension AdminExchange {
    func metrics() {
        let (reply, sources, now) = (replyLater(), service.sources, now)
        sources.statistics.breakdown { @Sendable breakdown in
            let input = MetricsInput(
                source: sources.statistics, breakdown: breakdown, reloads: sources.reloads.snapshot, process: .current,
                version: sources.version, unixSeconds: now, tier: sources.node.map(TierFigures.init))
            reply(AdminReply(type: MetricsInput.contentType, content: Array(input.text.utf8)))
        }
    }
}
