import Dispatch
import Glibc
import TestSupport
import Testing

@testable import EventLoop

/// A handler that notes its events; confined to its loop, looked at through `loop.sync`.
final class Recorder: StreamHandler {
    enum Event: Equatable { case open, readable, drain, close }

    var events: [Event] = []
    var received: [UInt8] = []
    var error: StreamError?
    var end: ReadResult?
    var echoes = false
    var isPaused = false
    /// Depth of calls into the stream, to find callbacks that come from inside.
    var isInsideCall = false
    var wasReentered = false
    var onOpen: (Stream) -> Void = { _ in }
    var onReadable: ((Stream) -> Void)?
    var onDrain: (Stream) -> Void = { _ in }
    var stream: Stream?
    var closeCount: Int { events.filter { $0 == .close }.count }
    var isClosed: Bool { closeCount > 0 }
    /// The text of a failure of TLS.
    var tlsError: String? {
        if case .tls(let text)? = error { text } else { nil }
    }

    /// A handler that sends back the bytes it gets.
    static var echoing: Recorder {
        let recorder = Recorder()
        recorder.echoes = true
        return recorder
    }

    func note(_ event: Event, _ stream: Stream) {
        stream.loop.assertOnLoop()
        if isInsideCall { wasReentered = true }
        self.stream = stream
        events.append(event)
    }

    func streamDidOpen(_ stream: Stream) {
        note(.open, stream)
        onOpen(stream)
    }

    func streamDidBecomeReadable(_ stream: Stream) {
        note(.readable, stream)
        if let onReadable { return onReadable(stream) }
        if !isPaused { readAll(stream) }
    }

    func readAll(_ stream: Stream) {
        withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 16) { buffer in
            while true {
                switch stream.read(into: buffer) {
                case .bytes(let count):
                    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                    received += bytes
                    if echoes { stream.send(bytes) }
                case .wouldBlock: return
                case let last:
                    end = last
                    return
                }
            }
        }
    }

    func streamDidDrain(_ stream: Stream) {
        note(.drain, stream)
        onDrain(stream)
    }

    func streamDidClose(_ stream: Stream, _ error: StreamError?) {
        note(.close, stream)
        self.error = error
    }
}

/// A loop that listens on the loopback and keeps a recorder for each connection.
final class TestServer {
    let loop: EventLoop
    let listener: Listener
    let port: UInt16
    private let accepted: Accepted

    final class Accepted { var recorders: [Recorder] = [] }

    init(
        loop: EventLoop, address: String = "127.0.0.1:0", tls: ServerTLS? = nil,
        configure: @escaping (Recorder) -> Void = { $0.echoes = true }
    ) throws {
        let accepted = Accepted()
        let address = try #require(SocketAddress(address))
        self.loop = loop
        self.accepted = accepted
        listener = try loop.sync { () throws(SystemError) in
            try Listener(address: address, loop: loop, tls: tls) { stream in
                let recorder = Recorder()
                recorder.stream = stream
                configure(recorder)
                stream.handler = recorder
                accepted.recorders.append(recorder)
            }
        }
        port = listener.address.port
    }

    /// The recorders so far; call on the loop.
    var recorders: [Recorder] { accepted.recorders }
}

extension EventLoop {
    /// Waits until `condition`, which is asked on the loop, holds; false after a minute.
    func eventually(_ condition: () -> Bool) -> Bool {
        waitAtMost(60) { sync(condition) }
    }

    func stopAndWait() {
        let stopped = DispatchSemaphore(value: 0)
        stop { stopped.signal() }
        #expect(stopped.wait(timeout: .now() + .seconds(60)) == .success, "the loop does not stop")
    }
}

extension Stream {
    var recorder: Recorder? { handler as? Recorder }

    func send(_ text: String) {
        var text = text
        text.withUTF8 { send(UnsafeRawBufferPointer($0)) }
    }

    func send(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { send($0) }
    }
}

/// The loop of one test, which is stopped after it. Closures that the loop keeps capture `loop` and
/// not the suite, which would keep it running.
final class LoopScene: Sendable {
    let loop: EventLoop

    init() {
        guard let loop = try? EventLoop(label: "test") else { preconditionFailure("out of descriptors") }
        self.loop = loop
    }

    deinit { loop.stopAndWait() }
}

/// A suite whose tests have a loop each.
protocol LoopSuite {
    var scene: LoopScene { get }
}

extension LoopSuite {
    var loop: EventLoop { scene.loop }

    /// A server whose connections do this when they open, and when they are readable.
    func serve(
        tls: ServerTLS? = nil, onOpen: @escaping (Stream) -> Void = { _ in }, onReadable: ((Stream) -> Void)? = nil
    ) throws -> TestServer {
        try TestServer(loop: loop, tls: tls) { ($0.onOpen, $0.onReadable) = (onOpen, onReadable) }
    }
}

func connect(
    _ loop: EventLoop, port: UInt16, host: String = "127.0.0.1", tls: (ClientTLS, String)? = nil, _ recorder: Recorder
) throws -> Stream {
    let address = try #require(SocketAddress(host: host, port: port))
    return try loop.sync { () throws(SystemError) in
        try Stream.connect(
            to: address, tls: tls.map { (configuration: $0.0, hostName: $0.1) }, loop: loop, handler: recorder)
    }
}

extension TestServer {
    /// A client of this server's, which sends `text` when it has opened; `stream` is set from the
    /// start.
    func client(
        host: String = "127.0.0.1", tls: (ClientTLS, String)? = nil, sending text: String? = nil,
        _ configure: (Recorder) -> Void = { _ in }
    ) throws -> Recorder {
        let recorder = Recorder()
        if let text { recorder.onOpen = { $0.send(text) } }
        configure(recorder)
        let stream = try connect(loop, port: port, host: host, tls: tls, recorder)
        loop.sync { recorder.stream = stream }
        return recorder
    }
}

/// Runs `body` on a loop in virtual time, which stops after a call of `end`.
func inVirtualTime(
    _ time: VirtualTime = VirtualTime(), _ body: (EventLoop, _ end: @escaping () -> Void) throws -> Void
) throws {
    let loop = try EventLoop(label: "virtual", virtualTime: time)
    defer { loop.stopAndWait() }
    let done = DispatchSemaphore(value: 0)
    try loop.sync { try body(loop) { done.signal() } }
    done.waitOrFail()
}

extension RawClient {
    /// Whether a text that is sent comes back.
    func echoes(_ text: String) throws -> Bool {
        try send(text)
        return read(text.utf8.count) == Array(text.utf8)
    }
}

/// Bytes without a pattern, so that a piece that is lost, doubled or swapped shows.
func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    return [UInt8](unsafeUninitializedCapacity: count + 8) { buffer, initialized in
        let bytes = UnsafeMutableRawBufferPointer(buffer)
        for offset in stride(from: 0, to: count, by: 8) {
            bytes.storeBytes(of: random.next(), toByteOffset: offset, as: UInt64.self)
        }
        initialized = count
    }
}
