import Dispatch
import Glibc
import Synchronization

/// Looks each minute at what runs out while the proxy runs, and has the log say so in time.
final class Lookout {
    private let timer: any DispatchSourceTimer

    init(_ proxy: RunningProxy, _ log: OperationalLog) {
        let state = State()
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "refrain.lookout"))
        timer.setEventHandler { @Sendable in
            for line in state.look(at: proxy, Int64(time(nil))) { log(.warn, line) }
        }
        timer.schedule(deadline: .now(), repeating: .seconds(60), leeway: .seconds(1))
        timer.activate()
    }

    deinit {
        timer.cancel()
    }

    /// Remembers what was told.
    final class State: Sendable {
        private let shortages = Mutex(Shortages())

        /// The lines that are due.
        func look(at proxy: RunningProxy, _ unixSeconds: Int64) -> [String] {
            let expiries = proxy.expiries(at: unixSeconds)
            let disk = proxy.server.snapshot.cacheDisk
            return shortages.withLock { shortages in
                shortages.due(expiries, at: unixSeconds) + (shortages.due(disk).map { [$0] } ?? [])
            }
        }
    }
}

extension RunningProxy {
    /// Ends of what is in use, be there other files by now.
    fileprivate func expiries(at unixSeconds: Int64) -> [Expiry] {
        let token = server.snapshot.readyToken(at: unixSeconds).map { [Expiry(developerToken: $0)] } ?? []
        return token + running.withLock { $0.current.certificates }
    }
}
