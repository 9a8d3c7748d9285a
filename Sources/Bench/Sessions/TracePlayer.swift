import Foundation
import Synchronization

/// Sends a trace to a server and checks the statuses of its answers.
struct TracePlayer: Sendable {
    /// How fast, and over how many connections.
    struct Pace: Sendable {
        let connections: Int
        /// The clients' time divided by this; nil for one request as soon as the one before it is
        /// answered.
        let speed: Double?

        static let oneByOne = Pace(connections: 1, speed: nil)

        /// All clients at once, in about so many seconds.
        static func together(_ trace: SessionTrace, seconds: Double) -> Pace {
            Pace(connections: 32, speed: Double(trace.length) / 1000 / seconds)
        }
    }

    let port: Int
    let trace: SessionTrace
    let pace: Pace

    /// - Throws: when an answer did not come, or had another status than the simulated API gives.
    func play() throws {
        let run = Run(trace.requests.count)
        let finished = DispatchGroup()
        for _ in 0..<pace.connections {
            finished.enter()
            Thread.detachNewThread { @Sendable in
                sendInTurn(run)
                finished.leave()
            }
        }
        finished.wait()
        let failed = run.failures.withLock { $0 }
        if let first = failed.first {
            throw BenchError("\(failed.count) of \(trace.requests.count) answers of port \(port) are wrong: \(first)")
        }
    }

    /// What the connections of one run share.
    private final class Run: Sendable {
        let next = Atomic<Int>(0)
        let failures = Mutex<[String]>([])
        let start = ContinuousClock.now
        private let answered: Mutex<[Bool]>

        init(_ count: Int) {
            answered = Mutex(Array(repeating: false, count: count))
        }

        func finish(_ index: Int) { answered.withLock { $0[index] = true } }

        /// The predecessor was taken earlier by some connection, so that it does get its answer.
        func wait(forAnswerTo index: Int) {
            while !answered.withLock({ $0[index] }) { usleep(200) }
        }
    }

    /// One connection: sends whatever request is next, until there is none.
    private func sendInTurn(_ run: Run) {
        let client = TraceClient(port: port)
        while true {
            let index = run.next.add(1, ordering: .relaxed).oldValue
            guard index < trace.requests.count else { return }
            let request = trace.requests[index]
            wait(for: request, since: run.start)
            if let predecessor = request.predecessor { run.wait(forAnswerTo: predecessor) }
            defer { run.finish(index) }
            do {
                let status = try client.status(of: request.target)
                guard status != request.status else { continue }
                run.failures.withLock { $0.append("\(status) instead of \(request.status): \(request.target)") }
            } catch {
                run.failures.withLock { $0.append("\(error): \(request.target)") }
            }
        }
    }

    private func wait(for request: TraceRequest, since start: ContinuousClock.Instant) {
        guard let speed = pace.speed else { return }
        let due = start + .microseconds(Int(Double(request.due) * 1000 / speed))
        let left = (due - .now) / .microseconds(1)
        if left > 0 { usleep(UInt32(left)) }
    }
}

/// A blocking HTTP/1.1 client over one connection.
final class TraceClient {
    private let port: Int
    private var descriptor: Int32 = -1
    private var received: [UInt8] = []

    init(port: Int) {
        self.port = port
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// False once the server has closed the connection; between two answers.
    var isOpen: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
    }

    /// The status of the answer to a GET; its body is read and dropped.
    func status(of target: String) throws -> Int { try get(target).status }

    func get(_ target: String) throws -> (status: Int, body: [UInt8]) {
        try ask(target)
        return try answer()
    }

    /// Sends a GET; `answer` is due before the next one.
    func ask(_ target: String) throws {
        if descriptor < 0 { try connect() }
        let request = Array("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw BenchError("sending failed, errno \(errno)")
        }
    }

    func answer() throws -> (status: Int, body: [UInt8]) {
        received = []
        let marker = Data("\r\n\r\n".utf8)
        var end: Int?
        while end == nil {
            try fill()
            end = Data(received).range(of: marker)?.upperBound
        }
        let head = String(decoding: received[..<(end ?? 0)], as: UTF8.self).split(separator: "\r\n")
        guard let status = head.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw BenchError("no status line: \(head.first ?? "")")
        }
        let length = head.first { $0.lowercased().hasPrefix("content-length:") }
        guard let count = length.flatMap({ Int($0.dropFirst(15).drop { $0 == " " }) }) else {
            throw BenchError("an answer without Content-Length")
        }
        while received.count < (end ?? 0) + count { try fill() }
        return (status, Array(received[(end ?? 0)...]))
    }

    private func fill() throws {
        let start = received.count
        received.append(contentsOf: repeatElement(0, count: 1 << 16))
        let count = received.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + start, 1 << 16, 0) }
        received.removeLast((1 << 16) - max(count, 0))
        guard count > 0 else { throw BenchError("the connection closed, errno \(errno)") }
    }

    private func connect() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw BenchError("cannot connect to port \(port), errno \(errno)") }
    }
}
