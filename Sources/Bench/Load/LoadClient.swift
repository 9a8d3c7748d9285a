import Dispatch
import EventLoop
import Glibc
import HTTP
import Traffic

/// Keep-alive clients on one loop that send requests when they are due.
///
/// The load is open: what is due waits here until a connection is free, and its latency counts from
/// the moment it was due, so that a server which stalls cannot hide how many it kept waiting. Where
/// everything is due at once, it is a closed loop.
///
/// What must hold: everything but `open`, `run` and `stop` happens on the loop. Free connections
/// are taken last in, first out: as many requests as there are new connections go over each of them
/// once.
final class LoadClient {
    /// What one run showed.
    struct Outcome {
        var latencies = Histogram()
        var answered = 0
        var seconds = 0.0

        /// What this share of the latencies did not exceed; 0 where there are none.
        func milliseconds(atShare share: Double) -> Double { Double(latencies.quantile(share) ?? 0) / 1e6 }
    }

    private let loop: EventLoop
    private let address: SocketAddress
    private let tls: ClientTLS?
    private let host: [UInt8]
    private var free: [LoadConnection] = []
    private var connections: [LoadConnection] = []
    private var failure: BenchError?
    private var closedCount = 0

    private var schedule: Schedule?
    private var sent = 0
    private var outcome = Outcome()

    private struct Schedule {
        let count: Int
        let start: Instant
        let interval: Double
        let target: (Int) -> String

        func due(_ index: Int) -> Instant {
            start + .nanoseconds(Int64(Double(index) * interval))
        }
    }

    init(port: Int, tls: ClientTLS? = nil) throws {
        guard let address = SocketAddress(host: "127.0.0.1", port: UInt16(port)) else {
            throw BenchError("\(port) is no port")
        }
        self.address = address
        self.tls = tls
        host = Array(" HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAccept: application/json\r\n\r\n".utf8)
        loop = try EventLoop(label: "bench.load.\(port)")
    }

    /// Opens further connections and waits until all are open, handshakes included.
    func open(_ count: Int) throws {
        try loop.sync {
            for _ in 0..<count {
                let connection = LoadConnection(self)
                connections.append(connection)
                connection.stream = try Stream.connect(
                    to: address, tls: tls.map { ($0, "127.0.0.1") }, loop: loop, handler: connection)
            }
        }
        try wait("connections", .seconds(20)) { free.count == connections.count }
    }

    /// Sends `count` requests, `rate` a second or all at once, and waits for their answers.
    func run(_ count: Int, perSecond rate: Double? = nil, _ target: @escaping (Int) -> String) throws -> Outcome {
        let start = Instant.now()
        loop.sync {
            outcome = Outcome()
            sent = 0
            schedule = Schedule(count: count, start: start, interval: rate.map { 1e9 / $0 } ?? 0, target: target)
        }
        let expected = rate.map { Double(count) / $0 } ?? 0
        try wait("answers", .seconds(60 + Int(expected))) {
            sendDue()
            return outcome.answered == count
        }
        return loop.sync {
            schedule = nil
            outcome.seconds = (Instant.now() - start) / .seconds(1)
            return outcome
        }
    }

    /// - Throws: `BenchError`, with the first reason, if connections ended that this client did not
    ///   close.
    func checkAllOpen() throws {
        let (count, reason) = loop.sync { (closedCount, failure) }
        guard let reason else { return }
        throw BenchError("\(count) of \(connections.count) clients: \(reason)")
    }

    /// Closes all connections and waits for that.
    func stop() {
        let stopped = DispatchSemaphore(value: 0)
        loop.stop { stopped.signal() }
        stopped.wait()
    }

    /// Ticks by the kernel's clock rather than the loop's timer, which may be a millisecond late.
    private func wait(_ what: String, _ limit: Duration, until isDone: () -> Bool) throws {
        let end = Instant.now() + limit
        while true {
            let (done, failure) = loop.sync { (isDone(), self.failure) }
            if let failure { throw failure }
            if done { return }
            guard Instant.now() < end else { throw BenchError("\(what) did not come within \(limit)") }
            usleep(100)
        }
    }

    private func sendDue() {
        guard let schedule else { return }
        let now = Instant.now()
        while sent < schedule.count, schedule.due(sent) <= now, let connection = free.popLast() {
            let request = Array("GET ".utf8) + Array(schedule.target(sent).utf8) + host
            connection.send(request, due: schedule.due(sent))
            sent += 1
        }
    }

    fileprivate func isFree(_ connection: LoadConnection) {
        free.append(connection)
    }

    fileprivate func answered(_ connection: LoadConnection, due: Instant) {
        outcome.answered += 1
        outcome.latencies.record(nanoseconds: (Instant.now() - due).wholeNanoseconds)
        free.append(connection)
        sendDue()
    }

    fileprivate func failed(_ reason: String) {
        closedCount += 1
        failure = failure ?? BenchError(reason)
    }
}

/// One connection: one request at a time.
private final class LoadConnection: StreamHandler {
    var stream: Stream?
    private unowned let client: LoadClient
    private var reader = AnswerReader()
    private var due: Instant?

    init(_ client: LoadClient) {
        self.client = client
    }

    func send(_ request: [UInt8], due: Instant) {
        self.due = due
        reader.begin(keepsContent: false)
        request.withUnsafeBytes { stream?.send($0) }
    }

    func streamDidOpen(_ stream: Stream) { client.isFree(self) }
    func streamDidDrain(_ stream: Stream) {}

    func streamDidBecomeReadable(_ stream: Stream) {
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
            while true {
                switch stream.read(into: buffer) {
                case .bytes(let count): take(Span(_unsafeBytes: UnsafeRawBufferPointer(rebasing: buffer[..<count])))
                case .wouldBlock, .failed: return
                case .end: return stream.close()
                }
            }
        }
    }

    func streamDidClose(_ stream: Stream, _ error: StreamError?) {
        client.failed("a connection was closed: \(error.map { "\($0)" } ?? "by the server")")
    }

    private func take(_ bytes: Span<UInt8>) {
        do {
            guard let due else { throw BenchError("bytes that were not asked for") }
            guard let surplus = try reader.take(bytes) else { return }
            guard reader.status == 200 else { throw BenchError("answered \(reader.status)") }
            guard surplus == 0 else { throw BenchError("more bytes than the answer has") }
            self.due = nil
            client.answered(self, due: due)
        } catch {
            client.failed("\(error)")
            stream?.close()
        }
    }
}
