import Admin
import Dispatch
import EventLoop
import Glibc
import Proxy
import Synchronization

/// Runs the proxy until it is told to stop. `path` is where the configuration was read.
func runServe(
    _ effective: EffectiveConfiguration, path: String, _ context: CommandContext
) throws(CommandFailure) -> ExitStatus {
    let configuration = effective.configuration
    let log = OperationalLog(level: configuration.logLevel, context.output.error)
    DescriptorLimit.raise()
    AllocatorSettings.apply()
    for text in configuration.warnings { log(.warn, text) }
    let signals = StopSignals()
    let proxy = try RunningProxy(configuration, log)
    signals.on(SIGUSR1) { @Sendable in proxy.reopenLogs() }
    signals.on(SIGHUP) { @Sendable in proxy.reloadCertificates() }
    log(.info, "configuration \(path)")
    for (address, listener) in zip(proxy.addresses, configuration.listeners) {
        log(.info, "listening on \(listener.isTLS ? "https" : "http")://\(address)")
    }
    if let admin = proxy.adminAddress { log(.info, "admin listener on \(admin.path == nil ? "http://" : "")\(admin)") }
    signals.wait()
    log(.info, "stopping: finishing the requests in hand")
    proxy.stop()
    log(.info, "stopped")
    return .done
}
