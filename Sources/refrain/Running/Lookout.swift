import Dispatch
import EventLoop
import Glibc
import Server
import Synchronization

/// Looks twice a minute for expiries, changed certificates, a short disk and refused clients, and
/// has the log say so in time. Drops ended keys of session tickets. One for the process, off the
/// loops: it reads files.
final class Lookout {
    private let timer: any DispatchSourceTimer

    init(_ proxy: RunningProxy, _ log: OperationalLog) {
        let shortages = Mutex(Shortages())
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "refrain.lookout"))
        timer.setEventHandler { @Sendable in
            for line in shortages.withLock({ $0.due(of: proxy, at: Int64(time(nil))) }) { log(.warn, line) }
            proxy.certificateWatch.look()
            proxy.ticketKeys?.dropEnded()
            proxy.server.snapshot.connections.refusals.logSuppressed(at: .now())
            proxy.adminRefusals.logSuppressed(at: .now())
        }
        timer.schedule(deadline: .now(), repeating: .seconds(30), leeway: .seconds(1))
        timer.activate()
    }

    deinit {
        timer.cancel()
    }
}

extension Shortages {
    /// The lines that are due; about the token and certificates in use, not about newer files.
    mutating func due(of proxy: RunningProxy, at unixSeconds: Int64) -> [String] {
        let server = proxy.server.snapshot
        let token = server.readyToken(at: unixSeconds).map { [Expiry(developerToken: $0)] } ?? []
        let running = proxy.running.withLock { $0 }
        return due(token + running.certificates, reloads: running.reloads, at: unixSeconds)
            + (due(server.cacheDisk).map { [$0] } ?? [])
    }
}
