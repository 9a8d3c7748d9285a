import EventLoop

// Connections that have not said yet whose they are.
// Must hold: each counts among all connections from the moment it is accepted, and among those of
// its client from its header on; so a flood of mute ones takes no more descriptors than others do.

extension Server {
    /// How connections that come from now on begin.
    func expect(_ headers: ProxyHeaders?, on listener: Listener) {
        listener.onWait = headers.map { headers in { [unowned self] wait in awaitHeader(wait, headers) } }
    }

    /// Waits for the header of a connection. Where many are waited for, the eldest has had its
    /// time: a load balancer sends the header at once.
    private func awaitHeader(_ wait: ProxyHeaderWait, _ headers: ProxyHeaders) {
        if waiting.count >= Limits.awaitedHeaders { waiting[0].close(.late) }
        guard census.enter(from: nil) else { return wait.close() }
        waiting.append(wait)
        wait.start(timeout: timeouts.head) { [weak self, census, loop = context.loop] wait, failure in
            census.leave(from: nil)
            if let words = failure?.words {
                census.refuseHeader()
                headers.refused(from: wait.peer, because: words, at: loop.now)
            }
            self?.waiting.removeAll { $0 === wait }
            self?.endIfDrained()
        }
    }

    /// Gives up waiting.
    func closeWaiting() {
        for wait in waiting { wait.close() }
    }
}
