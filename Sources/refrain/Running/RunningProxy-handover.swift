import Cache
import EventLoop
import Proxy
import Purging
import Recording
import Server
import Store

// How a successor takes the place of a proxy (DECISIONS 14.7): it gets all that it needs while this
// one serves, this one steps back, and then either leaves for good or comes back.

extension RunningProxy {
    /// How long requests in hand and idle connections have once a successor serves: the idle
    /// timeout, so that no connection is closed before its time.
    var patience: Duration { running.withLock { $0.settings.timeouts.idle } }

    /// How long requests of the admin listener have once a successor serves.
    private static let adminPatience = Duration.seconds(2)

    private var shared: SharedStores { running.withLock { $0.settings.shared } }
    private var records: RecordStore? { shared.cache.file?.records }
    /// Keys of session tickets of the TLS listeners; nil where there are none.
    var ticketKeys: TicketKeys? { running.withLock { $0.settings.tls?.ticketKeys } }
    private var adminHost: ServiceHost? { running.withLock { $0.admin?.host } }

    /// Descriptors for a successor: listening sockets, each once, and the lock of the cache file.
    func handedOver() throws(SystemError) -> [HandedOver] {
        var given: [HandedOver] = []
        var known: Set<Descriptor.Identity> = []
        func add(_ descriptors: [Descriptor], as role: HandedOver.Role) {
            for descriptor in descriptors where known.insert(descriptor.identity).inserted {
                given.append(HandedOver(role: role, descriptor: descriptor))
            }
        }
        if let lock = records?.copiedLock { add([Descriptor(owning: lock)], as: .lock) }
        // First, because those that are listened on are among them.
        add(try keptSockets.copyKept(), as: .kept)
        add(try server.copySockets(), as: .own)
        add(try adminHost?.copySockets().map(\.socket) ?? [], as: .own)
        return given
    }

    /// Leaves everything that only one of two processes can do to the other: the recording, the
    /// cache file, and new connections, in this order, because the first two may take time.
    /// - Returns: whether it recorded.
    func stepBack() -> Bool {
        let recorded = server.recording.isOn
        if recorded { server.stopRecording() }
        records?.lend()
        shared.noteOtherProcess()
        server.setAccepting(false)
        adminHost?.setAccepting(false)
        return recorded
    }

    /// Goes on as if it had never stepped back.
    func comeBack(recording: Bool, _ log: OperationalLog) {
        server.setAccepting(true)
        adminHost?.setAccepting(true)
        shared.noteOtherEnded(at: .now())
        records?.takeBack()
        guard recording, let settings = server.recording.configured else { return }
        do throws(RecordingError) {
            try server.startRecording(settings)
        } catch {
            log(.error, "record: \(error)")
        }
    }

    /// The successor serves: this one does not come back.
    func noteHandedOver() {
        records?.noteHandedOver()
    }

    /// Forgets all answers that are stored by now, then calls `completion`. The answers of the file
    /// are the successor's.
    func forget(_ completion: @escaping @Sendable () -> Void) {
        shared.cache.purge(EntrySelection(), .hard, at: TimeOfDay.system.unixSeconds()) { @Sendable _ in completion() }
    }

    /// Heeds the process whose place this one has taken until it ends, then calls `whenGone`.
    func follow(_ predecessor: Predecessor, _ whenGone: @escaping @Sendable () -> Void) {
        predecessor.follow { @Sendable [weak self] in
            defer { whenGone() }
            guard let shared = self?.shared else { return }
            shared.cache.setOtherProcess(nil)
            shared.noteOtherEnded(at: .now())
        }
    }

    /// Finishes the requests in hand, answers one more on each connection that is there, and calls
    /// `completion` as `stop` does.
    func leave(_ completion: @escaping @Sendable (_ cutOff: Int) -> Void) {
        let host = adminHost
        // At once: the successor answers operators and follows the log.
        host?.stop(patience: Self.adminPatience)
        node?.stopFollowing()
        server.drain(patience: patience) { @Sendable [node] cutOff in
            node?.stop(isReplaced: true) {}
            guard let host else { return completion(cutOff) }
            // It has been stopping since; this only asks to be told of the end.
            host.stop(patience: Self.adminPatience) { @Sendable in completion(cutOff) }
        }
    }

    /// Leaves as fast as a proxy that has no successor.
    func hurry() {
        server.drain { _ in }
    }
}

extension Predecessor {
    /// Has the cache tell it of purges: it answers from its own copy for a while.
    func shareCache(of shared: SharedStores) {
        shared.noteOtherProcess()
        shared.cache.setOtherProcess { @Sendable [self] in forget($0) }
    }
}
