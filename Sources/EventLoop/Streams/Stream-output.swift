import CLinux
import Glibc

/// Sending: bytes that the kernel takes go at once, the rest waits for room.
extension Stream {
    /// Sends bytes: writes now as many as the kernel takes, copies and queues the rest. Never calls
    /// back.
    public func send(_ bytes: UnsafeRawBufferPointer) { send(bytes, []) }

    /// Sends bytes and then a body from an offset on, in one system call where the kernel takes
    /// all. The rest of the body is retained, not copied.
    public func send(_ bytes: UnsafeRawBufferPointer, _ body: [UInt8], from offset: Int = 0) {
        loop.assertOnLoop()
        guard isSending else { return }
        let written = body.withUnsafeBytes { writeNow(bytes, UnsafeRawBufferPointer(rebasing: $0[offset...])) }
        guard isSending else { return }
        if written < bytes.count {
            output.append(copying: UnsafeRawBufferPointer(rebasing: bytes[written...]))
            output.append(retaining: body, from: offset)
        } else {
            output.append(retaining: body, from: offset + written - bytes.count)
        }
    }

    /// Sends bytes and then a whole file, which the kernel takes without copying it. Not for a TLS
    /// stream; nothing may be sent after it before `pendingBytes` is 0 again.
    public func send(_ bytes: UnsafeRawBufferPointer, _ file: SealedFile) {
        loop.assertOnLoop()
        precondition(!isTLS, "what is encrypted has to be read first")
        guard isSending else { return }
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        let written = state == .open && output.isEmpty ? accept(writePlain(bytes, nothing, hasMore: true)) : 0
        let sent = written == bytes.count && isSending ? accept(send(file, from: 0)) : 0
        guard isSending else { return }
        output.append(copying: UnsafeRawBufferPointer(rebasing: bytes[written...]))
        output.append(file, from: sent)
        // A file may leave in part although the socket takes more: only one that takes nothing
        // tells when it does again.
        flush()
    }

    /// How many bytes went. On failure the stream is closed.
    private func accept(_ result: Result<Int, StreamError>) -> Int {
        switch result {
        case .success(let count): return count
        case .failure(let error):
            fail(error)
            return 0
        }
    }

    private var isSending: Bool {
        state == .open || state == .connecting || state == .handshaking
    }

    /// Writes from two places as one; returns how many bytes went. On failure the stream is closed.
    private func writeNow(_ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) -> Int {
        guard state == .open, output.isEmpty else { return 0 }
        return accept(tls == nil ? writePlain(head, body) : writeTLS(head, body))
    }

    private func send(_ file: SealedFile, from offset: Int) -> Result<Int, StreamError> {
        taken(by: "sendfile") { file.send(to: descriptor, from: offset) }
    }

    /// Bytes taken by one system call; 0 where it would block.
    @inline(__always)
    private func taken(by name: StaticString, _ call: () -> Int) -> Result<Int, StreamError> {
        while true {
            let count = call()
            if count >= 0 { return .success(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .success(0)
            default: return .failure(.system(.last(name)))
            }
        }
    }

    private func writePlain(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, hasMore: Bool = false
    ) -> Result<Int, StreamError> {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { vectors in
            vectors[0] = iovec(iov_base: UnsafeMutableRawPointer(mutating: head.baseAddress), iov_len: head.count)
            vectors[1] = iovec(iov_base: UnsafeMutableRawPointer(mutating: body.baseAddress), iov_len: body.count)
            return write(vectors, hasMore: hasMore)
        }
    }

    /// `hasMore`: the rest follows at once, so no packet ends here.
    private func write(
        _ vectors: UnsafeMutableBufferPointer<iovec>, hasMore: Bool = false
    ) -> Result<Int, StreamError> {
        var message = msghdr()
        message.msg_iov = vectors.baseAddress
        message.msg_iovlen = vectors.count
        let flags = CInt(MSG_NOSIGNAL) | (hasMore ? CInt(MSG_MORE) : 0)
        return taken(by: "sendmsg") { sendmsg(descriptor, &message, flags) }
    }

    /// Writes records of up to 16 KiB, each gathered from both places, so that a small answer is
    /// one record and one system call.
    private func writeTLS(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer
    ) -> Result<Int, StreamError> {
        guard let tls else { return .success(0) }
        var sent = 0
        while sent < head.count + body.count {
            let fromHead = head.dropFirst(sent).prefix(loop.scratch.count)
            // One place alone needs no gathering.
            let record =
                body.isEmpty ? UnsafeRawBufferPointer(rebasing: fromHead) : gather(fromHead, body, sent - head.count)
            switch write(tls, record) {
            case .success(0): return .success(sent)
            case .success(let count): sent += count
            case .failure(let error): return .failure(error)
            }
        }
        return .success(sent)
    }

    /// The rest of a head and the bytes of the body after it, in the loop's scratch.
    private func gather(
        _ head: Slice<UnsafeRawBufferPointer>, _ body: UnsafeRawBufferPointer, _ offset: Int
    ) -> UnsafeRawBufferPointer {
        let fromBody = body.dropFirst(max(0, offset)).prefix(loop.scratch.count - head.count)
        loop.scratch.copyMemory(from: UnsafeRawBufferPointer(rebasing: head))
        UnsafeMutableRawBufferPointer(rebasing: loop.scratch[head.count...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: fromBody))
        return UnsafeRawBufferPointer(rebasing: loop.scratch[..<(head.count + fromBody.count)])
    }

    /// Writes the queue until it is empty or the kernel takes no more.
    func flush() {
        while !output.isEmpty {
            switch writeFront() {
            case .success(0): return
            case .success(let count): output.consume(count)
            case .failure(let error): return fail(error)
            }
        }
    }

    private func writeFront() -> Result<Int, StreamError> {
        if tls != nil { return flushRecord() }
        guard let (file, offset) = output.file else { return output.withVectors { write($0) } }
        return output.hasSegments ? output.withVectors { write($0, hasMore: true) } : send(file, from: offset)
    }

    /// A record that would block has been encrypted already: OpenSSL wants to see at least its
    /// bytes again, which the front of the queue still is.
    private func flushRecord() -> Result<Int, StreamError> {
        guard let tls else { return .success(0) }
        let count = output.copyFront(into: loop.scratch)
        return write(tls, UnsafeRawBufferPointer(rebasing: loop.scratch[..<count]))
    }
}
