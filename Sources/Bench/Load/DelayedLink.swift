import Dispatch
import EventLoop

/// Forwards connections to a port of 127.0.0.1 with a delay.
///
/// It delays every byte in both directions. Connecting to it takes no time, and it is as wide as
/// the loopback.
///
/// Must hold: everything but `init` and `stop` happens on its loop; bytes keep their order,
/// since all of them wait as long.
final class DelayedLink {
    let port: Int
    private let loop: EventLoop
    private let listener: Listener

    /// - Parameter delay: in each direction; it may be a millisecond more.
    init(to target: Int, delay: Duration) throws {
        port = try Ports.free()
        guard let address = SocketAddress(host: "127.0.0.1", port: UInt16(port)),
            let far = SocketAddress(host: "127.0.0.1", port: UInt16(target))
        else { throw BenchError("no address") }
        let loop = try EventLoop(label: "bench.link")
        self.loop = loop
        listener = try loop.sync { () throws(SystemError) in
            try Listener(address: address, loop: loop) { client in
                guard let server = try? Stream.connect(to: far, loop: loop, handler: End(client, delay)) else {
                    return client.close()
                }
                client.handler = End(server, delay)
            }
        }
    }

    func stop() {
        let stopped = DispatchSemaphore(value: 0)
        loop.stop { stopped.signal() }
        stopped.wait()
    }

    private final class End: ReadingHandler {
        private let other: Stream
        private let delay: Duration

        init(_ other: Stream, _ delay: Duration) { (self.other, self.delay) = (other, delay) }

        func take(_ bytes: UnsafeRawBufferPointer, _ stream: Stream) {
            let bytes = Array(bytes)
            stream.loop.schedule(after: delay) { [other] in bytes.withUnsafeBytes { other.send($0) } }
        }

        func streamDidClose(_ stream: Stream, _ error: StreamError?) {
            stream.loop.schedule(after: delay) { [other] in other.closeAfterSending() }
        }
    }
}
