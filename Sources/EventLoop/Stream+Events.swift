import Glibc

/// What the loop tells the stream, and what the stream then tells its handler.
extension Stream: PollTarget {
    /// Begins to watch the descriptor; a failure is reported like any other, at the end of the
    /// turn.
    func register() {
        do {
            tag = try loop.add(descriptor, self, .edge)
        } catch {
            fail(.system(error))
        }
    }

    func loopStops() {
        close()
    }

    func descriptorIsReady(_ readiness: Readiness) {
        if readiness.contains(.readable) { isDrained = false }
        if readiness.contains(.ending) { isEnding = true }
        if handler == nil, state != .flushing, state != .lingering { return close() }
        switch state {
        case .connecting: finishConnecting(readiness)
        case .handshaking: continueHandshake()
        case .open: transfer(readiness)
        case .flushing: flushBeforeClosing()
        case .lingering: discardInput()
        case .closed: break
        }
    }

    private func transfer(_ readiness: Readiness) {
        // A TLS write may wait for input and a read for room, so with TLS any event moves both.
        if readiness.contains(.writable) || isTLS { flushAndTell() }
        let isReadable = readiness.contains(.readable) || tls?.readWantsWrite == true
        if state == .open, isReadable { handler?.streamDidBecomeReadable(self) }
    }

    private func finishConnecting(_ readiness: Readiness) {
        guard readiness.contains(.writable) || readiness.contains(.ending) else { return }
        var code: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else { return fail(.system(SystemError(call: "connect", errno: code))) }
        if tls == nil {
            didOpen(readiness)
        } else {
            beginHandshake()
        }
    }

    func beginHandshake(timeout: Duration = Stream.handshakeTimeout) {
        state = .handshaking
        deadline = loop.schedule(after: timeout) { [unowned self] in
            deadline = nil
            fail(.handshakeTimedOut)
        }
        continueHandshake()
    }

    private func continueHandshake() {
        guard let tls else { return }
        switch tls.handshake() {
        case .success(false): return
        case .success(true):
            cancelDeadline()
            // Bytes behind the handshake may already lie in OpenSSL's buffer, for which no event
            // will come.
            didOpen(.readable)
        case .failure(let error): fail(error)
        }
    }

    /// Opens, sends what has waited, and looks for input.
    func didOpen(_ readiness: Readiness) {
        state = .open
        handler?.streamDidOpen(self)
        flushAndTell()
        if state == .open, readiness.contains(.readable) { handler?.streamDidBecomeReadable(self) }
    }

    private func flushAndTell() {
        guard state == .open, !output.isEmpty else { return }
        flush()
        if state == .open, output.isEmpty { handler?.streamDidDrain(self) }
    }

    func cancelDeadline() {
        if let deadline { loop.cancel(deadline) }
        deadline = nil
    }
}
