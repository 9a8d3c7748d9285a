import Foundation
import Synchronization
import TestSupport
import Testing

/// F11: the program is stopped (SIGSTOP) while it waits for the origin, and goes on (SIGCONT) when
/// the origin has long answered. Passes where it lives on and every client gets the answer:
/// deadlines that passed meanwhile are no reason for a 504. The origin is asked once for each, or
/// seldom twice on a machine that is busy.
@Suite(.serialized, .timeLimit(.minutes(240)), .requires(.binary))
struct SuspensionTests {
    /// In seconds: shorter and longer than the deadlines of waiters (5 s) and of the origin's
    /// answer (15 s).
    private static let stops = TestSize.of(
        [1], full: [1, 1, 2, 2, 3, 4, 6, 6, 9, 17], release: (0..<100).map { 1 + $0 * 37 % 60 })
    private static let albums = 5
    private static let clientsOfAnAlbum = 6

    @Test func whatTheOriginAnsweredMeanwhileIsServed() async throws {
        try await onThread { try Self.run() }
    }

    private static func run() throws {
        let house = try FaultHouse(delay: 300)
        let program = try house.start()
        let port = try program.port
        let failures = Mutex<[String]>([])
        var fetches = 0
        var most = 0
        for (cycle, seconds) in stops.enumerated() {
            // Late timers are held once, so that they run at last: a stop within the hold that
            // follows another is no case of this.
            if cycle > 0 { sleep(2) }
            let (first, id, origin) = (cycle * Self.albums, program.id, house.origin)
            let last = FaultOrigin.target(first + Self.albums - 1)
            concurrently(Self.albums * Self.clientsOfAnAlbum + 1) { number in
                guard number > 0 else {
                    waitUntil { origin.asked(last) > 0 }
                    kill(id, SIGSTOP)
                    sleep(UInt32(seconds))
                    kill(id, SIGCONT)
                    return
                }
                let album = first + number % Self.albums
                if let failure = Self.failure(port, album) {
                    failures.withLock { $0.append("\(seconds) s: \(failure)") }
                }
            }
            for album in first..<first + Self.albums {
                fetches += origin.asked(FaultOrigin.target(album))
                most = max(most, origin.asked(FaultOrigin.target(album)))
            }
        }
        let failed = failures.withLock { $0 }
        FigureTable.note(
            "F11 stopped processes",
            """
            \(stops.count) stops of \(stops.min() ?? 0) to \(stops.max() ?? 0) s: \
            \(stops.count * Self.albums * Self.clientsOfAnAlbum) requests, \(failed.count) failed; \(fetches) \
            fetches of \(stops.count * Self.albums) keys, at most \(most) each
            """)
        #expect(failed.isEmpty, "\(failed.prefix(5))")
        // Where others keep it from running for longer than its loops wait for each other, a waiter
        // may ask once more.
        #expect(most <= 2 && fetches <= 2 * stops.count + stops.count * Self.albums)
        #expect(program.isRunning && program.stop() == 0, "\(program.text.suffix(1_000))")
    }

    /// Describes the fault of the answer; nil if it has none. Waits longer for it than any stop
    /// lasts.
    private static func failure(_ port: Int, _ album: Int) -> String? {
        do {
            let client = try RawClient(port: UInt16(port))
            try client.send("GET \(FaultOrigin.target(album)) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let answer = client.read(patience: .seconds(120))
            let body = Array(FaultOrigin.body(album))
            guard answer.starts(with: "HTTP/1.1 200 ".utf8), answer.suffix(body.count).elementsEqual(body) else {
                return "\(album): \(String(decoding: answer.prefix(200), as: UTF8.self))"
            }
            return nil
        } catch {
            return "\(album): \(error)"
        }
    }
}
