import EventLoop

/// The bytes of one connection's answers leave by this: its socket, or one stream of HTTP/2.
///
/// Heads come as HTTP/1.1 has them. Confined to the loop of the connection.
protocol Carrier: AnyObject {
    /// Answer bytes that have been queued and have not left.
    var pendingBytes: Int { get }
    /// The connection is told when no more than this is queued.
    var lowWaterMark: Int { get set }
    /// Bytes that the client has taken, of other answers as well, since `beginWaiting`.
    var sentMeanwhile: Int { get }

    /// The connection has begun to wait for its client.
    func beginWaiting()
    /// Passes an interim response on.
    func hint(_ head: UnsafeRawBufferPointer)
    /// Sends a whole answer.
    /// - Parameter file: the same content as a file, where the kernel can send it.
    /// - Returns: whether it waits for the client, as far as that is known now.
    func answer(_ head: UnsafeRawBufferPointer, _ content: [UInt8], _ file: SealedFile?) -> Bool
    /// Begins an answer whose content is still coming.
    func begin(_ head: UnsafeRawBufferPointer)
    /// Sends a piece of content, after the bytes that delimit it.
    func write(_ delimiter: UnsafeRawBufferPointer, _ bytes: [UInt8])
    /// Ends an answer that was begun.
    /// - Returns: as `answer` does.
    func endAnswer() -> Bool
    /// Ends once the last answer has left.
    /// - Returns: whether it bounds the time for that; else the connection does.
    func closeAfterSending(_ timeouts: ClientTimeouts) -> Bool
    /// Ends now; queued bytes are dropped.
    func end(_ reason: CarrierEnd)
}

/// Why a carrier ends before its answers have left.
enum CarrierEnd {
    /// Nothing more is wanted of the client.
    case cancelled
    /// The answer broke off, and the client must not take it for a whole one.
    case failed
    /// The client asks for more than it may.
    case excess
}

extension Stream: Carrier {
    /// `pendingBytes` says all.
    var sentMeanwhile: Int { 0 }
    func beginWaiting() {}

    func hint(_ head: UnsafeRawBufferPointer) { send(head) }

    func answer(_ head: UnsafeRawBufferPointer, _ content: [UInt8], _ file: SealedFile?) -> Bool {
        if content.isEmpty {
            send(head)
        } else if let file {
            send(head, file)
        } else {
            send(head, content)
        }
        return pendingBytes > 0
    }

    func begin(_ head: UnsafeRawBufferPointer) { send(head) }

    func write(_ delimiter: UnsafeRawBufferPointer, _ bytes: [UInt8]) { send(delimiter, bytes) }

    func endAnswer() -> Bool { pendingBytes > 0 }

    func closeAfterSending(_ timeouts: ClientTimeouts) -> Bool {
        closeAfterSending(leastBytes: timeouts.leastBytesWritten, within: timeouts.write)
        return true
    }

    func end(_ reason: CarrierEnd) {
        switch reason {
        case .cancelled: close()
        case .failed, .excess: reset()
        }
    }
}
