import Foundation
import Synchronization
import TestSupport
import Testing

/// F9: a link of 256 kbit a second, links with 200 ms of delay and with stalls, a link that is down
/// for a while. Passes where no answer that was cut looks whole, no body is wrong, and no deadline
/// is over before its time: a request fails only after one of those in `ClientTimeouts` and
/// `UpstreamSettings`.
@Suite(.timeLimit(.minutes(120)), .requires(.binary))
struct SlowLinkTests {
    /// On both sides of the proxy.
    @Test func delaysAndStallsCutNothing() async throws {
        try await onThread {
            let seed = UInt64.random(in: 0...UInt64.max)
            let longest = TestSize.of(Duration.seconds(0.5), full: .seconds(4), release: .seconds(8))
            let manner = SlowRelay.Manner(
                delay: .milliseconds(200), stalls: TestSize.of(10, full: 2, release: 2), longest: longest)
            let house = try FaultHouse()
            let far = try SlowRelay(to: house.origin.port, manner, seed: seed)
            try house.fill(Traffic.stored, upstream: far.port)
            let program = try house.start(upstream: far.port)
            let near = try SlowRelay(to: UInt16(program.port), manner, seed: seed &+ 1)
            let traffic = Traffic(port: Int(near.port))
            traffic.run(
                clients: TestSize.of(4, full: 10, release: 30), requests: TestSize.of(2, full: 12, release: 300),
                large: TestSize.of([], full: [FaultOrigin.middlingAlbum], release: [FaultOrigin.largeAlbum]))
            near.stop()
            far.stop()
            let stalls = near.stallCount + far.stallCount
            FigureTable.note("F9 slow links", "200 ms, \(stalls) stalls up to \(longest): \(traffic.now); seed \(seed)")
            traffic.judge("seed \(seed): \(program.text.suffix(1_000))")
            #expect(program.stop() == 0, "\(program.text.suffix(1_000))")
        }
    }

    @Test(.requires(.timeForLinks), .requires(.ownNetwork)) func aNarrowLinkCutsNothing() async throws {
        try await OwnNetwork.run("SlowLinkTests", row: "F9") {
            let house = try FaultHouse()
            try house.fill(Traffic.stored)
            try house.fill(FaultOrigin.middlingAlbum..<FaultOrigin.largeAlbum + 1)
            let program = try house.start()
            try OwnNetwork.slowDown()
            let traffic = Traffic(port: try program.port)
            let begun = ContinuousClock.now
            traffic.run(
                clients: 4, requests: TestSize.of(8, full: 8, release: 400),
                large: TestSize.of(
                    [], full: [FaultOrigin.middlingAlbum], release: [FaultOrigin.middlingAlbum, FaultOrigin.largeAlbum])
            )
            FigureTable.note("F9 slow links", "256 kbit/s for \(ContinuousClock.now - begun): \(traffic.now)")
            traffic.judge("\(program.text.suffix(1_000))")
            #expect(program.stop() == 0, "\(program.text.suffix(1_000))")
        }
    }

    /// An outage of 12 s, in which a probe of each idle connection is lost.
    @Test(.requires(.timeForLinks), .requires(.ownNetwork)) func anOutageEndsNoConnectionBeforeItsTime() async throws {
        try await OwnNetwork.run("SlowLinkTests", row: "F9") {
            let house = try FaultHouse()
            let album = FaultOrigin.middlingAlbum
            try house.fill(album..<album + 1)
            let program = try house.start()
            let port = try program.port
            try OwnNetwork.prepareCuts()
            let traffic = Traffic(port: port)
            let idle = (0..<50).map { _ in HTTPTestClient(port: port) }
            for client in idle { traffic.ask(client, album) }
            let idleSince = ContinuousClock.now
            sleep(4)
            let outage = Mutex(Duration.zero)
            let readers = Traffic(port: port)
            concurrently(31) { number in
                if number > 0 { return readers.read(album) }
                do {
                    sleep(1)
                    let begun = ContinuousClock.now
                    try OwnNetwork.cut([.server(UInt16(port))], number: 1)
                    sleep(12)
                    try OwnNetwork.mend(number: 1)
                    outage.withLock { $0 = ContinuousClock.now - begun }
                } catch {
                    Issue.record(error)
                }
            }
            for client in idle { traffic.ask(client, album, since: idleSince) }
            FigureTable.note(
                "F9 slow links",
                """
                an outage of \(outage.withLock { $0 }): readers: \(readers.now); requests of \(idle.count) \
                idle connections, before and after: \(traffic.now)
                """)
            for each in [readers, traffic] { each.judge("\(program.text.suffix(1_000))") }
            #expect(program.stop() == 0, "\(program.text.suffix(1_000))")
        }
    }
}

