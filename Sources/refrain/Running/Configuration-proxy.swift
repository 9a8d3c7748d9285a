import AppleMusic
import Cache
import Compose
import EventLoop
import Freshness
import Glibc
import HTTP
import Proxy
import Server
import Store
import Text
import Tier
import Traffic
import Upstream

// Makes the modules' settings from the configuration. Everything that can fail fails here, before
// anything listens.

extension Configuration {
    /// Makes the settings of a proxy; opens the cache, reads secrets and certificates.
    /// - Parameters:
    ///   - running: the settings that these replace; the new ones keep parts that can go on.
    ///   - isStopped: whether the operator has stopped the start, which ends a wait for the cache
    ///     file.
    func proxySettings(
        _ log: OperationalLog, _ inheritance: Inheritance = Inheritance(), over running: RunningProxy.Running? = nil,
        isStopped: () -> Bool = { false }
    ) throws(CommandFailure) -> ProxySettings {
        let keys = try clientKeys(continuing: running?.settings.service.clientKeys)
        let sink = try accessLogSink(log, running)
        let ticketKeys = { running.map { $0.settings.tls?.ticketKeys } ?? inheritance.predecessor?.askForTicketKeys() }
        let listeners = try listenerSettings(inheritance.sockets, continuing: ticketKeys, log)
        let upstreamTLS = try upstreamTLS(running)
        let service = try serviceSettings(log, keys)
        // The cache last: a predecessor lets go of it when nothing else is left that can fail.
        let shared = try shared(log, service, running, inheritance.predecessor, isStopped)
        var settings = ProxySettings(
            listeners: listeners, workers: loopCount, upstream: upstreamSettings, upstreamTLS: upstreamTLS,
            service: service, shared: shared,
            accessLog: sink.map {
                AccessLogSettings($0, accessLog.format == .json ? .json : .combined, accessLog.selection)
            })
        settings.upstreamRate = upstreamRate
        settings.timeouts = clientTimeouts
        settings.bounds = clientBounds
        settings.bounds.warn = { @Sendable text in log(.warn, text) }
        settings.bounds.inform = { @Sendable text in log(.info, text) }
        return settings
    }

    private var upstreamSettings: UpstreamSettings {
        var settings = UpstreamSettings(endpoint: upstream, maxConnections: max(1, upstreamConnections))
        settings.timeouts = upstreamTimeouts
        return settings
    }

    private func serviceSettings(
        _ log: OperationalLog, _ keys: ClientKeys?
    ) throws(CommandFailure) -> ServiceSettings {
        var settings = ServiceSettings(
            credentials: try credentials(), policy: policy, origin: upstream.origin, authority: upstream.authority,
            crossOrigin: crossOrigin, composition: wholeComposition)
        settings.clientKeys = keys
        settings.verifySample = verifySample
        settings.servesOther = servesOther
        settings.healthPath = healthPath.map { Array($0.utf8) }
        settings.pageFields = PageFields(corsHeaders)
        settings.forwardedFields = NamedFields(forwardedFields)
        let origin = upstream.url
        settings.warn = { @Sendable text in log(.warn, "\(origin): \(text)") }
        return settings
    }

    private func shared(
        _ log: OperationalLog, _ service: ServiceSettings, _ running: RunningProxy.Running?,
        _ predecessor: Predecessor?, _ isStopped: () -> Bool
    ) throws(CommandFailure) -> SharedStores {
        if let running { return running.settings.shared.adopting(service, after: running.settings.service) }
        var shared = SharedStores(try responseCache(log, predecessor, isStopped), for: service)
        shared.budget = UpstreamBudget(rate: upstreamRate)
        shared.tier = try tierSettings().map { settings in
            SharedTier(
                settings, site: upstream.site, inform: { @Sendable in log(.info, $0) },
                warn: { @Sendable in log(.notice, $0) })
        }
        shared.tier?.use(upstream.origin)
        shared.recorder = TrafficRecorder(program: "refrain \(ProgramVersion.text)") { @Sendable text in
            log(.warn, text)
        }
        shared.sealedBodies = SealedBodies(maxBytes: sealedBytes)
        return shared
    }

