import CLinux
import EventLoop
import HTTP

// From answers to frames.
// Must hold: what is submitted in one turn leaves together at its end; frames are made only for
// what the kernel will take soon, so that what waits is content, which is not copied.

extension HTTP2Session {
    /// Sends what there is, as long as the kernel takes it; then tells those whose content moved.
    func send() {
        guard let library, isOpen else { return }
        var isFull = true
        while isFull, hasRoom {
            guard let gathered = gather(library) else { return close() }
            isFull = gathered
            guard !context.frames.isEmpty else { break }
            context.frames.withUnsafeReadable { stream.send($0) }
            context.frames.removeAll(keepingCapacity: true)
        }
        settle(library)
        if isOffended { return endForOffence() }
        if isOpen, clinux_http2_is_over(library) != 0 { closeAfterSending() }
    }

    /// Whether more may wait for the client.
    var hasRoom: Bool { stream.pendingBytes < Limits.queuedFrames }

    /// Fills the loop's buffer with frames: whether it is full, and there may be more. Nil where
    /// the library has failed.
    private func gather(_ library: OpaquePointer) -> Bool? {
        while context.frames.readableCount < Limits.gatheredFrames {
            var bytes: UnsafePointer<UInt8>?
            let count = clinux_http2_next(library, &bytes)
            guard count >= 0 else { return nil }
            // It stops where `take` has no room, or where there is nothing.
            guard count > 0 else { break }
            context.frames.append(UnsafeRawBufferPointer(start: bytes, count: count))
        }
        return context.frames.readableCount >= Limits.gatheredFrames
    }

    /// A frame of content: its head, and what was promised for it. False where there is no room.
    func take(_ stream: HTTP2Stream, _ frameHead: UnsafeRawBufferPointer, _ count: Int) -> Bool {
        guard context.frames.readableCount < Limits.gatheredFrames else { return false }
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
        let streams = touched
        touched.removeAll(keepingCapacity: true)
        for stream in streams where !stream.isOver {
            stream.isTouched = false
            if stream.isAnsweredEarly { hasRoom ? stream.reset(.noError) : touch(stream) }
            stream.connection?.streamMoved()
        }
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

    // MARK: - What streams submit

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
