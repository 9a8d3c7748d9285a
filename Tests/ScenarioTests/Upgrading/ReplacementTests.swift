import Foundation
import Synchronization
import TestSupport
import Testing

/// F13b: the program is replaced again and again, by SIGUSR2 or by a restart on a socket that is
/// kept, while operators purge and users write. Passes where no answer is older than a purge or a
/// write that was acknowledged when it was asked for.
@Suite(.serialized, .timeLimit(.minutes(60)), .requires(.binary)) struct ReplacementTests {
    private static let count = TestSize.of(2, full: 5, release: 100)

    @Test func noUpgradeBringsBackWhatWasPurgedOrChanged() throws {
        let scene = try Scene()
        try scene.run("upgrades") { try scene.program.upgrade() }
    }

    @Test func noRestartBringsBackWhatWasPurgedOrChanged() throws {
        let (socket, port) = try RawSocket.listening()
        defer { socket.close() }
        let scene = try Scene(port: Int(port), socket: socket.descriptor)
        try scene.run("restarts") {
            scene.program.stop()
            try scene.program.start()
        }
    }

    /// Versions of answers, from 1 on, which only grow, and those that were promised.
    private final class Versions: Sendable {
        private let versions = Mutex((now: [String: Int](), promised: [String: Int]()))

        func now(_ name: String) -> Int { versions.withLock { $0.now[name] ?? 1 } }
        func promised(_ name: String) -> Int { versions.withLock { $0.promised[name] ?? 1 } }

        @discardableResult func bump(_ name: String) -> Int {
            versions.withLock { versions in
                versions.now[name, default: 1] += 1
                return versions.now[name] ?? 1
            }
        }

        func promise(_ version: Int, of name: String) {
            versions.withLock { $0.promised[name] = max(version, $0.promised[name] ?? 1) }
        }
    }

    private struct Figures: CustomStringConvertible {
        var answers = 0
        var hits = 0
        var personalHits = 0
        var purges = 0
        var writes = 0
        var outdated: [String] = []
        var failed: [String] = []

        var description: String {
            "\(answers) answers (\(hits) hits, \(personalHits) of users' own), \(purges) purges, \(writes) writes; "
                + "\(outdated.count) outdated, \(failed.count) failed"
        }
    }

    private final class Scene: @unchecked Sendable {  // because only `run` touches the program
        let program: UpgradedProgram
        private let origin: FakeOrigin
        private let versions: Versions
        private let port: Int
        private let figures = Mutex(Figures())
        private let isOver = Atomic<Bool>(false)

        private static let (songs, users) = (6, 3)

        init(port: Int = 0, socket: Int32? = nil) throws {
            let versions = Versions()
            origin = try FakeOrigin { request in
                let user = request.field("Music-User-Token")
                if request.method != "GET" { versions.bump(user ?? "") }
                guard request.method == "GET" else { return FakeOrigin.Reply(status: 204, body: "") }
                let name = request.target.hasPrefix("/v1/me/") ? user ?? "" : request.target
                return FakeOrigin.Reply(body: "{\"data\":[{\"version\":\(versions.now(name))}]}")
            }
            self.versions = versions
            program = try UpgradedProgram(
                before: origin.port, listen: "127.0.0.1:\(port)", hasAdmin: true,
                "compose off\nttl personal 600s", socket: socket)
            self.port = try program.port()
        }

        /// Replaces the program again and again while clients ask, with purges before and after.
        func run(_ what: String, _ replace: () throws -> Void) throws {
            let group = DispatchGroup()
            for number in 0..<6 {
                group.enter()
                Thread.detachNewThread { [self] in
                    number < Self.users ? ask(asUser: number) : askForSongs(number)
                    group.leave()
                }
            }
            do {
                for number in 0..<ReplacementTests.count {
                    try purge(number)
                    try replace()
                    for other in 1...3 { try purge(number + other) }
                    awaitHits()
                }
            } catch {
                Issue.record("\(error)")
            }
            isOver.store(true, ordering: .relaxed)
            group.waitOrFail()
            program.stop()
            let figures = figures.withLock { $0 }
            FigureTable.note("F13b \(what) with purges and writes", "\(ReplacementTests.count): \(figures)")
            #expect(figures.outdated.isEmpty, "\(figures.outdated.prefix(5))")
            #expect(figures.failed.isEmpty, "\(figures.failed.prefix(5))")
            #expect(figures.hits > 0 && figures.writes > 0)
        }

        private func awaitHits() {
            let before = figures.withLock { $0 }
            waitUntil(within: 60) {
                let now = figures.withLock { $0 }
                return now.hits > before.hits + 20 && now.writes > before.writes
            }
        }

        private static func song(_ number: Int) -> String { "/v1/catalog/us/songs/\(number % songs)" }

        private func purge(_ number: Int) throws {
            let song = Self.song(number)
            let version = versions.bump(song)
            let answer = try program.purge("{\"url\":\"\(song)\",\"hard\":true}")
            #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
            versions.promise(version, of: song)
            figures.withLock { $0.purges += 1 }
        }

        private func askForSongs(_ seed: Int) {
            let client = HTTPTestClient(port: port)
            var number = seed
            while !isOver.load(ordering: .relaxed) {
                number += 1
                let song = Self.song(number)
                if ask(client, song, of: song) { figures.withLock { $0.hits += 1 } }
                usleep(5_000)
            }
        }

        /// Asks and writes as one user, who has no other write under way.
        private func ask(asUser number: Int) {
            let (user, client) = ("user\(number)", HTTPTestClient(port: port))
            var count = 0
            while !isOver.load(ordering: .relaxed) {
                count += 1
                if count % 10 == 0, (try? send(client, "DELETE", "/v1/me/library/songs/i.1", user))?.status == 204 {
                    versions.promise(versions.now(user), of: user)
                    figures.withLock { $0.writes += 1 }
                }
                if ask(client, "/v1/me/library/songs", of: user, user) { figures.withLock { $0.personalHits += 1 } }
                usleep(20_000)
            }
        }

        private func send(
            _ client: HTTPTestClient, _ method: String, _ target: String, _ user: String?
        ) throws -> HTTPTestClient.Reply {
            try client.send(method, target, fields: user.map { [("Music-User-Token", $0)] } ?? [])
        }

        /// Whether it was a hit.
        private func ask(_ client: HTTPTestClient, _ target: String, of name: String, _ user: String? = nil) -> Bool {
            let promised = versions.promised(name)
            do {
                let reply = try send(client, "GET", target, user)
                let body = String(decoding: reply.body, as: UTF8.self)
                let version = body.firstMatch(of: /"version":([0-9]+)/).flatMap { Int($0.output.1) }
                figures.withLock { figures in
                    figures.answers += 1
                    guard let version else { return figures.failed.append("\(name): \(reply.status)") }
                    if version < promised { figures.outdated.append("\(name): \(version), promised \(promised)") }
                }
                return reply.field("Cache-Status")?.contains("; hit") == true
            } catch {
                client.close()
                figures.withLock { $0.failed.append("\(name): \(error)") }
                return false
            }
        }
    }
}
