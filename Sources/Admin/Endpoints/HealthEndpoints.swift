// Health probes: yes or no, the reason of a no, and the faults of a proxy that is ready.

extension AdminExchange {
    func health() {
        reply(.text("ok\n"))
    }

    func readiness() {
        let availability = service.sources.availability
        // Probes bring no token, so they are not told the mistakes.
        let hasFailed = availability.isReady && service.sources.reloads.snapshot.lastFailure != nil
        let lost = service.sources.statistics.store.lost
        let text =
            availability.words + (hasFailed ? "; the last reload failed: see the log" : "")
            + (availability.isReady && lost > 0 ? "; \(lost) stored answers were lost: see the log" : "")
        reply(.text(text + "\n", status: availability.isReady ? 200 : 503))
    }
}
