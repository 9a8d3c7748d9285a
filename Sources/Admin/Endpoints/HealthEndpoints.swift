// Health probes: yes or no, the reason of a no, and the faults of a proxy that is ready.

extension AdminExchange {
    func health() {
        reply(.text("ok\n"))
    }

    func readiness() {
        let availability = surface.sources.availability
        // Probes bring no token, so they are not told the mistakes.
        let reloads = surface.sources.reloads.snapshot
        let failed = [("reload", reloads.lastFailure), ("upgrade", reloads.lastFailedUpgrade)].filter {
            availability.isReady && $0.1 != nil
        }
        let lost = surface.sources.statistics.store.lost
        let text =
            availability.words + failed.map { "; the last \($0.0) failed: see the log" }.joined()
            + (availability.isReady && lost > 0 ? "; \(lost) stored answers were lost: see the log" : "")
        reply(.text(text + "\n", status: availability.isReady ? 200 : 503))
    }
}
