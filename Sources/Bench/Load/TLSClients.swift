import Dispatch
import EventLoop
import HTTP

/// Clients of which each connects over TLS, asks once, closes, and connects again: what is measured
/// is what a new connection costs.
///
/// What must hold: everything but `init` and `run` happens on the loop. Clients remember sessions
/// by the server's name; those that are to shake hands in full use each name once.
final class TLSClients {
    /// What a run has shown.
    struct Counts: Equatable {
        /// Connections that were answered, and how many of them resumed a session.
        var answered = 0
        var resumed = 0
        /// Nanoseconds from connecting to the end of the answer.
        var durations: [Int64] = []
        var elapsed = Duration.zero

        /// Milliseconds that this share of the connections did not exceed; 0 where there are none.
        func milliseconds(atShare share: Double) -> Double {
            guard !durations.isEmpty else { return 0 }
            let ordered = durations.sorted()
            return Double(ordered[min(Int(Double(ordered.count) * share), ordered.count - 1)]) / 1e6
        }
    }

    /// For the certificate: covers every name that is used once.
    static let anyName = "*.bench.test"

    private let loop: EventLoop
    private let address: SocketAddress
    private let tls: ClientTLS
    private let resumes: Bool
    fileprivate let request: [UInt8]
    private var started = 0
    private var working = 0
    private var end = Instant.now()
    private var counts = Counts()
    private var failure: String?
    private let done = DispatchSemaphore(value: 0)

    /// - Parameter resumes: whether a connection may resume the session of an earlier one.
    init(port: Int, authorityPEM: String, resumes: Bool, target: String) throws {
        guard let port = UInt16(exactly: port), let address = SocketAddress(host: "127.0.0.1", port: port) else {
            throw BenchError("\(port) is no port")
        }
        (self.address, self.resumes) = (address, resumes)
        tls = try ClientTLS(trustAnchors: .pem(authorityPEM))
        request = Array("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n\r\n".utf8)
        loop = try EventLoop(label: "bench.tls")
    }

    /// So many clients at once, for so long.
    /// - Throws: `BenchError` with the first reason where a connection failed, or was not answered
    ///   200.
    func run(clients: Int, seconds: Int) throws -> Counts {
        let begun = Instant.now()
        loop.sync {
            end = begun + .seconds(seconds)
            for _ in 0..<clients { begin() }
        }
        done.wait()
        let (counts, failure) = loop.sync { (self.counts, self.failure) }
        let stopped = DispatchSemaphore(value: 0)
        loop.stop { stopped.signal() }
        stopped.wait()
        if let failure { throw BenchError("after \(counts.answered) connections: \(failure)") }
        var result = counts
        result.elapsed = .nanoseconds(Instant.now().nanoseconds - begun.nanoseconds)
        return result
    }

    private func begin() {
        started += 1
        let name = resumes ? "127.0.0.1" : "n\(started)" + Self.anyName.dropFirst()
        let client = Client(self)
        do {
            client.stream = try Stream.connect(to: address, tls: (tls, name), loop: loop, handler: client)
            working += 1
        } catch {
            failure = failure ?? "\(error)"
        }
    }

    fileprivate func ended(_ client: Client) {
        working -= 1
        if let reason = client.failure {
            failure = failure ?? reason
        } else {
            counts.answered += 1
            counts.resumed += client.isResumed ? 1 : 0
            counts.durations.append(client.nanoseconds)
        }
        if failure == nil, Instant.now() < end { begin() }
        if working == 0 { done.signal() }
    }

    /// One connection.
    fileprivate final class Client: ReadingHandler {
        var stream: Stream?
        private(set) var isResumed = false
        private(set) var nanoseconds: Int64 = 0
        private(set) var failure: String?
        private let clients: TLSClients
        private let begun = Instant.now()
        private var reader = AnswerReader()
        private var isAnswered = false

        init(_ clients: TLSClients) {
            self.clients = clients
        }

        func streamDidOpen(_ stream: Stream) {
            isResumed = stream.isResumed
            reader.begin(keepsContent: false)
            clients.request.withUnsafeBytes { stream.send($0) }
        }

        func take(_ bytes: UnsafeRawBufferPointer, _ stream: Stream) {
            do {
                guard try reader.take(Span(_unsafeBytes: bytes)) != nil else { return }
                if reader.status != 200 { failure = "answered \(reader.status)" }
                isAnswered = true
                nanoseconds = Instant.now().nanoseconds - begun.nanoseconds
            } catch {
                failure = "\(error)"
            }
            stream.close()
        }

        func streamDidClose(_ stream: Stream, _ error: StreamError?) {
            if !isAnswered { failure = failure ?? error.map { "\($0)" } ?? "closed without an answer" }
            self.stream = nil
            clients.ended(self)
        }
    }
}
