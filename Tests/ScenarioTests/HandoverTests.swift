import Foundation
import Server
import Simulator
import TestSupport
import Testing

/// Reloads and restarts of the program under load: no client notices.
@Suite(.serialized, .timeLimit(.minutes(10)), .requires(.binary))
struct HandoverTests {
    private static let reloads = 20
    private static let restarts = 5
    private static let clients = 4

    /// On a socket that the test holds, as a service manager would.
    @Test func noRequestFailsWhileItReloadsAndRestarts() async throws {
        try await onThread {
            let begin = ContinuousClock.now
            let origin = try ServiceHost.serving(SimulatedAPI.open())
            defer { origin.stop() }
            let (socket, port) = try RawSocket.listening()
            defer { socket.close() }
            let lines = "listen 127.0.0.1:\(port)\nupstream http://\(origin.address)\n"
            let program = try UpgradedProgram(lines + "admin_listen off\n", socket: socket.descriptor)
            try program.start()
            let load = try UpgradeLoad(ports: [(Int(port), nil)], clients: Self.clients, gap: .milliseconds(5))
            for number in 0..<Self.reloads {
                try program.reload(lines + Self.change(number), fails: Self.isBroken(number))
            }
            try program.configure(lines + "admin_listen off\n")
            for _ in 0..<Self.restarts {
                #expect(program.stop() == 0, "\(program.log.suffix(2000))")
                try program.start()
                let before = load.requests
                waitUntil { load.requests > before + 20 * Self.clients }
            }
            let figures = load.finish()
            #expect(program.stop() == 0, "\(program.log.suffix(2000))")
            FigureTable.note(
                "F13 reloads and restarts",
                "\(Self.reloads) and \(Self.restarts) in \(ContinuousClock.now - begin): \(figures)")
            #expect(figures.failures.isEmpty && figures.closedWhileIdle == 0)
            #expect(figures.requests > figures.reconnects && figures.reconnects >= Self.restarts * Self.clients)
        }
    }

    private static func isBroken(_ number: Int) -> Bool { number % 5 == 3 }

    /// The lines of the configuration that change, for each of its versions.
    private static func change(_ number: Int) -> String {
        let lines =
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
        return lines.contains("admin_listen") ? lines : "admin_listen off\n" + lines
    }

    @Test func anINTAfterATERMCutsTheRequestOff() async throws {
        try await onThread {
            let isAnswering = DispatchSemaphore(value: 0)
            let origin = try FakeOrigin(after: isAnswering)
            defer { isAnswering.signal() }
            let folder = try TemporaryFolder()
            let program = try ServedProgram(folder, "upstream http://127.0.0.1:\(origin.port)\ncache_file off")
            #expect(program.listens())
            let client = try RawClient(port: UInt16(program.port))
            try client.send(.get("/v1/catalog/us/albums/1"))
            waitUntil { !origin.requests.isEmpty }
            program.send(SIGTERM)
            #expect(program.logs("stopping: finishing"))
            program.send(SIGINT)
            #expect(program.waitForEnd() == 1 && program.logs("stopped at once"))
        }
    }
}
