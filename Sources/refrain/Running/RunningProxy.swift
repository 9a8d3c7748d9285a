import Admin
import AppleMusic
import Cache
import EventLoop
import Glibc
import Proxy
import Recording
import Server
import Store
import Synchronization
import Tier

/// Carries out `POST /reload`. A `Mutex` of the closure itself would wrap it once more at each
/// look.
struct ReloadHandler {
    /// Nil before there is something to reload.
    var call: (@Sendable (@escaping @Sendable (ReloadOutcome) -> Void) -> Void)?
}

/// A proxy with its admin listener, from start to stop.
final class RunningProxy: Sendable {
    /// How reloads went; the admin surface shows it.
    let reloads = ReloadStatus()
    /// Refused calls of the admin surface, over all its listeners.
    let adminRefusals: AdminRefusals
    /// The certificates in use; the admin surface shows it.
    let certificateWatch: CertificateWatch
    let reloadHandler = Mutex(ReloadHandler())
    /// Unix seconds; a reload that moves the admin listener does not begin anew.
    private let startedAt = TimeOfDay.system.unixSeconds()
    let server: ProxyServer
    private let log: OperationalLog
    private let inheritance: Inheritance
    /// Whether new requests are welcome; false once it drains.
    private let isServing = Atomic<Bool>(true)
    /// Nil where this is the only node.
    let node: ProxyNode?
    let running: Mutex<Running>

    /// The configuration in effect, and the settings and parts made from it.
    struct Running {
        var configuration: Configuration
        let settings: ProxySettings
        /// Ends of the certificates that were read with it.
        let certificates: [Expiry]
        var admin: AdminListener?
        var reloads = 0
    }

    /// The admin surface where it listens now.
    struct AdminListener: Sendable {
        let address: HostPort
        let host: ServiceHost
        let access: AdminAccess
    }

    /// Starts to listen. Throws a mistake for the operator to correct, and leaves nothing running.
    ///
    /// - Parameters:
    ///   - inheritance: sockets that listen already, whose addresses are not bound, and the process
    ///     that this one replaces.
    ///   - developer: used in place of configured tokens, which a demonstration has not.
    ///   - isStopped: whether the operator has stopped the start.
    init(
        _ configuration: Configuration, _ log: OperationalLog, inheritance: Inheritance = Inheritance(),
        developer: DeveloperTokens? = nil, certificates: [Expiry]? = nil, isStopped: () -> Bool = { false }
    ) throws(CommandFailure) {
        var settings = try configuration.proxySettings(log, inheritance, isStopped: isStopped)
        if let developer { settings.service.credentials = Credentials(developer: developer, musicUser: nil) }
        if let predecessor = inheritance.predecessor { predecessor.shareCache(of: settings.shared) }
        node = try Self.node(configuration, settings, after: inheritance.predecessor?.process)
        server = try Self.server(settings, node)
        self.log = log
        self.inheritance = inheritance
        certificateWatch = CertificateWatch(log)
        adminRefusals = AdminRefusals { @Sendable in log(.warn, $0) }
        certificateWatch.use(configuration.certificateFiles(of: settings))
        running = Mutex(
            Running(
                configuration: configuration, settings: settings,
                certificates: certificates ?? configuration.certificateExpiries))
        settings.shared.health.use { @Sendable [weak self] in
            let availability = self?.availability ?? AdminSources.Availability(isServing: false, node: nil)
            return (availability.isReady, availability.words)
        }
        do throws(CommandFailure) {
            let admin = try startAdmin(configuration)
            let recording = server.adoptRecording(configuration.recording, before: nil, log)
            running.withLock { running in
                running.admin = admin
                running.configuration.recording = recording
            }
        } catch {
            server.drain { _ in }
            node?.stop {}
            throw error
        }
    }

    private static func server(_ settings: ProxySettings, _ node: ProxyNode?) throws(CommandFailure) -> ProxyServer {
        do throws(ListenError) {
            return try ProxyServer(settings)
        } catch {
            node?.stop {}
            throw .failed("listen: \(error)\(error.address.remedy(for: error.cause))")
        }
    }

