import CLinux
import EventLoop
import HTTP

/// A client's HTTP/2 connection: reads frames, makes a `ClientConnection` of each stream, sends
/// their answers.
///
/// Confined to its loop. Must hold:
/// - the library is never called from inside one of its calls: its events are noted, and handled
///   when it has returned;
/// - nothing is read while more than a little waits for the client, so a client that asks and does
///   not read costs no more than that;
/// - frames are looked at by `FrameWatch` before the library sees them, and none after the socket
///   has failed: nobody would get the answers;
/// - the server keeps it until `onClose`, which is called once, when the socket is closed.
final class HTTP2Session {
    let stream: Stream
    let context: LoopContext
    let service: any Service
    let limits: MessageLimits
    let timeouts: ClientTimeouts
    /// The library's side of it; nil once the connection has gone.
    var library: OpaquePointer?
    var watch = FrameWatch()
    var head: HTTP2RequestHead
    /// The stream whose head is being read.
    var current: HTTP2Stream?
    /// Size of the fields of a head, or of trailers, so far; and of all heads of one read.
    var (unfoldedBytes, unfoldedInRead) = (0, 0)
    /// The bound that the client has broken, noticed inside a call of the library.
    var offence: FrameWatch.Offence?
    private(set) var streams: [Int32: HTTP2Stream] = [:]
    /// Streams that have a request to be looked at.
    private var ready = NotedStreams()
    /// Streams that have ended and have not been told.
    private var ended = NotedStreams()
    /// Streams whose answers have moved, or are to be sent.
    var touched = NotedStreams()
    /// Content that was sent over all streams; and the part of it that is not settled yet.
    var (sentBytes, unsettledBytes) = (0, 0)
    /// Whether requests are being handed on, after which everything is sent.
    private(set) var isServing = false
    private lazy var peerText: [UInt8] = Array((stream.peer?.host ?? "-").utf8)
    private let serverName: [UInt8]?
    private(set) var isOpen = true
    private var isReadable = false
    private var endsWhenIdle = false
    /// For half a head to be completed; and for requests to come, or answers to be taken.
    private let heads: DeadlineTimer
    /// The unit of `FrameWatch` for whose rest `heads` waits.
    private var awaitedUnit = 0
    private let idling: DeadlineTimer
    /// For frames that wait to be taken.
    let taking: DeadlineTimer
    /// Their share of the budget of answers while they wait.
    var unsent: AnswerBudget.Ticket?
    /// Bytes of frames so far; and how many of them the client had when `taking` was set.
    var (framedBytes, takenBytes) = (0, 0)
    private var lastActive: Instant
    private let onOffence: (FrameWatch.Offence) -> Void
    private let onClose: (any ServedConnection, StreamError?) -> Void

    /// - Parameter onOffence: called when the client has broken a bound of frames.
    init(
        stream: Stream, context: LoopContext, service: any Service, limits: MessageLimits, timeouts: ClientTimeouts,
        onOffence: @escaping (FrameWatch.Offence) -> Void,
        onClose: @escaping (any ServedConnection, StreamError?) -> Void
    ) {
        (self.stream, self.context, self.service, self.limits) = (stream, context, service, limits)
        (self.timeouts, self.onOffence, self.onClose) = (timeouts, onOffence, onClose)
        head = HTTP2RequestHead(limits: limits)
        serverName = stream.serverName.map { name in name.utf8.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 } }
        heads = DeadlineTimer(loop: context.loop)
        idling = DeadlineTimer(loop: context.loop)
        taking = DeadlineTimer(loop: context.loop)
        lastActive = context.loop.now
        stream.handler = self
        library = makeLibrary()
        heads.action = { [unowned self] in self.close() }
        idling.action = { [unowned self] in self.idleTimePassed() }
        taking.action = { [unowned self] in self.takingTimePassed() }
        heads.set(context.loop.now + timeouts.head)
        noteActivity()
        if library == nil { close() }
    }

    deinit { freeLibrary() }

    private func freeLibrary() {
        if let library { clinux_http2_free(library) }
        library = nil
    }
}

// MARK: - Reading

extension HTTP2Session: StreamHandler {
    func streamDidBecomeReadable(_ stream: Stream) {
        isReadable = true
        isServing = true
        read()
        isServing = false
        send()
    }

    func streamDidDrain(_ stream: Stream) {
        uncountFrames()
        send()
        if isReadable { stream.readLater() }
    }

    func streamDidClose(_ stream: Stream, _ error: StreamError?) {
        leave()
        uncountFrames()
        freeLibrary()
        onClose(self, error)
    }

