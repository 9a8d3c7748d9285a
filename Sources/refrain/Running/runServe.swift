import Dispatch
import EventLoop
import Glibc

/// Runs the proxy until it is told to stop. `path` is where the configuration was read.
func runServe(
    _ effective: EffectiveConfiguration, path: String, _ context: CommandContext
) throws(CommandFailure) -> ExitStatus {
    let configuration = effective.configuration
    let log = OperationalLog(level: configuration.logLevel, prefix: .ofStandardError, context.output.error)
    // Before other threads run, which could read the environment that these change.
    let manager = ServiceManager.ofThisProcess()
    let inherited = inheritedSockets(for: configuration, log)
    // Before any secret is read.
    ProcessSecrecy.apply()
    DescriptorLimit.raise()
    AllocatorSettings.apply()
    for text in configuration.warnings { log(.warn, text) }
    let signals = StopSignals()
    let proxy = try RunningProxy(configuration, log, inherited: inherited)
    let reloader = Reloader(path, context.files, effective, proxy, log, manager)
    signals.on(SIGUSR1) { @Sendable in proxy.reopenLogs() }
    signals.on(SIGHUP) { @Sendable in reloader.request() }
    tellStart(of: proxy, configuration, path, log)
    manager.tell(.ready(status: "listening on \(proxy.addresses.map(\.description).joined(separator: ", "))"))
    let watchdog = manager.watchdogInterval.map { interval in
        Watchdog(interval: interval, ping: { proxy.ping($0) }, alive: { manager.tell(.alive) })
    }
    signals.wait()
    proxy.refuseProbes()
    log(.info, "stopping: finishing the requests in hand")
    manager.tell(.stopping(status: "finishing the requests in hand"))
    let ending = signals.wait(
        for: { completion in reloader.end { proxy.stop(completion) } },
        // Beyond what connections may take: for the cache to be written.
        atMost: proxy.drainTimeout + .seconds(3))
    return withExtendedLifetime(watchdog) { tell(ending, log) }
}

private func tellStart(
    of proxy: RunningProxy, _ configuration: Configuration, _ path: String, _ log: OperationalLog
) {
    let cache = configuration.cacheFile.map { "cache \($0)" } ?? "memory only"
    log(.info, "Refrain \(ProgramVersion.text): \(proxy.workers) loops, \(cache), upstream \(configuration.upstream)")
    log(.info, "configuration \(path)")
    for (address, listener) in zip(proxy.addresses, configuration.listeners) {
        log(.info, "listening on \(listener.isTLS ? "https" : "http")://\(address)")
    }
    if let admin = proxy.adminAddress { log(.info, "admin listener on \(admin.path == nil ? "http://" : "")\(admin)") }
}

/// The sockets that this process was started with; those that nothing asks for are closed.
private func inheritedSockets(for configuration: Configuration, _ log: OperationalLog) -> InheritedSockets {
    var inherited = SocketActivation.take()
    for text in inherited.problems { log(.warn, text) }
    let wanted =
        configuration.listeners.map { try? $0.address.socketAddress() }
        + [try? configuration.adminListener?.socketAddress()]
    for address in inherited.unused(by: wanted.compactMap { $0 }) {
        log(.warn, "inherited socket \(address) is no listen or admin_listen address; closed")
        inherited.discard(address)
    }
    return inherited
}

private func tell(_ ending: StopSignals.Ending, _ log: OperationalLog) -> ExitStatus {
    switch ending {
    case .drained(cutOff: 0): log(.info, "stopped")
    case .drained(let cutOff): log(.warn, "stopped; \(cutOff) connections took too long and were cut off")
    case .interrupted:
        log(.warn, "stopped at once, as asked; requests in hand were cut off")
        return .failed
    case .timedOut:
        log(.error, "gave up waiting for the loops to stop")
        return .failed
    }
    return .done
}
