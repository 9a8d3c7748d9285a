import EventLoop
import Foundation
import Server
import Simulator
import Synchronization
import TestSupport
import Testing

/// SIGUSR2 as clients of HTTP/2 see it: the old process tells them by GOAWAY which requests it
/// still answers, and they connect to the new one.
@Suite(.serialized, .timeLimit(.minutes(10)), .requires(.binary), .requires(.nghttp2))
struct HTTP2UpgradeTests {
    @Test func noRequestFailsWhileItIsUpgraded() async throws {
        try await onThread {
            let origin = try ServiceHost.serving(SimulatedAPI.open())
            defer { origin.stop() }
            let program = try UpgradedProgram("")
            let (authority, certificate) = try program.makeCertificate(for: "localhost")
            try program.configure(
                """
                listen 127.0.0.1:0 tls
                \(certificate)
                admin_listen off
                upstream http://\(origin.address)
                workers 2
                """)
            try program.start()
            let load = HTTP2Load(port: UInt16(try program.port("https")), authority)
            let count = TestSize.of(3, full: 8, release: 100)
            for _ in 0..<count {
                let before = load.figures.answers
                try program.upgrade()
                // Under load again, or it is not seen how the next one does.
                waitUntil(within: 60) { load.figures.answers > before + 100 }
            }
            let figures = load.finish()
            FigureTable.note("F13 upgrades under HTTP/2", "\(count): \(figures)")
            #expect(figures.failures.isEmpty && figures.goodbyes >= count)
            #expect(program.times(" error: ") == 0, "\(program.log.suffix(3000))")
            program.stop()
        }
    }
}

/// Clients that ask for several things at once, and again those alone that the server says it has
/// not looked at (RFC 9113 6.8).
private final class HTTP2Load: Sendable {
    struct Figures: Sendable {
        var answers = 0
        var goodbyes = 0
        var repeated = 0
        var failures: [String] = []
    }

    private static let clients = 6
    private static let atOnce = 8
    private static let perConnection = 30

    private let port: UInt16
    private let authority: ThrowawayAuthority
    private let state = Mutex((figures: Figures(), isOver: false))

    private let group = DispatchGroup()

    init(port: UInt16, _ authority: ThrowawayAuthority) {
        (self.port, self.authority) = (port, authority)
        for number in 0..<Self.clients {
            group.enter()
            Thread.detachNewThread { [self] in
                ask(number)
                group.leave()
            }
        }
    }

    var figures: Figures { state.withLock(\.figures) }

    /// Waits for the answers under way, and returns the figures.
    func finish() -> Figures {
        state.withLock { $0.isOver = true }
        group.waitOrFail()
        return figures
    }

    private func note(_ failure: String) { state.withLock { $0.figures.failures.append(failure) } }

    private var isOver: Bool { state.withLock(\.isOver) }

    private func ask(_ number: Int) {
        var asked = 0
        while !isOver {
            do {
                let client = try HTTP2TestClient(port: port, authority)
                var stream: UInt32 = 1
                for _ in 0..<Self.perConnection where !isOver && client.goodbye == nil && !client.isClosed {
                    let streams = (0..<UInt32(Self.atOnce)).map { stream + 2 * $0 }
                    stream += 2 * UInt32(Self.atOnce)
                    asked += Self.atOnce
                    client.send(
                        streams.flatMap { stream in
                            // New ones too, which the origin is asked for.
                            let song = stream % 16 == 1 ? asked * 64 + number : Int(stream % 16)
                            return HTTP2Frame.head(
                                HTTP2Frame.get("/v1/catalog/us/songs/\(song)"), stream: stream
                            ).bytes
                        })
                    for stream in streams { judge(client, stream) }
                    usleep(10_000)
                }
                if client.goodbye != nil { state.withLock { $0.figures.goodbyes += 1 } }
                client.close()
            } catch {
                note("\(error)")
            }
        }
    }

    private func judge(_ client: HTTP2TestClient, _ stream: UInt32) {
        waitUntil(within: 60) { client.isOver(stream) || client.isClosed || isNotLookedAt(client, stream) }
        if isNotLookedAt(client, stream) { return state.withLock { $0.figures.repeated += 1 } }
        let isAnswered = client.isOver(stream) && client.frames(.reset, stream: stream).isEmpty
        // 0x88 is the status 200, and 0x8D 404, as entries of HPACK's table of its own.
        let status = client.frames(.headers, stream: stream).first?.payload.first
        guard isAnswered, status == 0x88 || status == 0x8D else {
            return note(
                "\(stream): \(client.isClosed) \(String(describing: client.goodbye)) \(client.frames.suffix(3))")
        }
        state.withLock { $0.figures.answers += 1 }
    }

    /// Whether the last GOAWAY leaves it out.
    private func isNotLookedAt(_ client: HTTP2TestClient, _ stream: UInt32) -> Bool {
        client.frames(.goAway).last.map { $0.word(at: 0) < stream } ?? false
    }
}
