import EventLoop
import HTTP

// MARK: - Answering

extension ClientConnection {
    /// Answers with a head that `write` completes (status line and fields, framing included), and
    /// `content`.
    ///
    /// `Date`, unless `write` writes it, and `Connection` are added here. Content is left out for
    /// HEAD. One system call, no copy of the content. `write` must not answer, and must not use the
    /// connection's scratch.
    ///
    /// - Parameter file: the same content as a file, where there is one and the connection
    ///   `sendsFiles`.
    public func respond(
        content: [UInt8], file: SealedFile? = nil, writesDate: Bool = true, _ write: (inout ByteBuffer) -> Void
    ) {
        guard case .answering = phase else { return assert(!isOpen, "a request is answered once") }
        // Before the client can have the answer and send its next request to another loop.
        uncountRequest()
        let hidesContent = head.method == .head
        composeHead(writesDate: writesDate, write)
        let isWaiting = withScratch { carrier.answer($0, hidesContent ? [] : content, file) }
        if isWaiting { countUnsent(content, file) }
        finish(isWaiting: isWaiting)
    }

    /// Whether the kernel can send a file on it as it is: not where it has to be encrypted.
    public var sendsFiles: Bool { !isTLS }

    /// Whether the client's connection is encrypted as far as this process.
    package var isTLS: Bool { stream.isTLS }

    /// Hands the bytes of the scratch on, and empties it.
    @inline(__always)
    func withScratch<R>(_ send: (UnsafeRawBufferPointer) -> R) -> R {
        defer { context.scratch.removeAll(keepingCapacity: true) }
        return context.scratch.withUnsafeReadable(send)
    }

    func composeHead(writesDate: Bool = true, _ write: (inout ByteBuffer) -> Void) {
        keepsAlive = keepsAlive && head.keepsAlive && !isLast
        write(&context.scratch)
        if writesDate { context.scratch.append(context.clock.dateLine(at: context.loop.now)) }
        if !keepsAlive {
            context.scratch.append("Connection: close\r\n")
        } else if head.version == .http10 {
            context.scratch.append("Connection: keep-alive\r\n")
        }
        context.scratch.append("\r\n")
    }

    /// - Parameter isWaiting: whether the carrier has bytes left that wait for the client.
    func finish(isWaiting: Bool) {
        guard isOpen else { return }
        uncountRequest()
        if let input {
            input.finish()
            context.release(input)
        }
        guard keepsAlive, !isHTTP2 else { return closeAfterSending() }
        if isWaiting {
            phase = .draining
            expectRoom()
        } else {
            becomeIdle()
            // Answered later than it was asked: no pump is running, and the next request may be in
            // the buffer.
            if !isPumping { pump() }
        }
    }

    /// The answer leaves, and the client's further bytes are discarded for a while so that no reset
    /// overtakes it.
    private func closeAfterSending() {
        if carrier.closeAfterSending(timeouts) { return leave() }
        releaseInput()
        expectNothing()
        phase = .draining
    }

    /// Answers a request that is no message.
    func refuse(malformed error: ParseError) {
        refuse(status: error.status, detail: "Malformed request: \(error.reason).", because: error.reason.lowercased())
    }

    /// Answers a request that cannot be read to its end, and closes: further bytes on this
    /// connection have no meaning. Until the content is being read, the reader's head is that of
    /// the request before or half of this one, and so is the client.
    func refuse(status: Int, detail: String, because cause: String) {
        keepsAlive = false
        requestedAt = context.loop.now
        if input?.isReadingBody != true { (client, namedClient) = (nil, nil) }
        let content = AppleError(status: status, detail: detail).content
        service.refused(self, status: status, contentLength: content.count, because: cause)
        composeHead { buffer in
            AppleError.writeHead(status: status, contentLength: content.count, to: &buffer)
            service.writeRefusalFields(to: &buffer)
        }
        _ = withScratch { carrier.answer($0, content, nil) }
        closeAfterSending()
    }
}