    /// Reads once; other connections have their turn before the next read.
    private func read() {
        guard isOpen, isReadable, let library else { return }
        guard !stream.isBroken else { return close() }
        // The rest of the client's frames lies in the socket: it is not late.
        guard hasRoom else { return heads.clear() }
        let result = context.frameInput.withUnsafeWritable(minimum: Limits.readFrames) { target in
            let result = stream.read(into: target)
            return (written: result.count, result: result)
        }
        switch result {
        case .bytes: stream.readLater()
        case .wouldBlock:
            isReadable = false
            return
        case .end, .failed: return close()
        }
        defer { context.frameInput.wipe() }
        do throws(FrameWatch.Offence) {
            try context.frameInput.withReadable { bytes throws(FrameWatch.Offence) in
                try watch.read(bytes, at: context.loop.now)
            }
        } catch {
            return end(for: error)
        }
        unfoldedInRead = 0
        let status = context.frameInput.withUnsafeReadable { bytes in
            clinux_http2_read(library, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
        if let offence { return end(for: offence) }
        guard status == 0 else { return terminate(.protocolError) }
        current?.connection?.countInput()
        expectTheRest()
        serve()
    }

    /// Bounds the time for the unit that the client has begun: bytes of it do not move the
    /// deadline.
    private func expectTheRest() {
        guard watch.isWaitingForMore else { return heads.clear() }
        guard heads.deadline == nil || awaitedUnit != watch.unit else { return }
        awaitedUnit = watch.unit
        heads.set(context.loop.now + timeouts.head)
    }

    /// Acts on the events that the library has reported.
    private func serve() {
        tellEnded()
        guard !ready.isEmpty else { return }
        noteActivity()
        let streams = ready.take()
        for stream in streams where !stream.isOver {
            stream.isReady = false
            guard let connection = stream.connection else { continue }
            if let failure = stream.failure.take() {
                connection.refuse(malformed: failure)
            } else {
                connection.pump()
            }
        }
        ready.giveBack(streams)
    }

    func tellEnded() {
        while !ended.isEmpty {
            let streams = ended.take()
            for stream in streams { stream.end() }
            ended.giveBack(streams)
        }
        if streams.isEmpty { becomeIdle() }
    }
}

// MARK: - Events of the library, from inside its calls

extension HTTP2Session {
    func headBegan(_ identifier: Int32) {
        unfoldedBytes = 0
        // Trailers say nothing that is asked for here.
        guard streams[identifier] == nil else {
            current = nil
            return
        }
        let stream = HTTP2Stream(identifier, of: self)
        stream.begin(
            ClientConnection(
                carrier: stream, stream: self.stream, input: context.takeStreamInput(limits), context: context,
                service: service, limits: limits, timeouts: timeouts, peerText: peerText))
        streams[identifier] = stream
        head.reset()
        current = stream
    }

    func headEnded(_ identifier: Int32, isLast: Bool) {
        defer { head.reset() }
        guard let stream = current.take() else {
            if isLast { contentEnded(identifier) }
            return
        }
        stream.connection?.withInput { input in
            do throws(ParseError) {
                stream.headEnded(try head.end(isLast: isLast, serverName: serverName, to: &input))
            } catch {
                stream.failure = error
            }
        }
        note(ready: stream)
    }

    func contentCame(_ identifier: Int32, _ bytes: UnsafeRawBufferPointer) {
        guard let stream = streams[identifier] else { return }
        stream.receive(bytes)
        note(ready: stream)
    }

    func contentEnded(_ identifier: Int32) {
        guard let stream = streams[identifier] else { return }
        stream.contentEnded()
        note(ready: stream)
    }

    func closed(_ identifier: Int32) {
        guard let stream = streams.removeValue(forKey: identifier) else { return }
        if current === stream { current = nil }
        ended.append(stream)
    }

    /// Counts a stream that the client has made the server end.
    func resetMade(_ identifier: Int32) {
        do throws(FrameWatch.Offence) {
            switch streams[identifier]?.isReset {
            case nil: try watch.noteRefusedStream(at: context.loop.now)
            case false?: try watch.noteProvokedReset(at: context.loop.now)
            case true?: break
            }
        } catch {
            offence = error
        }
    }

    private func note(ready stream: HTTP2Stream) {
        guard !stream.isReady else { return }
        stream.isReady = true
        ready.append(stream)
    }
}

// MARK: - Ending

extension HTTP2Session: ServedConnection {
    var peer: ConnectionPeer { ConnectionPeer(of: stream) }

    /// Welcomes streams that are on their way; a connection that has been idle since `limit` is
    /// closed now.
    func drain(idleSince limit: Instant) {
        guard isOpen, let library else { return }
        if streams.isEmpty, lastActive <= limit { return endGrace() }
        clinux_http2_say_goodbye(library, 0)
        send()
    }

    /// Takes no further streams, and closes as soon as none is in hand.
    func endGrace() {
        guard isOpen, !endsWhenIdle, let library else { return }
        endsWhenIdle = true
        clinux_http2_say_goodbye(library, 1)
        send()
    }

    func close() {
        leave()
        stream.close()
    }

    /// Too much of something has come.
    func end(for offence: FrameWatch.Offence) {
        self.offence = nil
        onOffence(offence)
        terminate(.enhanceYourCalm)
    }

    /// Says why, and lets nothing that was begun go on.
    private func terminate(_ code: HTTP2ErrorCode) {
        guard isOpen, let library else { return }
        clinux_http2_terminate(library, code.rawValue)
        send()
        closeAfterSending()
    }

    func closeAfterSending() {
        leave()
        stream.closeAfterSending(leastBytes: timeouts.leastBytesWritten, within: timeouts.write)
    }

    /// Nothing more will be read or answered.
    func leave() {
        guard isOpen else { return }
        isOpen = false
        heads.cancel()
        idling.cancel()
        taking.cancel()
        let gone = ended.take() + streams.values
        (streams, ready, touched, current) = ([:], NotedStreams(), NotedStreams(), nil)
        for stream in gone { stream.end() }
    }

    private func becomeIdle() {
        if isOpen, endsWhenIdle { closeAfterSending() }
    }

    func noteActivity() {
        lastActive = context.loop.now
        idling.set(lastActive + timeouts.idle)
    }

    /// Nothing was asked for or taken for as long as a connection may be idle.
    private func idleTimePassed() {
        guard !streams.values.contains(where: { $0.connection?.isBeingServed == true }) else { return noteActivity() }
        endGrace()
        closeAfterSending()
    }
}