    /// Settings that are likely mistakes: `serve` logs them at the start, `check` shows them.
    var warnings: [String] {
        var words: [String] = []
        if http2, listeners.contains(where: \.isTLS), !HTTP2Support.isAvailable {
            words.append("\(HTTP2Support.libraryName) is not installed: clients get HTTP/1.1 only")
        }
        if geteuid() == 0 { words.append("running as root; use a dedicated user") }
        if developerTokenFile == nil && developerKeyFile == nil {
            words.append("no developer_token_file or developer_key_file: clients must send a developer token")
        }
        for (name, value) in [("developer_key_id", developerKeyID), ("developer_team_id", developerTeamID)] {
            guard let value, value.utf8.count != 10 || !PlainWord.isOne(value, with: "", upTo: 10) else { continue }
            words.append("\(name) \(value): Apple's have ten letters and digits; Apple will refuse the token (401)")
        }
        if ttlSpeed > 1 {
            words.append("ttl_speed \(ttlSpeed): stored answers age \(ttlSpeed) times as fast; use it only for replays")
        }
        if tlsCertificateFile != nil && !listeners.contains(where: \.isTLS) {
            words.append("tls_certificate is set, but no listen line has tls")
        }
        if trustedProxies.contains(where: \.isEverything) {
            words.append("trusted_proxy contains all addresses: any client can claim another address")
        }
        for listener in listeners where listener.expectsHeader && !listener.address.isPrivate {
            words.append(
                "listen \(listener.address) proxy_protocol: any peer that reaches this address can claim any client "
                    + "address, in the log and for limits by address; use an address that only the load balancer "
                    + "reaches")
        }
        return words + literalPaths + ownUpstream + unknownClients + tinyMemory + resourceWarnings(ResourceLimits())
    }

    private var wholeComposition: CompositionSettings {
        var settings = composition
        settings.trustsDocumentation =
            switch documentedForms {
            case .auto: upstream.name.lowercased() == "api.music.apple.com"
            case .on: true
            case .off: false
            }
        settings.indexBytes = indexBytes
        return settings
    }

    var policy: Policy {
        var policy = Policy()
        for resourceClass in ResourceClass.allCases { policy[resourceClass] = ttl(for: resourceClass) }
        policy.notFound = ttl[TTLClass.notFound] ?? .off
        policy.badRequest = ttl[TTLClass.badRequest] ?? .off
        policy.speed = ttlSpeed
        return policy
    }

    /// The tokens that the proxy adds.
    func credentials() throws(CommandFailure) -> Credentials {
        let developer = try developerTokens(at: Int64(time(nil)))
        let musicUser = try attempt("music_user_token_file", or: CommandFailure.badSetting) {
            try musicUserTokenFile.map { try SecretFile.readToken($0) }
        }
        return Credentials(developer: developer, musicUser: musicUser, origin: origin(of: developer))
    }

    /// A ready token may be bound to sites (APPLE-MUSIC-API 2.1.1); requests then have to come from
    /// one of them.
    private func origin(of developer: DeveloperTokens?) -> [UInt8]? {
        guard developerTokenFile != nil, let token = developer?.current(at: Int64(time(nil))),
            let site = (try? TokenClaims(token: token))?.origins.first
        else { return nil }
        return Array(site.utf8)
    }

    private func clientKeys(continuing previous: ClientKeys?) throws(CommandFailure) -> ClientKeys? {
        guard let clientKeysFile else { return nil }
        return try attempt("client_keys_file: \(clientKeysFile)", or: CommandFailure.badSetting) {
            try ClientKeys(
                SecretFile.read(clientKeysFile, sizes: SecretFile.listSizes), continuing: previous)
        }
    }

