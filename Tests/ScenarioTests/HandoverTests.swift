import EventLoop
import Foundation
import Proxy
import Server
import Simulator
import Synchronization
import TestSupport
import Testing

/// Reloads and restarts of the program under load: no client notices.
@Suite(.serialized, .timeLimit(.minutes(10)), .requires(.binary))
struct HandoverTests {
    private static let reloads = 20
    private static let restarts = 5
    private static let clients = 4

    @Test func noRequestFailsWhileItReloadsAndRestarts() async throws {
        let begin = ContinuousClock.now
        let figures = try await onThread { try Self.run() }
        FigureTable.note(
            "F13 reloads and restarts",
            "\(Self.reloads) and \(Self.restarts) in \(ContinuousClock.now - begin): \(figures)")
        #expect(figures.failures.isEmpty)
        #expect(figures.requests > figures.reconnects && figures.reconnects >= Self.restarts * Self.clients)
    }

    @Test func anINTAfterATERMCutsTheRequestOff() async throws {
        try await onThread {
            let isAnswering = DispatchSemaphore(value: 0)
            let origin = try FakeOrigin { _ in
                isAnswering.waitOrFail()
                return FakeOrigin.Reply()
            }
            defer { isAnswering.signal() }
            let process = try ServedProcess(upstream: "http://127.0.0.1:\(origin.port)")
            try process.start()
            defer { process.remove() }
            let client = try RawClient(port: UInt16(process.port))
            try client.send("GET /v1/catalog/us/albums/1 HTTP/1.1\r\nHost: a\r\n\r\n")
            waitUntil { !origin.requests.isEmpty }
            process.terminate()
            try process.wait("stopping: finishing", times: 1)
            process.send(SIGINT)
            #expect(process.exitStatus() == 1)
            try process.wait("stopped at once", times: 1)
        }
    }

    struct Figures: Sendable {
        var requests = 0
        var reconnects = 0
        var failures: [String] = []
    }

    private static func run() throws -> Figures {
        let origin = try ServiceHost.serving(SimulatedAPI.open())
        defer { origin.stop() }
        let process = try ServedProcess(upstream: "http://\(origin.address)")
        try process.start()
        defer { process.remove() }
        let load = Load(port: process.port, clients: clients)
        for number in 0..<reloads { try process.reload(Self.change(number), fails: Self.isBroken(number)) }
        for _ in 0..<restarts {
            try process.stop()
            try process.start()
            usleep(100_000)
        }
        usleep(200_000)
        let figures = load.finish()
        try process.stop()
        return figures
    }

    private static func isBroken(_ number: Int) -> Bool { number % 5 == 3 }

    /// What the file says beside what never changes.
    private static func change(_ number: Int) -> String {
        switch number % 10 {
        case 3: "ttl songs\n"
        case 8: "workers 7\n"
        case 0: "upstream_connections \(20 + number)\n"
        case 1: "compose off\nttl charts 1s stale 1s\n"
        case 2: "listen 127.0.0.1:0\naccess_log stdout json\n"
        case 4: "log_level debug\nupstream_rate 500/s\n"
        case 5: "access_log off\ncors_origin https://app.example.com\n"
        case 6: "admin_listen 127.0.0.1:0\nbatch off\n"
        case 7: "next complete\nttl search 2s\n"
        default: "upstream_connections 9\nlisten 127.0.0.1:0\n"
        }
    }

    /// Clients that ask one request after the other, each on a connection that it keeps while it
    /// may.
    private final class Load: Sendable {
        private let figures = Mutex(Figures())
        private let isOver = Atomic<Bool>(false)
        private let group = DispatchGroup()

        private static let targets = [
            "/v1/catalog/us/charts?types=albums&limit=3", "/v1/catalog/gb/search?term=moon&types=songs",
            "/v1/catalog/us/albums/1", "/v1/catalog/us/genres", "/v1/storefronts/us", "/v1/catalog/us/artists/7",
        ]

        init(port: Int, clients: Int) {
            for number in 0..<clients {
                group.enter()
                Thread.detachNewThread { [self] in
                    ask(number, HTTPTestClient(port: port))
                    group.leave()
                }
            }
        }

        func finish() -> Figures {
            isOver.store(true, ordering: .relaxed)
            group.waitOrFail()
            return figures.withLock { $0 }
        }

        private func ask(_ number: Int, _ client: HTTPTestClient) {
            var count = number
            while !isOver.load(ordering: .relaxed) {
                count += 1
                // New targets too, so that there are always requests under way to the origin.
                let target = count % 8 == 0 ? "/v1/catalog/us/songs/\(count * 4 + number)" : Self.targets[count % 6]
                do {
                    let reply = try client.send("GET", target)
                    figures.withLock { figures in
                        figures.requests += 1
                        if reply.field("Connection") == "close" { figures.reconnects += 1 }
                        if reply.status >= 500 { figures.failures.append("\(target): \(reply.status)") }
                    }
                } catch {
                    client.close()
                    figures.withLock { $0.failures.append("\(target): \(error)") }
                }
            }
        }
    }
}

/// The program on a socket that the test holds, as a service manager would.
final class ServedProcess {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let port: Int
    private let listening: RawSocket
    private let folder: TemporaryFolder
    private let standing: String
    private var process: ChildProcess?
    private var starts = 0

    init(upstream: String) throws {
        folder = try TemporaryFolder()
        let (socket, port) = try RawSocket.listening()
        (listening, self.port) = (socket, Int(port))
        standing = "listen 127.0.0.1:\(port)\nupstream \(upstream)\ncache_file \(folder.path)/cache.sqlite\n"
        try configure("admin_listen off\n")
    }

    private func configure(_ lines: String) throws {
        let admin = lines.contains("admin_listen") ? "" : "admin_listen off\n"
        try folder.put((standing + admin + lines).utf8, "proxy.conf")
    }

    private var log: String {
        (try? folder.bytes("log.\(starts)")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Starts it as sd_listen_fds(3) has it, and waits until it listens.
    func start() throws {
        starts += 1
        try configure("")
        process = try ChildProcess(
            [
                "/bin/sh", "-c", "LISTEN_PID=$$ exec \"$0\" serve --config \"$1\"", BinaryUnderTest.path ?? "",
                folder.file("proxy.conf"),
            ], environment: ["LISTEN_FDS": "1", "LISTEN_FDNAMES": "web", "PATH": "/usr/bin:/bin"],
            errors: folder.file("log.\(starts)"), passing: [listening.descriptor])
        try wait("listening on http://127.0.0.1:\(port)", times: 1)
    }

    func reload(_ lines: String, fails: Bool) throws {
        let text = fails ? "nothing was changed" : "SIGHUP: reloaded"
        let before = log.components(separatedBy: text).count - 1
        try configure(lines)
        process?.send(SIGHUP)
        try wait(text, times: before + 1)
    }

    /// Asks it to stop; throws if it does not end as it should.
    func stop() throws {
        terminate()
        let status = exitStatus()
        guard status == 0 else { throw Failure(description: "status \(status ?? 0): \(log.suffix(2000))") }
    }

    func terminate() { send(SIGTERM) }

    func send(_ signal: CInt) { process?.send(signal) }

    func exitStatus() -> Int32? { process?.waitForEnd() }

    func remove() {
        process?.kill()
        listening.close()
    }

    func wait(_ text: String, times: Int) throws {
        waitUntil { log.components(separatedBy: text).count - 1 >= times }
        guard log.components(separatedBy: text).count - 1 >= times else {
            throw Failure(description: "no \"\(text)\" in: \(log.suffix(2000))")
        }
    }
}
