import Admin
import AppleMusic
import Cache
import Dispatch
import EventLoop
import Proxy
import Synchronization

/// A proxy with its admin listener, from start to stop.
final class RunningProxy: Sendable {
    private let server: ProxyServer
    private let admin: ServiceHost?
    private let accessLog: AccessLogSink?
    private let certificates: [ServerTLS]
    private let log: OperationalLog
    private let isReady: Readiness

    /// Whether new requests are welcome; false once it drains.
    private final class Readiness: Sendable {
        let value = Atomic<Bool>(true)
    }

    /// Starts to listen. Throws what the operator has to mend; nothing is left running then.
    ///
    /// - Parameter developer: used in place of the configured tokens, which a demonstration has none of.
    init(
        _ configuration: Configuration, _ log: OperationalLog, developer: DeveloperTokens? = nil
    ) throws(CommandFailure) {
        var settings = try configuration.proxySettings(log)
        if let developer { settings.shared.credentials = Credentials(developer: developer, musicUser: nil) }
        let readiness = Readiness()
        do throws(ListenError) {
            server = try ProxyServer(settings)
        } catch {
            throw .failed("listen: \(error)")
        }
        do throws(CommandFailure) {
            admin = try Self.startAdmin(configuration, server, settings.shared.cache, readiness)
        } catch {
            server.drain {}
            throw error
        }
        accessLog = settings.accessLog?.sink
        certificates = settings.listeners.compactMap(\.tls)
        isReady = readiness
        self.log = log
    }

    /// Addresses of the proxy's listeners, with port 0 resolved.
    var addresses: [SocketAddress] { server.addresses }
    var adminAddress: SocketAddress? { admin?.address }

    func reopenLogs() {
        do {
            guard try accessLog?.reopen() == true else { return log(.info, "SIGUSR1: there is no log file to reopen") }
            log(.info, "SIGUSR1: access log reopened")
        } catch {
            log(.error, "SIGUSR1: access_log: \(error); going on with the old file")
        }
    }

    /// Reads the listeners' certificates again; one that cannot be used leaves the old one in place.
    func reloadCertificates() {
        guard !certificates.isEmpty else {
            return log(.info, "SIGHUP: no certificates to read again; other settings are read at start")
        }
        do {
            for tls in certificates { try tls.reload() }
            log(.info, "SIGHUP: certificates read again; other settings are read at start")
        } catch {
            log(.error, "SIGHUP: tls_certificate: \(error); going on with the old one")
        }
    }

    /// Finishes the requests in hand and waits until everything is written.
    func stop() {
        isReady.value.store(false, ordering: .relaxed)
        let done = DispatchSemaphore(value: 0)
        server.drain { @Sendable in done.signal() }
        done.wait()
        admin?.stop()
    }

    private static func startAdmin(
        _ configuration: Configuration, _ server: ProxyServer, _ cache: ResponseCache, _ readiness: Readiness
    ) throws(CommandFailure) -> ServiceHost? {
        guard let address = configuration.adminListener else { return nil }
        let token = try configuration.adminToken()
        let listener = ListenerSettings(address: try address.socketAddress(), tls: nil)
        do throws(SystemError) {
            let sources = AdminSources(
                statistics: server.snapshot, cache: cache,
                explain: { @Sendable request, completion in server.explain(request, completion) },
                isReady: { @Sendable in readiness.value.load(ordering: .relaxed) })
            return try ServiceHost(label: "admin", listener: listener) { _ in AdminService(sources, token: token) }
        } catch {
            throw .failed("admin_listen: \(address): \(error)")
        }
    }
}
