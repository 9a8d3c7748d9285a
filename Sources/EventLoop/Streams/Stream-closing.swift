import Glibc

/// The ways to end a stream.
extension Stream {
    /// Time for the peer to take the rest, and to end its side after that.
    static let lingerTimeout: Duration = .seconds(5)
    /// Input discarded while lingering.
    static let lingerBytes = 1 << 20
    /// Time without progress after which a peer that does not read is given up.
    public static let flushTimeout: Duration = .seconds(30)

    /// Closes at once and drops queued bytes. With TLS, close_notify is sent if nothing was queued;
    /// so a peer can tell a cut transfer from a finished one.
    public func close() {
        loop.assertOnLoop()
        end(nil)
    }

    /// Closes with a reset (RST): for an answer that must not look complete although its end is
    /// marked by the close.
    public func reset() {
        loop.assertOnLoop()
        guard state != .closed else { return }
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        tls?.forgetClosing()
        end(nil)
    }

    /// Sends queued bytes, shuts down our side, then reads and discards for a bounded time and
    /// amount until the peer has ended its own. Closing while input is unread would make the kernel
    /// send a reset, and a reset can overtake the answer (RFC 9112, 9.6). The handler hears nothing
    /// more but `streamDidClose`.
    ///
    /// - Parameters:
    ///   - leastBytes: the peer has to take as many in each `span`, or all.
    ///   - span: how long it has for that.
    public func closeAfterSending(leastBytes: Int = 1, within span: Duration = Stream.flushTimeout) {
        loop.assertOnLoop()
        switch state {
        case .open: break
        case .connecting, .handshaking: return end(nil)
        case .flushing, .lingering, .closed: return
        }
        state = .flushing
        if output.isEmpty {
            shutDown()
        } else {
            watchFlush(leastBytes, span)
        }
    }

    private func watchFlush(_ least: Int, _ span: Duration) {
        let bytesBefore = pendingBytes
        deadline = loop.schedule(after: span) { [unowned self] in
            deadline = nil
            if pendingBytes <= bytesBefore - least { watchFlush(least, span) } else { end(nil) }
        }
    }

    func flushBeforeClosing() {
        flush()
        if state == .flushing, output.isEmpty { shutDown() }
    }

    private func shutDown() {
        cancelDeadline()
        tls?.sendCloseNotify()
        // A peer that has ended its side has nothing left that could provoke a reset.
        guard shutdown(descriptor, CInt(SHUT_WR)) == 0, !hasReadEnd else { return end(nil) }
        state = .lingering
        deadline = loop.schedule(after: Stream.lingerTimeout) { [unowned self] in
            deadline = nil
            end(nil)
        }
        discardInput()
    }

    func discardInput() {
        while lingeredBytes < Stream.lingerBytes {
            let count = recv(descriptor, loop.scratch.baseAddress, loop.scratch.count, 0)
            if count > 0 {
                lingeredBytes += count
            } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
                return end(nil)
            } else if errno == EAGAIN {
                return
            }
        }
        end(nil)
    }

    /// Closes after a failure.
    func fail(_ error: StreamError) {
        end(error)
    }

    /// The one place where the descriptor is closed. `streamDidClose` waits for the end of the
    /// turn.
    private func end(_ error: StreamError?) {
        guard state != .closed else { return }
        if error == nil, output.isEmpty, state == .open { tls?.sendCloseNotify() }
        state = .closed
        cancelDeadline()
        if let tag { loop.remove(tag) }
        tls?.free()
        Glibc.close(descriptor)
        output.removeAll()
        closeError = error
        loop.tellClosedLater(self)
    }
}
