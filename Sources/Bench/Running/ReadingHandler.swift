import EventLoop

/// A stream's handler that takes whatever arrives, as it arrives.
protocol ReadingHandler: StreamHandler {
    /// The bytes are good during the call.
    func take(_ bytes: UnsafeRawBufferPointer, _ stream: Stream)
}

extension ReadingHandler {
    func streamDidClose(_ stream: Stream, _ error: StreamError?) {}

    func streamDidBecomeReadable(_ stream: Stream) {
        withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 16) { buffer in
            while true {
                switch stream.read(into: buffer) {
                case .bytes(let count): take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), stream)
                case .wouldBlock: return
                case .end, .failed: return stream.close()
                }
            }
        }
    }
}
