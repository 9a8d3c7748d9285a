// Probes: they tell nothing but yes or no.

extension AdminExchange {
    func health() {
        reply(.text("ok\n"))
    }

    func readiness() {
        let isReady = service.sources.isReady()
        reply(.text(isReady ? readyText : "draining\n", status: isReady ? 200 : 503))
    }

    /// Probes bring no token, so they are not told what was wrong.
    private var readyText: StaticString {
        let hasFailed = service.sources.reloads.snapshot.lastFailure != nil
        return hasFailed ? "ready; the last reload failed: see the log\n" : "ready\n"
    }
}
