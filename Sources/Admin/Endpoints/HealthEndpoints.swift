// Probes: they tell nothing but yes or no.

extension AdminExchange {
    func health() {
        reply(.text("ok\n"))
    }

    func readiness() {
        let isReady = service.sources.isReady()
        reply(.text(isReady ? "ready\n" : "draining\n", status: isReady ? 200 : 503))
    }
}