    private static func node(
        _ configuration: Configuration, _ settings: ProxySettings, after predecessor: pid_t?
    ) throws(CommandFailure) -> ProxyNode? {
        guard let tier = settings.shared.tier else { return nil }
        let identity = NodeIdentity(
            name: configuration.nodeName, address: configuration.listeners.first.map { "\($0.address)" } ?? "",
            version: ProgramVersion.text, process: getpid(), startedAt: TimeOfDay.system.unixSeconds() * 1000,
            predecessor: predecessor ?? 0, upstream: configuration.upstream.origin.name)
        return try attempt("shared_tier") { try ProxyNode(tier, identity, settings.shared) }
    }

    private var availability: AdminSources.Availability {
        AdminSources.Availability(isServing: isServing.load(ordering: .relaxed), node: node)
    }

    /// Addresses of the proxy's listeners, with port 0 resolved.
    var addresses: [SocketAddress] { server.addresses }
    var adminAddress: SocketAddress? { running.withLock { $0.admin?.host.address } }
    /// Event loops.
    var workers: Int { running.withLock { $0.settings.workers } }
    /// How long a stop may take.
    var drainTimeout: Duration { running.withLock { $0.settings.timeouts.drain } }
    /// Sockets that a service manager keeps.
    var keptSockets: InheritedSockets { inheritance.sockets }
    /// The process whose place this one took.
    var predecessor: Predecessor? { inheritance.predecessor }

    func reopenLogs() {
        let accessLog = running.withLock { $0.settings.accessLog?.sink }
        server.recorder.reopen { @Sendable [log] result in
            switch result {
            case .success(let isNew): if isNew { log(.info, "SIGUSR1: recording reopened") }
            case .failure(let error): log(.error, "SIGUSR1: record: \(error); still writing to the old file")
            }
        }
        do {
            guard try accessLog?.reopen() == true else { return log(.info, "SIGUSR1: there is no log file to reopen") }
            log(.info, "SIGUSR1: access log reopened")
        } catch {
            log(.error, "SIGUSR1: access_log: \(error); still writing to the old file")
        }
    }

    /// Adopts another configuration. Every step that can fail comes before the first change. For
    /// one thread at a time.
    /// - Returns: the number of clients' connections that end because their listener is gone or
    ///   wants others.
    @discardableResult
    func adopt(_ configuration: Configuration) throws(CommandFailure) -> Int {
        let before = running.withLock { $0 }
        var settings = try configuration.proxySettings(log, inheritance, over: before)
        let workers = before.settings.workers
        guard configuration.upstreamConnections >= workers else {
            throw .badSetting(
                "upstream_connections: the proxy runs \(workers) loops, which need one each; restart the proxy")
        }
        settings.workers = workers
        let isLost = before.admin.map(hasLostFile) ?? false
        let staysPut = !isLost && before.admin.map { $0.address == configuration.adminListener } ?? false
        let token = try configuration.adminToken()
        let recordingBefore = before.configuration.recording
        try ProxyServer.checkRecording(configuration.recording, before: recordingBefore)
        let admin = staysPut ? before.admin : try startAdmin(configuration, after: before.admin)
        let ending: Int
        do throws(ListenError) {
            ending = try server.adopt(settings)
        } catch {
            if !staysPut { admin?.host.stop() }
            throw .failed("listen: \(error)\(error.address.remedy(for: error.cause))")
        }
        admin?.access.change(to: token)
        if !staysPut { before.admin?.host.stop() }
        if isLost, let admin, admin.address == before.admin?.address {
            log(.notice, "admin_listen: \(admin.address) was missing, and was made again")
        }
        log.setLevel(configuration.logLevel)
        settings.shared.cache.file?.records.checkRate = configuration.cacheCheck
        settings.shared.cache.file?.records.use(settings.service.origin)
        node?.use(settings.shared, of: settings.service.origin)
        var configuration = configuration
        configuration.recording = server.adoptRecording(configuration.recording, before: recordingBefore, log)
        let now = Running(
            configuration: configuration, settings: settings, certificates: configuration.certificateExpiries,
            admin: admin, reloads: before.reloads + 1)
        running.withLock { $0 = now }
        certificateWatch.use(configuration.certificateFiles(of: settings))
        return ending
    }

    /// Whether the file of the socket is gone, and this process may make it again: one that a
    /// service manager keeps is the manager's.
    private func hasLostFile(_ admin: AdminListener) -> Bool {
        admin.address.all.contains { $0.hasLostFile && !inheritance.sockets[$0].contains(where: \.isKept) }
    }

