import Dispatch
import EventLoop
import Glibc
import HTTP

/// Clients on one loop that were answered once and stay idle.
///
/// A replay cannot take their place: it opens no more connections than its load needs, and closes
/// them at its end.
///
/// Everything but `init`, `join`, `checkAllOpen` and `stop` happens on the loop.
final class Crowd {
    private let loop: EventLoop
    private let address: SocketAddress
    private let tls: ClientTLS?
    fileprivate let request: [UInt8]
    private var members: [Member] = []
    fileprivate var answered = 0
    fileprivate var failures: [String] = []

    /// Clients that connect at once: more would overflow a server's backlog.
    private static let atOnce = 250

    init(port: Int, tls: ClientTLS? = nil, target: String) throws {
        guard let address = SocketAddress(host: "127.0.0.1", port: UInt16(port)) else {
            throw BenchError("\(port) is no port")
        }
        self.address = address
        self.tls = tls
        request = Array("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAccept: application/json\r\n\r\n".utf8)
        loop = try EventLoop(label: "bench.crowd.\(port)")
    }

    /// Adds clients, and waits until each has its answer.
    func join(_ count: Int) throws {
        for joined in stride(from: 0, to: count, by: Self.atOnce) { try connect(min(Self.atOnce, count - joined)) }
    }

    private func connect(_ count: Int) throws {
        try loop.sync {
            for _ in 0..<count {
                let member = Member(self)
                members.append(member)
                member.stream = try Stream.connect(
                    to: address, tls: tls.map { ($0, "127.0.0.1") }, loop: loop, handler: member)
            }
        }
        for _ in 0..<60_000 {
            try checkAllOpen()
            if loop.sync({ answered == members.count }) { return }
            usleep(1000)
        }
        throw BenchError("answers did not come within a minute")
    }

    /// - Throws: `BenchError`, with the first reason, if connections ended that this client did not
    ///   close.
    func checkAllOpen() throws {
        let (reasons, count) = loop.sync { (failures, members.count) }
        if let first = reasons.first { throw BenchError("\(reasons.count) of \(count) clients: \(first)") }
    }

    func stop() {
        let stopped = DispatchSemaphore(value: 0)
        loop.stop { stopped.signal() }
        stopped.wait()
    }

    private final class Member: ReadingHandler {
        var stream: Stream?
        private unowned let crowd: Crowd
        private var reader = AnswerReader()

        init(_ crowd: Crowd) {
            self.crowd = crowd
        }

        func streamDidOpen(_ stream: Stream) {
            reader.begin(keepsContent: false)
            crowd.request.withUnsafeBytes { stream.send($0) }
        }

        func streamDidClose(_ stream: Stream, _ error: StreamError?) {
            crowd.failures.append("a connection was closed: \(error.map { "\($0)" } ?? "by the server")")
        }

        func take(_ bytes: UnsafeRawBufferPointer, _ stream: Stream) {
            do {
                guard let surplus = try reader.take(Span(_unsafeBytes: bytes)) else { return }
                guard reader.status == 200, surplus == 0 else { throw BenchError("answered \(reader.status)") }
                crowd.answered += 1
            } catch {
                crowd.failures.append("\(error)")
                stream.close()
            }
        }
    }
}
