import EventLoop
import Foundation
import Synchronization
import TestSupport
import Testing
import Text

@testable import Admin
@testable import refrain

@Suite(.timeLimit(.minutes(10))) struct ReloaderTests {
    private func refusals(_ before: String, _ after: String) throws -> [String] {
        let running = try read(before).lines
        return try read(after).changesThatNeedRestart(since: running, path: "proxy.conf").map(\.description)
    }

    @Test func unchangeableDirectivesAreNamedWithTheirLine() throws {
        let text = "a reload cannot change it; send SIGUSR2 (an upgrade without a break), or restart the proxy"
        #expect(try refusals("workers 2", "\nworkers 3") == ["proxy.conf:2: workers: \(text)"])
        #expect(try refusals("workers 2", "") == ["proxy.conf: workers: \(text)"])
        let sizes = "cache_size 2GiB\nmemory_size 1MiB\ncache_file other.sqlite"
        #expect(try refusals("", sizes).count == 3)
        #expect(try refusals("cache_size 1GiB", "cache_size 1024MiB").isEmpty)
        #expect(try refusals("workers auto", "").isEmpty)
        #expect(try refusals("listen 127.0.0.1:1\ncompose on", "compose off\nttl songs 2h").isEmpty)
    }

    /// A configuration file that changes, and the proxy that was started with it.
    private final class Scene {
        private final class Holder: Sendable {
            let text = Mutex("")
            let outcome = Mutex<ReloadOutcome?>(nil)
        }

        /// The first line of every configuration.
        private static let start = "workers 2\n"
        private let scene: ProxyScene
        private let reloader: Reloader
        private let holder = Holder()

        var proxy: RunningProxy { scene.proxy }
        /// The outcome of the last reload.
        var outcome: ReloadOutcome? { holder.outcome.withLock { $0 } }

        init() throws {
            let current = try read(quiet(Self.start))
            scene = try ProxyScene(current.configuration)
            let files = FileAccess(
                read: { [holder] _ throws(FileProblem) in Array(holder.text.withLock { $0 }.utf8) },
                problem: { _ in nil }, secretProblem: { _, _ in nil }, secretSum: FileAccess.system.secretSum)
            let manager = ServiceManager({ _ in nil }, process: 1)
            reloader = Reloader(ConfigurationFile(named: "proxy.conf"), files, current, scene.proxy, scene.log, manager)
        }

        /// A client of the admin listener where it is now.
        func admin() throws -> HTTPTestClient { HTTPTestClient(port: Int(try #require(proxy.adminAddress).port)) }

        /// Reloads with another admin listener.
        func moveAdmin(to listen: String) { #expect(reload(adding: "admin_listen \(listen)").contains("reloaded")) }

        /// Reloads and waits for the end of it; the new line of the log.
        func reload(adding lines: String, because cause: String = "SIGHUP") -> String {
            holder.text.withLock { $0 = quiet(Self.start + lines) }
            holder.outcome.withLock { $0 = nil }
            let before = scene.captured.error.count
            reloader.request(cause) { @Sendable [holder] outcome in holder.outcome.withLock { $0 = outcome } }
            waitUntil { outcome != nil }
            return String(scene.captured.error.dropFirst(before))
        }
    }

    /// Errors of settings that were found wrong when they were put to use had no place.
    @Test func aLogThatCannotBeOpenedNamedNoLine() throws {
        let (folder, scene) = (try TemporaryFolder(), try Scene())
        let line = scene.reload(adding: "compose off\naccess_log \(folder.file("no/access.log"))\n")
        #expect(line.contains("nothing was changed: proxy.conf:3: access_log: \(folder.file("no/access.log")): "))
        // No line, or each of several, may be meant.
        let effective = try read(quiet("listen 127.0.0.1:0\nlisten 127.0.0.1:1"))
        for message in ["listen: a", "access_log", "workers: a"] {
            #expect(throws: CommandFailure.failed(message)) {
                try effective.placingFailures { () throws(CommandFailure) in throw .failed(message) }
            }
        }
    }

    @Test func aBadConfigurationChangesNothingAndIsTold() throws {
        let scene = try Scene()
        let admin = try scene.admin()
        let first = scene.reload(adding: "compose off\nttl songs 2h\n")
        #expect(first.contains("SIGHUP: reloaded proxy.conf (changed: ttl none -> songs 2h; compose on -> off)\n"))
        #expect(scene.outcome == .adopted(changed: ["ttl", "compose"], ending: 0))
        #expect(String(decoding: try admin.send("GET", "/readyz").body, as: UTF8.self) == "ready\n")
        let line = scene.reload(adding: "listen 127.0.0.1:0\nlisten 127.0.0.1:1\nnonsense\nnext never\n")
        let mistakes = ["4: unknown directive \"nonsense\"", "5: next: \"never\" is not keep or complete"].map {
            "proxy.conf:" + $0
        }
        #expect(line == "refrain: error: SIGHUP: nothing was changed: \(mistakes.joined(separator: "; "))\n")
        #expect(scene.outcome == .refused(mistakes))
        let ready = try admin.send("GET", "/readyz")
        #expect(ready.status == 200)
        #expect(String(decoding: ready.body, as: UTF8.self).hasPrefix("ready; the last reload failed"))
        #expect(scene.proxy.addresses.count == 1)
        #expect(scene.reload(adding: "compose off\nttl songs 120m\n").contains("(no setting has changed)"))
        // Such a reload was reported as a success like others.
        #expect(scene.outcome == .adopted(changed: [], ending: 0))
        let posted = scene.reload(adding: "compose maybe\n", because: "POST /reload")
        #expect(posted.contains("POST /reload: nothing was changed: proxy.conf:2: compose: "))
        #expect(scene.reload(adding: "memory_size 1MiB\n").contains("proxy.conf:2: memory_size: a reload cannot"))
        // Two loops need a connection each.
        let few = scene.reload(adding: "upstream_connections 1\n")
        #expect(few.contains("nothing was changed: proxy.conf:2: upstream_connections: "))
        #expect(scene.reload(adding: "upstream_connections 2\n").contains("reloaded"))
        let status = scene.proxy.reloads.snapshot
        #expect(status.succeeded == 3 && status.failed == 4 && status.lastFailure == nil && status.lastSuccess != nil)
        #expect(String(decoding: try admin.send("GET", "/readyz").body, as: UTF8.self) == "ready\n")
    }

    /// After a leaked key was taken out of the file, no setting had changed, said the log.
    @Test func aFileThatSaysSomethingElseIsNamed() throws {
        let scene = try Scene()
        let folder = try TemporaryFolder()
        func write(_ lines: String) throws { try folder.put(lines, "keys", mode: 0o600) }
        let player = "player \(String(repeating: "b", count: 40))\n"
        try write("phone \(String(repeating: "a", count: 40))\n" + player)
        let line = "client_keys_file \(folder.file("keys"))\n"
        let first = scene.reload(adding: line)
        #expect(first.contains("(changed: client_keys_file none -> \(folder.file("keys")))") && !first.contains("bbbb"))
        #expect(scene.reload(adding: line).contains("(no setting has changed)"))
        try write(player)
        #expect(scene.reload(adding: line).contains("(changed: client_keys_file (its file))"))
    }

    @Test func theAdminListenerMovesAndItsTokenChanges() throws {
        let folder = try TemporaryFolder()
        let token = try folder.put("the-first-of-them", "token", mode: 0o600)
        let scene = try Scene()
        let port = try #require(scene.proxy.adminAddress).port
        let client = try scene.admin()
        func status(_ token: String) throws -> Int {
            try client.send("GET", "/stats", fields: [("Authorization", "Bearer \(token)")]).status
        }
        func startedAt() throws -> JSON? {
            try JSON.parse(Array(scene.admin().send("GET", "/stats").body))["started_at"]
        }
        let start = try startedAt()
        #expect(try status("none") == 200)
        #expect(scene.reload(adding: "admin_token_file \(token)\n").contains("reloaded"))
        #expect(try status("none") == 401 && status("the-first-of-them") == 200)
        try folder.put("the-second-of-them".utf8, "token")
        #expect(scene.reload(adding: "admin_token_file \(token)\n").contains("reloaded"))
        #expect(try status("the-first-of-them") == 401 && status("the-second-of-them") == 200)
        #expect(scene.proxy.adminAddress?.port == port)
        try folder.put("short".utf8, "token")
        let short = "proxy.conf:2: admin_token_file: \(token): must contain a token of at least 16 bytes"
        #expect(scene.reload(adding: "admin_token_file \(token)\n").contains("nothing was changed: \(short)"))
        #expect(try status("the-second-of-them") == 200)
        scene.moveAdmin(to: "off")
        #expect(scene.proxy.adminAddress == nil)
        waitUntil { (try? RawClient(port: port)) == nil }
        // The clock counts whole seconds.
        let second = Int(Date().timeIntervalSince1970)
        waitUntil { Int(Date().timeIntervalSince1970) > second }
        #expect(scene.reload(adding: "").contains("reloaded"))
        #expect(try startedAt() == start, "the listener is another one, the proxy is not")
        #expect(try scene.admin().send("GET", "/readyz").status == 200)
    }

    /// The second address was not listened on after the one reload, and still was after the other.
    @Test(.enabled(if: Listener.isOfThisMachine(SocketAddress(host: "::1", port: 0)!)))
    func theAdminListenerTakesBothAddressesOfLocalhost() throws {
        let scene = try Scene()
        let port = try #require(scene.proxy.adminAddress).port
        let other = try #require(SocketAddress(host: "::1", port: port))
        func listen(_ host: String) throws {
            scene.moveAdmin(to: "\(host):\(port)")
            #expect(try HTTPTestClient(port: Int(port)).send("GET", "/healthz").status == 200)
        }
        try listen("127.0.0.1")
        try Listener.rehearse(other)
        try listen("localhost")
        #expect(throws: SystemError(call: "bind", errno: EADDRINUSE)) { try Listener.rehearse(other) }
        try listen("127.0.0.1")
        waitUntil { (try? Listener.rehearse(other)) != nil }
    }

    @Test func theSocketFileIsGoneWhenTheProxyHasStopped() throws {
        let folder = try TemporaryFolder()
        var scene: Scene? = try Scene()
        scene?.moveAdmin(to: "unix:\(folder.file("socket"))")
        #expect(folder.has("socket"))
        scene = nil
        #expect(!folder.has("socket"))
    }

    /// No client could reach the listener, and a reload said that nothing had changed.
    @Test func aDeletedSocketFileIsMadeAgain() throws {
        let folder = try TemporaryFolder()
        let (path, scene) = (folder.file("socket"), try Scene())
        let line = "admin_listen unix:\(path)\n"
        func isReached() -> Bool {
            guard let address = SocketAddress(path: path) else { return false }
            return (try? Listener.rehearse(address)) == nil
        }
        scene.moveAdmin(to: "unix:\(path)")
        #expect(isReached() && !scene.reload(adding: line).contains("made again"))
        try FileManager.default.removeItem(atPath: path)
        #expect(!isReached())
        let words = scene.reload(adding: line)
        #expect(words.contains("admin_listen: unix:\(path) was missing, and was made again") && isReached())
        #expect(words.contains("no setting has changed"))
        // The former socket took no file with it.
        #expect(scene.reload(adding: line).contains("no setting has changed") && isReached())
    }
}