    private func listenerSettings(
        _ inherited: InheritedSockets, continuing ticketKeys: () -> TicketKeys?, _ log: OperationalLog
    ) throws(CommandFailure) -> [ListenerSettings] {
        var tls: ServerTLS?
        if let tlsCertificateFile, let tlsCertificateKeyFile, listeners.contains(where: \.isTLS) {
            tls = try attempt("tls_certificate", or: CommandFailure.badSetting) {
                try ServerTLS(
                    certificateFile: tlsCertificateFile, keyFile: tlsCertificateKeyFile,
                    offersHTTP2: http2 && HTTP2Support.isAvailable, continuing: ticketKeys())
            }
        }
        let addresses = listenedAddresses
        // systemd keeps the socket open: its clients would wait and never be accepted.
        if let socket = inherited.unused(by: addresses).first(where: \.isKept) {
            throw .badSetting(
                "listen: systemd passes a socket for \(socket.address) (ListenStream= in refrain.socket) that no "
                    + "listen or admin_listen line names; add the line, or remove the ListenStream=")
        }
        let sockets = inherited.matched(to: addresses)
        return listeners.indices.map { index in
            ListenerSettings(
                address: listeners[index].address, tls: listeners[index].isTLS ? tls : nil, inherited: sockets[index],
                headers: listeners[index].expectsHeader ? headers(on: listeners[index], log) : nil)
        }
    }

    private func headers(on listener: ListenAddress, _ log: OperationalLog) -> ProxyHeaders {
        let address = listener.address.description
        return ProxyHeaders { @Sendable text in log(.warn, "listen \(address): \(text)") }
    }

    private func upstreamTLS(_ running: RunningProxy.Running?) throws(CommandFailure) -> ClientTLS? {
        guard upstream.isTLS else { return nil }
        // A file may hold other anchors by now; the system's are read once.
        if let running, upstreamCAFile == nil, running.configuration.upstreamCAFile == nil,
            let tls = running.settings.upstreamTLS
        {
            return tls
        }
        return try attempt("upstream_ca_file", or: CommandFailure.badSetting) {
            try ClientTLS(trustAnchors: upstreamCAFile.map { .file($0) } ?? .system)
        }
    }

    /// The part of `memorySize` for the index of resources; reserved even without composing, which
    /// a reload may switch on.
    private var indexBytes: Int { memorySize / 8 }

    /// The part of `memorySize` for sealed files of large bodies; none where every listener is TLS.
    var sealedBytes: Int { listeners.contains { !$0.isTLS } ? memorySize / 8 : 0 }

    /// The part of `memorySize` for answers.
    var memoryTierBytes: Int { memorySize - indexBytes - sealedBytes }

    private func responseCache(
        _ log: OperationalLog, _ predecessor: Predecessor?, _ isStopped: () -> Bool
    ) throws(CommandFailure) -> ResponseCache {
        let memory = MemoryTier(maxBytes: memoryTierBytes)
        guard let cacheFile else {
            predecessor?.takeTurn()
            return ResponseCache(memory: memory, file: nil)
        }
        if let objection = StoreForecast.distrust(cacheFile) { throw .badSetting("cache_file: \(objection)") }
        var lock = predecessor?.takeLock(of: cacheFile)
        if lock == nil { lock = try cacheLock(cacheFile, log, isStopped) }
        predecessor?.takeTurn()
        lock?.sign()
        let store = FileTier.open(
            path: cacheFile, maxBytes: cacheSize, classNames: ResourceClass.allCases.map(\.name),
            site: upstream.site, origin: upstream.origin, lock: lock
        ) { @Sendable message in log(.warn, message) }
        store.records.checkRate = cacheCheck
        return ResponseCache(memory: memory, file: store)
    }

    /// How long a start waits for the process that has the cache file: one that is being replaced
    /// drains first and closes the file last.
    private static let patience = Duration.seconds(15)