    /// Has `/readyz` refuse from now on; requests are still answered.
    func refuseProbes() {
        isServing.store(false, ordering: .relaxed)
    }

    /// Drains: accepts no connection, finishes the requests in hand, writes everything, and calls
    /// `completion` with the number of connections that took too long.
    func stop(_ completion: @escaping @Sendable (_ cutOff: Int) -> Void) {
        refuseProbes()
        server.drain { [self] cutOff in
            let admin = running.withLock { $0.admin.take() }
            let end: @Sendable () -> Void = { [node] in
                guard let node else { return completion(cutOff) }
                node.stop { completion(cutOff) }
            }
            guard let admin else { return end() }
            // To its end, or the file of a Unix socket would be left.
            admin.host.stop(end)
        }
    }

    /// - Parameter former: the listener until now, whose sockets go on at the addresses of both.
    private func startAdmin(
        _ configuration: Configuration, after former: AdminListener? = nil
    ) throws(CommandFailure) -> AdminListener? {
        guard let listen = configuration.adminListener else { return nil }
        let access = AdminAccess(token: try configuration.adminToken())
        let addresses = listen.all
        let inherited = inheritance.sockets.matched(to: configuration.listenedAddresses).suffix(addresses.count)
        let kept = try attempt("admin_listen: \(listen)") { try InheritedSockets(copiedFrom: former?.host) }
        defer { kept.settle() }
        let listeners = zip(addresses, inherited).map { address, given in
            // The kernel gives a socket no second file.
            let own = address.hasLostFile ? [] : kept[address]
            return ListenerSettings(address: address, tls: nil, inherited: given.isEmpty ? own : given)
        }
        let cache = running.withLock { $0.settings.shared.cache }
        var sources = AdminSources(
            statistics: server.snapshot, cache: cache, access: access, version: ProgramVersion.text,
            startedAt: startedAt,
            explain: { @Sendable [server] request, completion in server.explain(request, completion) },
            isServing: { @Sendable [weak self] in self?.isServing.load(ordering: .relaxed) ?? false })
        (sources.reloads, sources.refusals) = (reloads, adminRefusals)
        sources.certificateFiles = { @Sendable [certificateWatch] in
            certificateWatch.files.map {
                CertificateFileStatus(directive: $0.file.directive, path: $0.file.path, isOutdated: $0.isOutdated)
            }
        }
        sources.recording = { @Sendable [server] in server.recording }
        sources.turnRecording = { @Sendable [server] isOn, completion in server.turnRecording(isOn, completion) }
        let unavailable = sources.reload
        sources.reload = { @Sendable [weak self] completion in
            (self?.reloadHandler.withLock { $0.call } ?? unavailable)(completion)
        }
        sources.node = node
        sources.log = { @Sendable [log] in log(.notice, $0) }
        var timeouts = ClientTimeouts()
        // The proxy's own drain is over by then, and a long listing must not hold up the end of the
        // process.
        timeouts.drain = .seconds(2)
        let host = try attempt("admin_listen: \(listen)") {
            try ServiceHost(
                label: "admin", listener: listeners[0], others: Array(listeners.dropFirst()), timeouts: timeouts
            ) { [sources] context in
                AdminService(sources, context)
            }
        }
        return AdminListener(address: listen, host: host, access: access)
    }
}

// The directive `record`, at the start and at a reload. A line that is unchanged leaves a recording
// as an operator has switched it. A proxy that cannot record still serves.

extension ProxyServer {
    /// Whether a change of the line could be carried out; changes nothing.
    fileprivate static func checkRecording(_ line: RecordingLine?, before: RecordingLine?) throws(CommandFailure) {
        guard let line, line != before, line.isOn, line.settings.path != before?.settings.path else { return }
        try attempt("record") { try RecordingWriter.check(line.settings) }
    }

    /// Carries the line out.
    /// - Returns: the line in effect; nil where recording could not begin, so that the next reload
    ///   tries again.
    fileprivate func adoptRecording(
        _ line: RecordingLine?, before: RecordingLine?, _ log: OperationalLog
    ) -> RecordingLine? {
        if line != before { stopRecording() }
        recorder.configure(line?.settings)
        guard let line, line != before, line.isOn else { return line }
        do throws(RecordingError) {
            try startRecording(line.settings)
            return line
        } catch {
            log(.error, "record: \(error); nothing is recorded until a reload or \"refrain record on\"")
            return nil
        }
    }
}