/// Requests over a slow link, and their results.
private final class Traffic: Sendable {
    static let stored = 0..<10

    struct Figures: CustomStringConvertible {
        var hits = 0
        var misses = 0
        /// Failures after a deadline had passed.
        var late: [String] = []
        /// Failures before any deadline, and bodies that differ from the origin's.
        var wrong: [String] = []
        var longest = Duration.zero

        var description: String {
            "\(hits) hits, \(misses) misses (at most \(longest)), \(late.count) beyond a deadline, \(wrong.count) wrong"
        }
    }

    /// In seconds, by the detail of `Cache-Status`.
    private static let deadlines = [
        "upstream-connect-timeout": 5, "upstream-first-byte-timeout": 10, "upstream-content-timeout": 10,
        "upstream-timeout": 60, "waited-too-long": 5,
    ]

    private let port: Int
    private let figures = Mutex(Figures())

    init(port: Int) { self.port = port }

    var now: Figures { figures.withLock { $0 } }

    func judge(_ text: String) {
        #expect(now.wrong.isEmpty, "\(now.wrong.prefix(3)): \(text)")
        #expect(now.hits > 0, "\(now.late.prefix(3)): \(text)")
    }

    /// Each client asks for stored and for other answers, in turns, over one connection; one more
    /// for each of the large answers.
    func run(clients: Int, requests: Int, large: [Int]) {
        concurrently(clients + large.count) { [self] number in
            let client = HTTPTestClient(port: port)
            guard number >= large.count else { return ask(client, large[number]) }
            for request in 0..<requests {
                let isStored = (number + request) % 2 == 0
                ask(client, isStored ? request % Self.stored.count : 1_000 + number * requests + request)
            }
        }
    }

    /// - Parameter since: the time from which on deadlines count; now, where nothing else is said.
    func ask(_ client: HTTPTestClient, _ album: Int, since: ContinuousClock.Instant = .now) {
        let (target, begun) = (FaultOrigin.target(album), ContinuousClock.now)
        do {
            let reply = try client.send("GET", target)
            let status = reply.field("Cache-Status") ?? ""
            guard reply.status == 200, reply.body == FaultOrigin.knownBody(of: target) else {
                let least = Self.deadlines[status.components(separatedBy: "detail=").last ?? ""]
                let what = "\(target): \(reply.status), \(reply.body.count) bytes: \(status)"
                return fail(what, since: since, reply.status > 500 ? least : nil)
            }
            figures.withLock { figures in
                if status.contains("; hit") { figures.hits += 1 } else { figures.misses += 1 }
                figures.longest = max(figures.longest, .now - begun)
            }
        } catch {
            client.close()
            // An answer may take 30 s, and an idle connection is kept for 60 s.
            fail("\(target): \(error)", since: since, 30)
        }
    }

    /// Reads an answer that is stored for some six seconds.
    func read(_ album: Int) {
        let (target, begun) = (FaultOrigin.target(album), ContinuousClock.now)
        let body = Array(FaultOrigin.knownBody(of: target))
        var answer: [UInt8] = []
        do {
            let reader = try RawClient(port: UInt16(port), receiveBuffer: 4_096)
            try reader.send("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            while true {
                let some = reader.readSome(1_024, patience: .seconds(Patience.seconds(90)))
                if some.isEmpty { break }
                answer += some
                usleep(50_000)
            }
        } catch {
            return fail("\(error)", since: begun, nil)
        }
        guard answer.starts(with: "HTTP/1.1 200 ".utf8), answer.suffix(body.count).elementsEqual(body) else {
            return fail("\(answer.count) bytes", since: begun, 30)
        }
        figures.withLock { $0.hits += 1 }
    }

    /// - Parameter least: the shortest deadline that may have ended it, in seconds.
    private func fail(_ what: String, since: ContinuousClock.Instant, _ least: Int?) {
        let took = ContinuousClock.now - since
        figures.withLock { figures in
            if let least, took >= .seconds(least) {
                figures.late.append("\(what) after \(took)")
            } else {
                figures.wrong.append("\(what) after \(took)")
            }
        }
    }
}