    /// Takes the lock of the cache file; nil where the store takes it once the file is free.
    private func cacheLock(
        _ path: String, _ log: OperationalLog, _ isStopped: () -> Bool
    ) throws(CommandFailure) -> StoreLock? {
        guard endsWithoutCacheFile else { return nil }
        do throws(StoreLock.Failure) {
            return try StoreLock.take(path, within: Self.patience) { holder in
                let words = StoreLock.Failure.taken(by: holder).words(about: path)
                log(.notice, "cache_file: \(words); waiting up to \(Self.patience) for it to end")
            } goesOn: {
                !isStopped()
            }
        } catch {
            guard case .taken = error else { return nil }
            guard !isStopped() else { throw .failed("stopped before it had the cache file") }
            throw .badSetting(
                "cache_file: \(error.words(about: path)); stop it, name another file, or set cache_file_locked memory"
            )
        }
    }

    private var clientBounds: ClientBounds {
        let room = clientRoom(under: DescriptorLimit.now)
        var bounds = ClientBounds()
        bounds.requestBytes = requestMemory
        bounds.answerBytes = answerMemory
        bounds.connections = room.all
        bounds.trustedProxies = TrustedProxies(trustedProxies)
        bounds.connectionsPerAddress = room.perAddress
        bounds.names = room.names
        bounds.names[.requestMemory] = "request_memory \(Figure.bytes(requestMemory))"
        bounds.names[.answerMemory] = "answer_memory \(Figure.bytes(answerMemory))"
        return bounds
    }

    private var crossOrigin: CrossOrigin {
        corsOrigins.contains("*") ? .any : .only(corsOrigins.map { PageOrigin($0) })
    }

    private func accessLogSink(
        _ log: OperationalLog, _ running: RunningProxy.Running?
    ) throws(CommandFailure) -> AccessLogSink? {
        if let running, running.configuration.accessLog.destination == accessLog.destination {
            return running.settings.accessLog?.sink
        }
        func tell(of name: String) -> @Sendable (String) -> Void {
            { @Sendable text in log(.warn, "access_log: \(name): \(text)") }
        }
        switch accessLog.destination {
        case .off: return nil
        case .standardOutput: return AccessLogSink(descriptor: STDOUT_FILENO, tell: tell(of: "stdout"))
        case .standardError: return AccessLogSink(descriptor: STDERR_FILENO, tell: tell(of: "stderr"))
        case .file(let path):
            do throws(FileRefusal) {
                return try AccessLogSink(path: path, tell: tell(of: path))
            } catch {
                let words = "access_log: \(path): \(error)"
                // A file that is refused for what it is, is so at the next start too.
                throw error.errno == nil ? .badSetting(words) : .failed(words)
            }
        }
    }
}

extension Configuration {
    /// Addresses on which the proxy listens, and last the admin listener's.
    var listenedAddresses: [SocketAddress] { listeners.map(\.address) + (adminListener?.all ?? []) }

    /// Token of the admin listener; nil when it needs none.
    func adminToken() throws(CommandFailure) -> SecretBytes? {
        guard let adminTokenFile else { return nil }
        return try attempt("admin_token_file", or: CommandFailure.badSetting) {
            try SecretFile.readAdminToken(adminTokenFile)
        }
    }
}

extension Configuration {
    /// The settings that a what-if run takes from a configuration. It has one loop, listens on
    /// nothing and asks no server, so listeners, credentials, logs, `upstream` and `workers` are
    /// left out.
    func whatIfSettings(name: String) -> WhatIfSettings {
        var settings = WhatIfSettings(name: name)
        settings.policy = policy
        // The run takes the time that the recording took.
        settings.policy.speed = 1
        settings.composition = wholeComposition
        settings.memoryBytes = memoryTierBytes
        settings.sealedBytes = sealedBytes
        settings.fileBytes = cacheFile == nil ? nil : cacheSize
        settings.upstreamConnections = max(1, upstreamConnections)
        settings.upstreamRate = upstreamRate
        return settings
    }
}
