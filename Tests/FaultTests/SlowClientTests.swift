import Foundation
import Synchronization
import TestSupport
import Testing

/// F7: clients that send a byte of their head a second, and clients that read a byte a second of an
/// answer of a mebibyte. Passes where all other clients are answered, memory grows by at most 64
/// MiB, and all slow ones are gone once their deadlines (10 and 60 s) have passed. The latency of
/// the others is printed and not judged: the machine may be busy.
@Suite(.serialized, .timeLimit(.minutes(60)), .requires(.binary))
struct SlowClientTests {
    private static let each = TestSize.of(20, full: 100, release: 1_000)
    private static let requests = TestSize.of(30, full: 600, release: 20_000)
    /// Deadlines take a minute.
    private static let waitsForDeadlines = TestSize.of(false, full: true, release: true)

    @Test func slowClientsCostOthersNothing() async throws {
        try await onThread {
            let house = try FaultHouse()
            let program = try house.start(["admin_listen 127.0.0.1:0"])
            let (port, adminPort) = (try program.port, try program.adminPort)
            let tally = Tally()
            let client = CheckingClient(port: port)
            tally.note(client.ask(album: FaultOrigin.largeAlbum))
            let alone = Self.latency(port, tally)
            let before = try ProcessFigures(program.id).residentBytes
            let slow = try Self.slowClients(UInt16(port))
            let beside = Self.latency(port, tally)
            let growth = try ProcessFigures(program.id).residentBytes - before
            let begun = ContinuousClock.now
            if Self.waitsForDeadlines {
                waitUntil(within: 180) {
                    usleep(200_000)
                    // The connection of `client` may be left.
                    return Self.connections(adminPort).map { $0 <= 1 } ?? !program.isRunning
                }
                #expect(Self.connections(adminPort).map { $0 <= 1 } == true, "\(program.text.suffix(1_000))")
            }
            let closing = ContinuousClock.now - begun
            slow.stop()
            tally.note(client.ask(album: 1))
            FigureTable.note(
                "F7 slow clients",
                """
                \(Self.each) slow heads, \(Self.each) slow readers: \(tally.now); p99 alone \(alone), beside \
                \(beside); \(growth >> 10) KiB more; \(Self.waitsForDeadlines ? "all closed after \(closing)" : "")
                """)
            #expect(tally.now.wrong.isEmpty && tally.now.broken.isEmpty, "\(tally.now)")
            #expect(growth <= 64 << 20)
            #expect(program.isRunning && program.stop() == 0)
        }
    }

    private static func slowClients(_ port: UInt16) throws -> SlowClients {
        let readers = try (0..<each).map { _ in try RawClient(port: port, receiveBuffer: 2_048) }
        let target = FaultOrigin.target(FaultOrigin.largeAlbum)
        for reader in readers { try reader.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n") }
        let head = "GET \(FaultOrigin.target(1)) HTTP/1.1\r\nHost: a\r\nX-Slow: " + String(repeating: "x", count: 400)
        return SlowClients(
            readers: readers, most: 1, senders: try (0..<each).map { _ in try RawClient(port: port) },
            head: Array(head.utf8), pause: 1_000_000)
    }

    /// The 99th percentile of hits.
    private static func latency(_ port: Int, _ tally: Tally) -> Duration {
        let client = CheckingClient(port: port)
        var times: [Duration] = []
        for number in 0..<requests {
            times.append(ContinuousClock().measure { tally.note(client.ask(album: number % 10)) })
        }
        return times.sorted()[times.count * 99 / 100]
    }

    /// Reads the number of client connections from the metrics.
    private static func connections(_ adminPort: Int) -> Int? {
        guard let reply = try? HTTPTestClient(port: adminPort).send("GET", "/metrics") else { return nil }
        let lines = String(decoding: reply.body, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix("refrain_connections ") }.flatMap { Int($0.split(separator: " ")[1]) }
    }
}

/// Clients that read their answers slowly, and others that send a head slowly.
final class SlowClients: Sendable {
    private let isOver = Atomic(false)
    private let received = Mutex<[Int]>([])
    private let hasEnded = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - most: the bytes that a reader takes after each pause; a sender sends one.
    ///   - pause: in microseconds.
    ///   - others: clients that do nothing any more, and are kept.
    init(
        readers: [RawClient], most: Int, senders: [RawClient] = [], head: [UInt8] = [], pause: UInt32,
        others: [RawClient] = []
    ) {
        Thread.detachNewThread { [self] in
            var counts = [Int](repeating: 0, count: readers.count)
            var unsent = head[...]
            while !isOver.load(ordering: .relaxed) {
                if let byte = unsent.popFirst() { for sender in senders { try? sender.send([byte]) } }
                for (index, reader) in readers.enumerated() {
                    counts[index] += reader.readSome(most, patience: .zero).count
                }
                usleep(pause)
            }
            received.withLock { $0 = counts }
            withExtendedLifetime((senders, others)) {}
            hasEnded.signal()
        }
    }

    /// Closes all; how many bytes each reader got.
    @discardableResult func stop() -> [Int] {
        isOver.store(true, ordering: .relaxed)
        hasEnded.waitOrFail()
        return received.withLock { $0 }
    }
}
