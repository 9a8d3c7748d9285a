import CLinux
import EventLoop
import HTTP

// From answers to frames.
// Must hold: answers submitted in one turn leave together at its end; for the client waits content,
// which is not copied, and `Limits.queuedFrames` of frames at most.

extension HTTP2Session {
    /// Sends frames as long as the kernel takes them, then tells the streams whose content moved.
    func send() {
        guard let library, isOpen else { return }
        var isFull = true
        let most = framedBytes + Limits.framesPerTurn
        while isFull, hasRoom {
            guard framedBytes < most else {
                stream.readLater()
                break
            }
            guard let gathered = gather(library) else {
                // The next session of the loop fills the same buffer.
                context.frames.wipe()
                return close()
            }
            isFull = gathered
            guard !context.frames.isEmpty else { break }
            framedBytes += context.frames.readableCount
            context.frames.withUnsafeReadable { stream.send($0) }
            context.frames.removeAll(keepingCapacity: true)
            // The socket has failed: what is still to be said is for nobody.
            guard stream.isOpen else { return leave() }
        }
        countFrames()
        settle(library)
        if let offence { return end(for: offence) }
        if isOpen, clinux_http2_is_over(library) != 0 { closeAfterSending() }
    }

    /// Whether more may wait for the client.
    var hasRoom: Bool { stream.pendingBytes < Limits.queuedFrames }

    /// Fills the loop's buffer with frames: whether it is full, and there may be more. Nil where
    /// the library has failed.
    private func gather(_ library: OpaquePointer) -> Bool? {
        while hasRoomToGather {
            var bytes: UnsafePointer<UInt8>?
            let count = clinux_http2_next(library, &bytes)
            guard count >= 0 else { return nil }
            // It stops where `take` has no room, or where there is nothing.
            guard count > 0 else { break }
            context.frames.append(UnsafeRawBufferPointer(start: bytes, count: count))
        }
        return !hasRoomToGather
    }

    /// Whether another frame may be made before those that there are have been sent.
    private var hasRoomToGather: Bool {
        let gathered = context.frames.readableCount
        return gathered < Limits.gatheredFrames && gathered + stream.pendingBytes < Limits.queuedFrames
    }

    /// A frame of content: its head, and the bytes promised for it. False where there is no room.
    func take(_ stream: HTTP2Stream, _ frameHead: UnsafeRawBufferPointer, _ count: Int) -> Bool {
        guard hasRoomToGather else { return false }
        context.frames.append(frameHead)
        stream.take(count, into: &context.frames)
        unsettledBytes += count
        touch(stream)
        return true
    }

    /// Tells the connections whose answers have moved, or wait.
    private func settle(_ library: OpaquePointer) {
        if unsettledBytes > 0 {
            watch.noteSent(unsettledBytes, at: context.loop.now)
            sentBytes += unsettledBytes
            unsettledBytes = 0
            noteActivity()
        }
        tellEnded()
        guard !touched.isEmpty else { return }
        let streams = touched.take()
        for stream in streams where !stream.isOver {
            stream.isTouched = false
            if stream.isAnsweredEarly { hasRoom ? stream.reset(.noError) : touch(stream) }
            stream.tellMoved()
        }
        touched.giveBack(streams)
    }

    /// Has the session look at a stream when it has sent.
    private func touch(_ stream: HTTP2Stream) {
        guard !stream.isTouched else { return }
        stream.isTouched = true
        touched.append(stream)
    }

    /// Has the session send at the end of the turn at the latest.
    private func sendLater(_ stream: HTTP2Stream) {
        touch(stream)
        if !isServing { self.stream.readLater() }
    }

    // MARK: - Frames that wait

    /// Bytes that the kernel has not taken are an answer that waits, though their streams may be
    /// over: they are counted, and the client has that long to take a part of them.
    private func countFrames() {
        guard isOpen, unsent == nil, stream.pendingBytes > 0 else { return }
        unsent = context.answerBudget.begin(
            self, of: stream.peer?.network ?? 0, content: UInt(bitPattern: ObjectIdentifier(self)),
            byteCount: Limits.queuedFrames)
        expectTaking()
    }

    /// The client has taken everything, or has gone.
    func uncountFrames() {
        taking.clear()
        if let ticket = unsent.take() { context.answerBudget.end(ticket) }
    }

    private func expectTaking() {
        takenBytes = framedBytes - stream.pendingBytes
        taking.set(context.loop.now + timeouts.write)
    }

    func takingTimePassed() {
        let taken = framedBytes - stream.pendingBytes - takenBytes
        if taken >= timeouts.leastBytesWritten { expectTaking() } else { close() }
    }

    // MARK: - Answers of streams

    func submit(_ head: UnsafeRawBufferPointer, _ stream: HTTP2Stream, hasContent: Bool) {
        guard let library else { return }
        let source = hasContent ? Unmanaged.passUnretained(stream).toOpaque() : nil
        context.answerHead.read(Span(_unsafeBytes: head))
        _ = context.answerHead.withFields(in: head) { fields in
            clinux_http2_answer(library, stream.identifier, fields.baseAddress, fields.count, source)
        }
        sendLater(stream)
    }

    func submitHint(_ head: UnsafeRawBufferPointer, _ stream: HTTP2Stream) {
        guard let library else { return }
        context.answerHead.read(Span(_unsafeBytes: head))
        _ = context.answerHead.withFields(in: head) { fields in
            clinux_http2_hint(library, stream.identifier, fields.baseAddress, fields.count)
        }
        sendLater(stream)
    }

    func resume(_ stream: HTTP2Stream) {
        guard let library else { return }
        clinux_http2_resume(library, stream.identifier)
        sendLater(stream)
    }

    func reset(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode) {
        guard let library else { return }
        clinux_http2_reset(library, stream.identifier, code.rawValue)
        sendLater(stream)
    }

    /// Whether the client's window stops a stream.
    func isShut(_ stream: HTTP2Stream) -> Bool {
        library.map { clinux_http2_is_shut($0, stream.identifier) != 0 } ?? true
    }
}

extension HTTP2Session: AnswerHolder {
    func giveWay(_ ticket: AnswerBudget.Ticket) {
        guard unsent == ticket else { return }
        unsent = nil
        context.census.refusals.note(.answerMemory, stream.peer, at: context.loop.now)
        close()
    }
}
