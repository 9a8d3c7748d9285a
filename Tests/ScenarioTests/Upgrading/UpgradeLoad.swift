import EventLoop
import Glibc
import HTTP

/// Clients that ask at an even pace, each over a connection that it keeps while it may. They try
/// nothing twice: what an ordinary client would see as an error is one here.
final class UpgradeLoad: @unchecked Sendable {  // because all is touched on the loop alone
    struct Figures: Sendable {
        var requests = 0
        var reconnects = 0
        /// Connections that were closed while nothing was under way, though no answer had said so.
        var closedWhileIdle = 0
        var failures: [String] = []
        /// The longest that a request took, connecting included.
        var longest = Duration.zero
    }

    private let loop: EventLoop
    private var clients: [Client] = []
    private var figures = Figures()
    private var isOver = false

    /// Each port gets `count` clients.
    /// - Parameter gap: from one request of a client to its next.
    init(ports: [(port: Int, tls: ClientTLS?)], clients count: Int, gap: Duration) throws {
        loop = try EventLoop(label: "upgrade-load")
        loop.sync {
            for (port, tls) in ports {
                let address = SocketAddress("127.0.0.1:\(port)")!
                for _ in 0..<count { clients.append(Client(self, clients.count, address, tls, gap)) }
            }
            for client in clients { client.ask() }
        }
    }

    var requests: Int { loop.sync { figures.requests } }

    func finish() -> Figures {
        loop.sync { isOver = true }
        let deadline = ContinuousClock.now + .seconds(20)
        while !loop.sync({ clients.allSatisfy(\.isIdle) }), ContinuousClock.now < deadline { usleep(1000) }
        let figures = loop.sync {
            clients = []
            return self.figures
        }
        loop.stop()
        return figures
    }

    private final class Client: StreamHandler {
        private static let targets = [
            "/v1/catalog/us/charts?types=albums&limit=3", "/v1/catalog/gb/search?term=moon&types=songs",
            "/v1/catalog/us/albums/1", "/v1/catalog/us/genres", "/v1/storefronts/us", "/v1/catalog/us/artists/7",
        ]

        /// The load that this client belongs to. Its streams may still end while its loop stops.
        private let load: UpgradeLoad
        private let number: Int
        private let address: SocketAddress
        private let tls: ClientTLS?
        private let gap: Duration
        private var stream: Stream?
        private var reader = AnswerReader()
        private var count = 0
        private var target = ""
        private var begun = Instant.now()
        private(set) var isIdle = true

        init(_ load: UpgradeLoad, _ number: Int, _ address: SocketAddress, _ tls: ClientTLS?, _ gap: Duration) {
            (self.load, self.number, self.address, self.tls, self.gap) = (load, number, address, tls, gap)
        }

        func ask() {
            guard !load.isOver else { return }
            (isIdle, begun) = (false, load.loop.now)
            count += 1
            // New targets too, so that there are always requests under way to the origin.
            target =
                count % 32 == 0
                ? "/v1/catalog/us/songs/\(count * 64 + number)" : Self.targets[count % Self.targets.count]
            if let stream { return send(stream) }
            do {
                stream = try Stream.connect(
                    to: address, tls: tls.map { ($0, "127.0.0.1") }, loop: load.loop, handler: self)
            } catch {
                fail("\(error)")
            }
        }

        func streamDidOpen(_ stream: Stream) { send(stream) }

        private func send(_ stream: Stream) {
            reader.begin(keepsContent: false)
            let text = "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
            Array(text.utf8).withUnsafeBytes { stream.send($0) }
        }

        func streamDidBecomeReadable(_ stream: Stream) {
            withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 16) { buffer in
                while stream === self.stream {
                    switch stream.read(into: buffer) {
                    case .bytes(let count): take(Array(buffer[..<count]))
                    case .wouldBlock: return
                    case .end, .failed:
                        // An end between two requests is looked at where the stream closes.
                        stream.close()
                        return
                    }
                }
            }
        }

        private func take(_ bytes: [UInt8]) {
            do {
                guard let surplus = try reader.take(bytes.span) else { return }
                if isIdle || surplus > 0 { return fail("bytes that nothing had asked for") }
            } catch {
                return fail("\(error)")
            }
            isIdle = true
            load.figures.requests += 1
            load.figures.longest = max(load.figures.longest, load.loop.currentTime - begun)
            if reader.status >= 500 { load.figures.failures.append("\(target): \(reader.status)") }
            if !reader.keepsAlive {
                load.figures.reconnects += 1
                stream.take()?.close()
            }
            goOn()
        }

        func streamDidDrain(_ stream: Stream) {}

        func streamDidClose(_ stream: Stream, _ error: StreamError?) {
            guard stream === self.stream else { return }
            self.stream = nil
            if isIdle { load.figures.closedWhileIdle += 1 } else { fail(error.map { "\($0)" } ?? "closed") }
        }

        private func fail(_ problem: String) {
            load.figures.failures.append("\(target): \(problem)")
            isIdle = true
            stream.take()?.close()
            goOn()
        }

        private func goOn() { load.loop.schedule(at: max(load.loop.now, begun + gap)) { [self] in ask() } }
    }
}
