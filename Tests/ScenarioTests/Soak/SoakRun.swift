import Foundation
import Server
import Synchronization
import TestSupport

@testable import Simulator

/// Clients of all kinds, an origin that changes, purges and reloads, for as long as is wanted.
/// Every answer is compared with the origin's.
final class SoakRun {
    /// The resources of the process at one moment.
    struct Sample: Sendable {
        let seconds: Double
        let residentBytes: Int
        let descriptors: Int
        let journalBytes: Int
    }

    struct Outcome: Sendable {
        var samples: [Sample] = []
        /// While it warmed up.
        var unjudged = 0
        var requests = 0
        var hits = 0
        /// Answers that the origin never gave, or gave too long ago.
        var wrong: [String] = []
    }

    /// Small bounds, so that all of them are reached within minutes.
    private static let lines = """
        admin_listen 127.0.0.1:0
        access_log off
        workers 2
        memory_size 8MiB
        cache_size 24MiB
        upstream_connections 8
        ttl catalog 20s
        ttl charts 20s
        ttl search 20s
        ttl storefronts 20s
        ttl not-found 20s
        """
    private static let lifetime = 20
    /// Requests at once, and turns a second: a rate that leaves the machine to others.
    private static let (batch, turns) = (16, 8)

    private let api: SimulatedAPI
    private let origin: ServiceHost
    private let folder: TemporaryFolder
    private let program: ServedProgram
    private let clients: [HTTPTestClient]
    private let admin: HTTPTestClient
    private let oracle: Oracle
    private var history: RevisionHistory
    private var generator: RequestGenerator
    private var outcome = Outcome()
    private var lastSecond = -1

    init(seed: UInt64) throws {
        api = SimulatedAPI.open()
        origin = try ServiceHost.serving(api)
        folder = try TemporaryFolder()
        let defaults = "upstream http://\(origin.address)\ncache_file \(folder.file("cache.sqlite"))\n" + Self.lines
        program = try ServedProgram(folder, defaults)
        guard program.listens() else { throw ServedProgram.Failure(description: program.text) }
        let port = try program.port
        clients = (0..<Self.batch).map { _ in HTTPTestClient(port: port) }
        admin = HTTPTestClient(port: try program.adminPort)
        oracle = Oracle(api)
        history = RevisionHistory(api.revision)
        generator = RequestGenerator(seed: seed, pool: RequestPool(api))
    }

    func stop() {
        for client in clients + [admin] { client.close() }
        program.kill()
        origin.stop()
    }

    /// - Parameter warmingUp: for so long at first it asks as fast as it can and judges nothing, so
    ///   that all that is remembered of requests fills to its bounds.
    func run(for duration: Duration, warmingUp: Duration) throws -> Outcome {
        let begin = ContinuousClock.now
        while ContinuousClock.now - begin < duration, outcome.wrong.count < 20 {
            let turn = ContinuousClock.now
            try everySecond((turn - begin) / .seconds(1))
            let requests = (0..<Self.batch).map { _ in generator.next() }
            let replies = ask(requests)
            let isWarm = turn - begin >= warmingUp
            for (request, reply) in zip(requests, replies) {
                if request.user == nil, let reply { generator.learn(from: reply.body) }
                if isWarm { judge(reply, to: request) } else { outcome.unjudged += 1 }
            }
            let rest = Duration.seconds(1) / Self.turns - (ContinuousClock.now - turn)
            if isWarm, rest > .zero { usleep(UInt32(rest / .microseconds(1))) }
        }
        guard program.isRunning else { throw ServedProgram.Failure(description: program.text) }
        // On a busy machine a turn may outlast the seconds in which a sample was due.
        outcome.samples.append(try sample((ContinuousClock.now - begin) / .seconds(1)))
        return outcome
    }

