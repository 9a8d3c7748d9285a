import Dispatch
import EventLoop
import Glibc
import Server

/// Runs the proxy until it is told to stop. `file` is where the configuration was read.
func runServe(
    _ effective: EffectiveConfiguration, of file: ConfigurationFile, _ context: CommandContext
) throws(CommandFailure) -> ExitStatus {
    let configuration = effective.configuration
    let output = LogOutput(STDERR_FILENO)
    let log = OperationalLog(level: configuration.logLevel, prefix: .ofStandardError) { output.write($0) }
    // Before other threads start: the kernel gives a signal to any thread that does not block it.
    SignalWatcher.hold(Successor.heldSignals)
    // Before other threads run, which could read the environment that this changes.
    let manager = ServiceManager.ofThisProcess()
    let inheritance = inheritance(for: configuration, log)
    let program = StartedProgram.ofThisProcess()
    // Before any secret is read.
    ProcessSecrecy.apply()
    DescriptorLimit.raise()
    AllocatorSettings.apply()
    let certificates = configuration.certificateExpiries
    for text in configuration.warnings(at: Int64(time(nil)), certificates) { log(.warn, text) }
    if let shortage = configuration.shortage(under: ResourceLimits(descriptors: DescriptorLimit.now)) {
        throw .failed(shortage)
    }
    let signals = StopSignals()
    let proxy = try effective.placingFailures { () throws(CommandFailure) in
        try RunningProxy(
            configuration, log, inheritance: inheritance, certificates: certificates, isStopped: { signals.count > 0 })
    }
    let reloader = Reloader(file, context.files, effective, proxy, log, manager)
    let upgrader = Upgrader(program, proxy, reloader, log, manager, whenReplaced: signals.wake)
    signals.on(SIGUSR1) { @Sendable in
        proxy.reopenLogs()
        upgrader.passOn(SIGUSR1)
    }
    signals.on(SIGHUP) { @Sendable in
        if !upgrader.passOn(SIGHUP) { reloader.request() }
    }
    proxy.reloadHandler.withLock {
        $0.call = { @Sendable completion in
            guard upgrader.passOn(SIGHUP) else { return reloader.request("POST /reload", completion) }
            completion(.refused(["another process is replacing this one and was told to reload; repeat the request"]))
        }
    }
    signals.on(SIGUSR2) { @Sendable in upgrader.request() }
    tellStart(of: proxy, configuration, file.path, log)
    let lookout = Lookout(proxy, log)
    defer { withExtendedLifetime(lookout) {} }
    if let predecessor = inheritance.predecessor {
        guard signals.count == 0 else { throw .failed("stopped before it took over") }
        log(.info, "taking over from process \(predecessor.process)")
        predecessor.tellServing()
        context.noteStarted()
        proxy.follow(predecessor, signals.wake)
    }
    manager.tell(.ready(status: "listening on \(proxy.addresses.map(\.description).joined(separator: ", "))"))
    // A predecessor may have been heard of last half the interval ago.
    if inheritance.predecessor != nil, manager.watchdogInterval != nil { manager.tell(.alive) }
    var watchdog: Watchdog? = Watchdog(proxy, manager, log)
    signals.wait { signals.count > 0 || upgrader.hasSuccessor }
    guard upgrader.end() == nil else {
        watchdog = nil
        return leave(proxy, upgrader, signals, log)
    }
    proxy.refuseProbes()
    log(.info, "stopping: finishing running requests")
    manager.tell(.stopping(status: "finishing running requests"))
    let departure = Departure(within: limit(of: proxy.drainTimeout), at: .now())
    let ending = signals.depart(departure) { completion in reloader.end { proxy.stop(completion) } }
    return withExtendedLifetime(watchdog) { tell(ending, log) }
}

/// Ends a proxy that another process has replaced. It hurries only at a signal, or when that
/// process has ended.
private func leave(
    _ proxy: RunningProxy, _ upgrader: Upgrader, _ signals: StopSignals, _ log: OperationalLog
) -> ExitStatus {
    log(.info, "finishing running requests, for up to \(proxy.patience)")
    let departure = Departure(
        within: limit(of: proxy.patience), hurriedLimit: limit(of: proxy.drainTimeout), at: .now())
    let ending = signals.depart(departure, by: proxy.leave) { facts in
        facts.successorHasEnded = upgrader.successorHasEnded
        facts.predecessorHasEnded = proxy.predecessor?.hasEnded ?? true
    } hurry: {
        log(.info, "stopping: finishing running requests")
        proxy.hurry()
    }
    return tell(ending, log)
}

/// Adds the time of the steps after the requests: the cache is written (3 s), the admin listener
/// ends (2 s), the engine is told (1 s), and a second more: a busy machine is late for each.
private func limit(of drain: Duration) -> Duration { drain + .seconds(7) }

private func tellStart(
    of proxy: RunningProxy, _ configuration: Configuration, _ path: String, _ log: OperationalLog
) {
    let cache = configuration.cacheFile.map { "cache \($0)" } ?? "memory only"
    let loops = proxy.workers == 1 ? "1 loop" : "\(proxy.workers) loops"
    log(.info, "Refrain \(ProgramVersion.text): \(loops), \(cache), upstream \(configuration.upstream.url)")
    log(.info, "configuration \(path)")
    for (address, listener) in zip(proxy.addresses, configuration.listeners) {
        let how = listener.expectsHeader ? ", behind a load balancer (proxy_protocol)" : ""
        let version = listener.isTLS && configuration.http2 ? HTTP2Support.version : nil
        let protocols = version.map { ", HTTP/2 by nghttp2 \($0)" } ?? ""
        log(.info, "listening on \(listener.isTLS ? "https" : "http")://\(address)\(protocols)\(how)")
    }
    if let admin = proxy.adminAddress { log(.info, "admin listener on \(admin.path == nil ? "http://" : "")\(admin)") }
}

/// Takes the descriptors given to this process; closes a predecessor's sockets that no line names.
private func inheritance(for configuration: Configuration, _ log: OperationalLog) -> Inheritance {
    var inheritance = SocketActivation.take()
    for text in inheritance.sockets.problems { log(.warn, text) }
    for socket in inheritance.sockets.unused(by: configuration.listenedAddresses) where !socket.isKept {
        log(.warn, "inherited socket \(socket.address) matches no listen or admin_listen line; closed")
        inheritance.sockets.discard(socket)
    }
    return inheritance
}

private func tell(_ ending: Departure.Ending, _ log: OperationalLog) -> ExitStatus {
    switch ending {
    case .drained(cutOff: 0): log(.info, "stopped")
    case .drained(let cutOff): log(.warn, "stopped; \(cutOff) connections took too long and were closed")
    case .interrupted:
        log(.warn, "stopped at once by a second signal; running requests were aborted")
        return .failed
    case .timedOut:
        log(.error, "the event loops did not stop in time; exiting")
        return .failed
    }
    return .done
}
