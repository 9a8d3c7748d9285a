import EventLoop

/// A loop's connection to the shared tier: dials, greets, and carries pipelines of commands until
/// `close`. It decides nothing: `SessionState` does. Confined to its loop.
///
/// While it is connected its stream keeps it alive: its owner calls `close` before it releases it.
package final class TierConnection {
    private let loop: EventLoop
    private let log: @Sendable (String) -> Void
    private let observe: (TierStatus) -> Void
    private let refusals: SharedRefusalLog
    private let resolver: Resolver
    /// Nil where no engine wants it. Trust anchors that cannot be used are a failure of each dial.
    private let tls: Result<ClientTLS, TLSError>?
    private var state: SessionState
    private var dialer: Dialer?
    /// The engine that was dialled last.
    private var engine: Endpoint
    private var dials = 0
    private var stream: Stream?
    private var waiting: [SessionState.PipelineID: Waiting] = [:]
    private var pipelineCount = 0
    /// Whether it was greeted at the last event.
    private var wasReady = false
    private let timer: DeadlineTimer
    private var actions = ActionQueue<SessionState.Action>()

    /// The caller of a pipeline.
    private struct Waiting {
        /// Names of its commands.
        let names: [[UInt8]]
        let completion: ([RESPReply]?) -> Void
    }

    /// The size of one read.
    private static let inputBytes = 64 << 10
    /// Reads in one turn, so that a large reply does not starve the other connections of the loop.
    private static let readsPerTurn = 32

    /// Begins to dial. On the loop.
    /// - Parameters:
    ///   - observe: gets the status after each event.
    ///   - refusals: is told what the engine refuses.
    ///   - log: gets a line, without its end, for each change between used and unusable, and for
    ///     refusals.
    package convenience init(
        _ settings: TierSettings, loop: EventLoop, observe: @escaping (TierStatus) -> Void = { _ in },
        refusals: SharedRefusalLog = SharedRefusalLog(), log: @escaping @Sendable (String) -> Void
    ) {
        self.init(settings, limits: settings.limits, loop: loop, observe: observe, refusals: refusals, log: log)
    }

    init(
        _ settings: TierSettings, limits: SessionLimits, resolver: Resolver = Resolver(), loop: EventLoop,
        observe: @escaping (TierStatus) -> Void = { _ in }, refusals: SharedRefusalLog = SharedRefusalLog(),
        log: @escaping @Sendable (String) -> Void
    ) {
        loop.assertOnLoop()
        (self.resolver, self.loop, self.observe, self.log) = (resolver, loop, observe, log)
        self.refusals = refusals
        timer = DeadlineTimer(loop: loop)
        tls = settings.endpoints.contains(where: \.isTLS) ? Self.makeTLS(settings) : nil
        (state, engine) = (SessionState(settings, limits: limits), settings.endpoints[0])
        timer.action = { [unowned self] in self.perform(self.state.tick(now: self.loop.now)) }
        perform(state.start(now: loop.now))
    }

    private static func makeTLS(_ settings: TierSettings) -> Result<ClientTLS, TLSError> {
        Result { () throws(TLSError) in
            try ClientTLS(trustAnchors: settings.trustAnchorsFile.map { .file($0) } ?? .system)
        }
    }

    /// Sends commands in one go. They are carried out in their order, but not as one: another
    /// node's may come in between.
    ///
    /// - Parameters:
    ///   - timeout: for all of them together, waiting for the connection included; nil for the
    ///     operator's.
    ///   - completion: is called exactly once, on the loop, with one reply a command; or with nil,
    ///     perhaps at once: the engine is not there or does not answer, and whether it has carried
    ///     out any of them is not known. Errors of the engine are replies.
    func send(
        _ commands: [RESPCommand], timeout: Duration? = nil, _ completion: @escaping ([RESPReply]?) -> Void
    ) {
        loop.assertOnLoop()
        guard !commands.isEmpty else { return completion([]) }
        let id = SessionState.PipelineID(number: pipelineCount)
        pipelineCount += 1
        waiting[id] = Waiting(names: commands.map { $0.words[0] }, completion: completion)
        perform(state.submit(id, commands, timeout: timeout, now: loop.now))
    }

    /// Closes it for good: waiting commands get no replies, and nothing can be sent any more.
    package func close() {
        loop.assertOnLoop()
        perform(state.stop())
    }

    /// Makes the connection anew, because of a wrong reply on this one; waiting commands get no
    /// replies.
    func distrust() {
        loop.assertOnLoop()
        perform(state.distrust(now: loop.now))
    }

    /// State and counters.
    var status: TierStatus {
        loop.assertOnLoop()
        return state.status
    }

    // MARK: Actions

    private func perform(_ new: [SessionState.Action]) {
        observe(state.status)
        if state.isReady, !wasReady { refusals.greeted(by: engine, now: loop.now) }
        wasReady = state.isReady
        guard actions.add(new) else { return }
        while let action = actions.next() { perform(action) }
        if let wakeAt = state.wakeAt { timer.hasten(to: wakeAt) }
    }

    private func perform(_ action: SessionState.Action) {
        switch action {
        case .dial(let endpoint): dial(endpoint)
        case .send(let bytes): stream?.send(UnsafeRawBufferPointer(start: nil, count: 0), bytes)
        case .close: closeStream()
        case .complete(let id, let replies): complete(id, replies)
        case .fail(let id): waiting.removeValue(forKey: id)?.completion(nil)
        case .refused(let refusal): refusals.refusedGreeting(refusal, now: loop.now)
        case .report(let usability): log(usability.description)
        }
    }

    private func complete(_ id: SessionState.PipelineID, _ replies: [RESPReply]) {
        guard let waiting = waiting.removeValue(forKey: id) else { return }
        for line in refusals.answered(waiting.names, replies, by: engine, now: loop.now) { log(line) }
        waiting.completion(replies)
    }

    private func dial(_ endpoint: Endpoint) {
        engine = endpoint
        var configuration: ClientTLS?
        do {
            configuration = endpoint.isTLS ? try tls?.get() : nil
        } catch {
            return perform(state.dialFailed(.tls(error.description), now: loop.now))
        }
        // Each dial begins with another of the addresses: the first may be one of an engine that
        // is no master, or that accepts and says nothing.
        dialer = Dialer(
            to: endpoint, tls: configuration, deadline: loop.now + state.limits.dialTimeout, resolver: resolver,
            loop: loop, rotation: dials,
            completion: { [weak self] result in self?.dialed(result) })
        dials += 1
    }

    private func dialed(_ result: Result<Stream, DialFailure>) {
        dialer = nil
        switch result {
        case .success(let stream):
            self.stream = stream
            stream.handler = self
            perform(state.opened(now: loop.now))
        case .failure(let failure):
            perform(state.dialFailed(failure, now: loop.now))
        }
    }

    private func closeStream() {
        dialer?.stop()
        dialer = nil
        stream?.close()
        stream = nil
    }
}

// MARK: Reading

extension TierConnection: StreamHandler {
    package func streamDidBecomeReadable(_ stream: Stream) {
        withUnsafeTemporaryAllocation(byteCount: Self.inputBytes, alignment: 16) { room in
            for _ in 0..<Self.readsPerTurn {
                guard stream === self.stream, readOnce(stream, room) else { return }
            }
            stream.readLater()
        }
    }

    /// False where there is nothing more to read now.
    private func readOnce(_ stream: Stream, _ room: UnsafeMutableRawBufferPointer) -> Bool {
        switch stream.read(into: room) {
        case .bytes(let count):
            let bytes = UnsafeRawBufferPointer(rebasing: room[..<count]).bindMemory(to: UInt8.self)
            perform(state.received(bytes.span, now: loop.now))
            return true
        case .end:
            closeStream()
            perform(state.lost(now: loop.now))
            return false
        case .wouldBlock, .failed:
            // `streamDidClose` reports a failure.
            return false
        }
    }

    package func streamDidClose(_ stream: Stream, _ error: StreamError?) {
        guard stream === self.stream else { return }
        self.stream = nil
        perform(state.lost(now: loop.now))
    }
}