    /// Revisions, purges, reloads and bad clients, each in its own second.
    private func everySecond(_ seconds: Double) throws {
        let second = Int(seconds)
        guard second > lastSecond else { return }
        lastSecond = second
        if second % 5 == 0 { outcome.samples.append(try sample(seconds)) }
        if second % 7 == 3 { history.move(to: api.revise(), at: Int64(time(nil))) }
        if second % 11 == 5 { try purge(second) }
        if second % 13 == 7 { program.send(second % 2 == 0 ? SIGHUP : SIGUSR1) }
        if second % 3 == 1 { misbehave(second) }
    }

    private func sample(_ seconds: Double) throws -> Sample {
        let statm = try String(contentsOfFile: "/proc/\(program.id)/statm", encoding: .utf8)
        let metrics = String(decoding: try admin.send("GET", "/metrics").body, as: UTF8.self)
        let open = metrics.split(separator: "\n").first { $0.hasPrefix("process_open_fds ") }
        let journal = try? FileManager.default.attributesOfItem(atPath: folder.file("cache.sqlite-wal"))
        return Sample(
            seconds: seconds, residentBytes: (Self.second(in: statm) ?? 0) * Int(getpagesize()),
            descriptors: open.flatMap { Self.second(in: $0) } ?? 0,
            journalBytes: journal?[.size] as? Int ?? 0)
    }

    /// The second of the words in a line; nil where there is no such number.
    private static func second(in line: some StringProtocol) -> Int? {
        line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }

    private func purge(_ second: Int) throws {
        let selections = [
            "{\"prefix\":\"/v1/catalog/us/albums\"}", "{\"storefront\":\"gb\"}", "{\"all\":true,\"hard\":true}",
            "{\"url\":\"/v1/catalog/us/charts?types=albums\"}",
        ]
        _ = try admin.send(
            "POST", "/purge", fields: [("Content-Type", "application/json")],
            body: Data(selections[second / 11 % selections.count].utf8))
    }

    /// Sends a malformed request, half of a request, or a request whose answer is not read.
    private func misbehave(_ second: Int) {
        let texts = [
            "GET /v1 HTTP/1.1\r\nHost : a\r\n\r\n",
            "POST /v1/me/library HTTP/1.1\r\nHost: a\r\nContent-Length: 9999\r\n\r\n{",
            String.get("/v1/catalog/us/songs?ids=\(second),\(second + 1)"),
        ]
        guard let client = try? RawClient(port: UInt16((try? program.port) ?? 0)) else { return }
        try? client.send(texts[second / 3 % texts.count])
        client.close()
    }

    private func ask(_ requests: [OracleRequest]) -> [HTTPTestClient.Reply?] {
        let replies = Mutex<[Int: HTTPTestClient.Reply]>([:])
        let failures = Mutex<[String]>([])
        let clients = clients.map(ConfinedClient.init)
        concurrently(requests.count) { number in
            do {
                let reply = try requests[number].send(clients[number].client)
                replies.withLock { $0[number] = reply }
            } catch {
                clients[number].client.close()
                failures.withLock { $0.append("\(requests[number].target): \(error)") }
            }
        }
        outcome.wrong += failures.withLock { $0 }
        return replies.withLock { replies in requests.indices.map { replies[$0] } }
    }

    private func judge(_ reply: HTTPTestClient.Reply?, to request: OracleRequest) {
        guard let reply else { return }
        outcome.requests += 1
        let status = reply.field("Cache-Status") ?? ""
        if status.hasPrefix("refrain; hit") { outcome.hits += 1 }
        // The request took a while, and seconds begin for the proxy when they do for the test.
        let age = AnswerAge(lifetime: Self.lifetime, slack: 3)
        let now = Int64(time(nil))
        let difference =
            age.most(cacheStatus: status, age: reply.field("Age")).map { most in
                oracle.judge(reply, to: request, history.revisions(since: now - Int64(most)))
            } ?? Difference(path: "Age", reason: "older than it may be")
        if let difference { outcome.wrong.append("\(request.method) \(request.target) (\(status)): \(difference)") }
    }
}
