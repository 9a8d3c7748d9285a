// Probes: they tell nothing but yes or no, and of a no in three words why.

extension AdminExchange {
    func health() {
        reply(.text("ok\n"))
    }

    func readiness() {
        switch service.sources.readiness {
        case .ready: reply(.text(readyText))
        case .draining: reply(.text("draining\n", status: 503))
        case .catchingUp: reply(.text("catching up with purges\n", status: 503))
        }
    }

    /// Probes bring no token, so they are not told what was wrong.
    private var readyText: StaticString {
        let hasFailed = service.sources.reloads.snapshot.lastFailure != nil
        return hasFailed ? "ready; the last reload failed: see the log\n" : "ready\n"
    }
}
