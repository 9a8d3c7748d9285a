import EventLoop
import HTTP

// MARK: - Answering

extension ClientConnection {
    /// Answers with a head that `write` completes (status line and fields, framing included) and
    /// `content` behind it.
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
        if let carrier {
            answer(on: carrier, hidesContent ? [] : content)
            return finish()
        }
        context.scratch.withUnsafeReadable { head in
            if hidesContent || content.isEmpty {
                stream.send(head)
            } else if let file {
                stream.send(head, file)
            } else {
                stream.send(head, content)
            }
        }
        context.scratch.removeAll(keepingCapacity: true)
        if stream.pendingBytes > 0 { countUnsent(content, file) }
        finish()
    }

    /// Whether the kernel can send a file on it as it is: not where it has to be encrypted.
    public var sendsFiles: Bool { !stream.isTLS }

    func sendScratch(_ content: [UInt8] = []) {
        context.scratch.withUnsafeReadable { stream.send($0, content) }
        context.scratch.removeAll(keepingCapacity: true)
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

    func finish() {
        guard isOpen else { return }
        uncountRequest()
        if let input {
            input.finish()
            context.release(input)
        }
        guard carrier == nil else { return finishCarried() }
        guard keepsAlive else { return closeAfterSending() }
        if stream.pendingBytes > 0 {
            phase = .draining
            expectRoom()
        } else {
            becomeIdle()
            // Answered later than it was asked: no pump is running, and the next request may be in
            // the buffer.
            if !isPumping { pump() }
        }
    }

    /// The answer leaves, and what the client still sends is discarded for a while so that no reset
    /// overtakes it.
    private func closeAfterSending() {
        guard carrier == nil else { return finishCarried() }
        leave()
        stream.closeAfterSending(leastBytes: timeouts.leastBytesWritten, within: timeouts.write)
    }

    /// Answers a request that is no message.
    func refuse(malformed error: ParseError) {
        refuse(status: error.status, detail: "Malformed request: \(error.reason).")
    }

    /// Answers a request that cannot be read to its end, and closes: what follows on this
    /// connection has no meaning. Nothing is asked of the reader, whose head is that of the request
    /// before or half of this one.
    func refuse(status: Int, detail: String) {
        keepsAlive = false
        (requestedAt, client, namedClient) = (context.loop.now, nil, nil)
        let content = AppleError(status: status, detail: detail).content
        composeHead { buffer in
            AppleError.writeHead(status: status, contentLength: content.count, to: &buffer)
            service.writeRefusalFields(to: &buffer)
        }
        if let carrier { answer(on: carrier, content) } else { sendScratch(content) }
        service.refused(self, status: status, contentLength: content.count)
        closeAfterSending()
    }
}
