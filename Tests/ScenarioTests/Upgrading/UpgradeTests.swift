import EventLoop
import Foundation
import Server
import Simulator
import TestSupport
import Testing

/// SIGUSR2: another process takes the place of the one that runs, and no client notices.
@Suite(.serialized, .timeLimit(.minutes(10)), .requires(.binary)) struct UpgradeTests {
    private static let song = "/v1/catalog/us/genres"

    private static func cacheStatus(_ port: Int, _ target: String = song) throws -> String {
        let reply = try HTTPTestClient(port: port).send("GET", target)
        return reply.field("Cache-Status") ?? "\(reply.status)"
    }

    private static func isHit(_ port: Int, _ target: String = song) throws -> Bool {
        try cacheStatus(port, target).contains("; hit")
    }

    // MARK: Clients

    @Test func noRequestFailsWhileItIsReloadedAndUpgraded() throws {
        let origin = try ServiceHost.serving(SimulatedAPI.open())
        defer { origin.stop() }
        let program = try UpgradedProgram("")
        let (authority, certificate) = try program.makeCertificate(for: "127.0.0.1")
        let lines = """
            listen 127.0.0.1:0
            listen 127.0.0.1:0 tls
            \(certificate)
            admin_listen unix:@/admin
            upstream http://\(origin.address)
            workers 2

            """
        try program.configure(lines)
        try program.start()
        let (port, tlsPort) = (try program.port(), try program.port("https"))
        let idle = try RawClient(port: UInt16(port))
        try idle.send(.get(Self.song))
        #expect(!idle.readSome().isEmpty)
        let first = program.process
        let sockets = program.listeningSockets
        let tls = try ClientTLS(trustAnchors: .pem(authority.certificatePEM()))
        let load = try UpgradeLoad(
            ports: [(port, nil), (tlsPort, tls)], clients: TestSize.of(8, full: 16), gap: .milliseconds(15))
        let count = TestSize.of(3, full: 10, release: 100)
        let begin = ContinuousClock.now
        for number in 0..<count {
            let before = load.requests
            try program.reload(lines + "upstream_connections \(20 + number)")
            try program.upgrade()
            // Under load again, or it is not seen how the next one does.
            waitUntil(within: 60) { load.requests > before + 100 }
            if TestSize.isFull { waitUntil { ContinuousClock.now >= begin + .seconds(number + 1) } }
            if number == 2 { try Self.expectOneMoreAnswer(idle, of: first) }
        }
        let figures = load.finish()
        FigureTable.note("F13 upgrades", "\(count) in \(ContinuousClock.now - begin): \(figures)")
        #expect(figures.failures.isEmpty && figures.closedWhileIdle == 0)
        #expect(figures.reconnects >= count)
        #expect(try program.port() == port && program.port("https") == tlsPort)
        #expect(program.times(" error: ") == 0, "\(program.log.suffix(3000))")
        // Two loops with two listeners each, and the admin listener; unless sockets cannot be
        // listed. A test that runs at the same time may have left it one more.
        #expect(program.listeningSockets == sockets && (sockets.isEmpty || sockets.count >= 5), "\(sockets)")
        program.stop()
        #expect(try !program.folder.names.contains("admin"))
    }

    /// Expects one more answer on a connection that was idle before its process had a successor.
    private static func expectOneMoreAnswer(_ idle: RawClient, of process: pid_t) throws {
        #expect(UpgradedProgram.isRunning(process))
        try idle.send(.get(song))
        let (answer, ended) = idle.readToEnd()
        #expect(String(decoding: answer, as: UTF8.self).contains("Connection: close\r\n") && ended)
        idle.close()
        waitUntil(within: 60) { !UpgradedProgram.isRunning(process) }
    }

    @Test func aServiceManagerLearnsTheNewProcess() throws {
        let origin = try FakeOrigin()
        let (socket, port) = try RawSocket.listening()
        defer { socket.close() }
        let place = try TemporaryFolder()
        let manager = try NotifySocket(Array(place.file("notify").utf8))
        func next() -> String { manager.receive(within: 60_000) }
        let program = try UpgradedProgram(
            before: origin.port, listen: "127.0.0.1:\(port)",
            variables: ["NOTIFY_SOCKET": place.file("notify"), "WATCHDOG_USEC": "86400000000"],
            socket: socket.descriptor)
        #expect(next().hasPrefix("READY=1\n"))
        for _ in 0..<2 {
            try program.upgrade()
            #expect(next() == "MAINPID=\(program.process)")
            #expect(next().hasPrefix("READY=1\n"))
            #expect(next() == "WATCHDOG=1")
            #expect(try HTTPTestClient(port: Int(port)).send("GET", Self.song).status == 200)
        }
        program.stop()
        #expect(next().hasPrefix("STOPPING=1\n"))
        // It waits in the queue of the socket that the test, as its keeper, still has.
        #expect(throws: Never.self) { try RawClient(port: port) }
    }

    /// It is told by GOAWAY, and gets the answers that it waits for.
    @Test(.requires(.nghttp2)) func aClientOfHTTP2GoesOverToTheNewProcess() throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let origin = try FakeOrigin(after: mayAnswer)
        let program = try UpgradedProgram("")
        let (authority, certificate) = try program.makeCertificate(for: "localhost")
        let lines = "listen 127.0.0.1:0 tls\n\(certificate)\nadmin_listen off\nworkers 2\n"
        try program.configure(lines + "upstream http://127.0.0.1:\(origin.port)")
        try program.start()
        let port = UInt16(try program.port("https"))
        let client = try HTTP2TestClient(port: port, authority)
        client.get([1]) { _ in Self.song }
        waitUntil { !origin.requests.isEmpty }
        try program.upgrade()
        waitUntil { client.goodbye != nil }
        #expect(client.goodbye == 0)
        for _ in 0..<2 { mayAnswer.signal() }
        #expect(client.answer(1) == "{}")
        client.close()
        let other = try HTTP2TestClient(port: port, authority)
        #expect(other.ask("/v1/catalog/us/songs/2", stream: 1) == "{}")
        program.stop()
    }

    // MARK: The cache and the admin listener

    @Test func whatIsStoredGoesFromProcessToProcess() throws {
        let origin = try FakeOrigin()
        let program = try UpgradedProgram(before: origin.port)
        let port = try program.port()
        #expect(try !Self.isHit(port) && Self.isHit(port))
        // Queued for the file when the upgrade begins.
        #expect(try !Self.isHit(port, "/v1/storefronts/us"))
        try program.upgrade()
        #expect(try Self.isHit(port) && Self.isHit(port, "/v1/storefronts/us"))
        #expect(program.folder.text("cache.sqlite.lock") == "\(program.process)\n")
        #expect(try !Self.isHit(port, "/v1/storefronts/gb"))
        try program.upgrade()
        program.stop()
        #expect(program.times("memory") == 0 && program.times(" error: ") == 0, "\(program.log)")
        try program.start()
        for target in [Self.song, "/v1/storefronts/us", "/v1/storefronts/gb"] {
            #expect(try Self.isHit(program.port(), target))
        }
        program.stop()
        #expect(try program.folder.names.allSatisfy { !$0.contains("corrupt") })
    }

    // MARK: Upgrades that come to nothing

    @Test func aNewProgramThatDoesNotGetReadyChangesNothing() throws {
        let origin = try FakeOrigin()
        let lines = "listen 127.0.0.1:0\nadmin_listen off\nupstream http://127.0.0.1:\(origin.port)\nworkers 2\n"
        let program = try UpgradedProgram(lines)
        try program.start()
        let (port, process) = (try program.port(), program.process)
        #expect(try !Self.isHit(port))
        try program.configure(lines + "ttl songs\n")
        try program.failToUpgrade("ended with exit code 78")
        try program.configure(lines)
        try program.install("exit 3")
        try program.failToUpgrade("ended with exit code 3")
        try program.install("kill -SEGV $$")
        try program.failToUpgrade("ended by signal 11")
        try program.folder.remove("refrain")
        try program.failToUpgrade("No such file or directory")
        // This one is let in first: the old one has stepped back by then.
        try program.install("printf p >&3; head -c 1 <&3; exit 4")
        try program.failToUpgrade("ended with exit code 4")
        #expect(program.process == process && UpgradedProgram.isRunning(process))
        #expect(try Self.isHit(port) && !Self.isHit(port, "/v1/storefronts/us"))
        #expect(program.folder.text("cache.sqlite.lock") == "\(process)\n")
        try program.install()
        try program.upgrade()
        // It was stored after the upgrade that failed last.
        #expect(try Self.isHit(port) && Self.isHit(port, "/v1/storefronts/us"))
        program.stop()
    }

    /// The log said "ended by signal 9": the old process killed the new one while it said why.
    @Test func aFailedUpgradeSaysWhyInTheWordsOfTheStart() throws {
        let origin = try FakeOrigin()
        let lines = "listen 127.0.0.1:0\nadmin_listen off\nupstream http://127.0.0.1:\(origin.port)\nworkers 2\n"
        let program = try UpgradedProgram(lines)
        try program.start()
        let (port, process) = (try program.port(), program.process)
        let (taken, takenPort) = try RawSocket.listening()
        defer { taken.close() }
        let key = try program.folder.put("short", "key", mode: 0o644)
        let missing = program.folder.file("missing/access.log")
        for (line, words) in [
            ("ttl songs", "proxy.conf:7: ttl"),
            ("colour blue\nttl songs", "proxy.conf:8: ttl"),
            ("access_log \(missing)", "access_log: \(missing): open: No such file or directory"),
            ("listen 127.0.0.1:\(takenPort)", "127.0.0.1:\(takenPort): bind: Address already in use"),
            ("listen 127.0.0.1:0 tls\ntls_certificate \(key)\ntls_certificate_key \(key)", "tls_certificate"),
            ("client_keys_file \(key)", "client_keys_file"),
            ("developer_token_file \(key)", "developer_token_file"),
            ("shared_tier redis://127.0.0.1:1\nshared_tier_auth_file \(key)", "shared_tier_auth_file"),
            ("cache_file /dev/null", "cache_file"),
        ] {
            try program.configure(lines + line)
            try program.failToUpgrade(words)
            #expect(program.times("ended by signal") == 0, "\(program.log)")
        }
        #expect(program.process == process && UpgradedProgram.isRunning(process))
        #expect(try !Self.isHit(port) && Self.isHit(port))
        try program.configure(lines)
        try program.upgrade()
        program.stop()
    }

    /// A successor is killed before it is ready; the stop ends the next one.
    @Test func oneUpgradeAtATimeAndAStopEndsIt() throws {
        let program = try UpgradedProgram(before: 9)
        /// Begins an upgrade to a program that does not get ready.
        func begin(_ number: Int) throws -> pid_t {
            try program.install("exec sleep 600")
            kill(program.process, SIGUSR2)
            try program.wait("SIGUSR2: started", times: number)
            let child = program.log.matches(of: /as process ([0-9]+)/).last.flatMap { pid_t($0.output.1) }
            return try #require(child)
        }
        kill(try begin(1), SIGTERM)
        try program.wait("not upgraded, this process continues", times: 1)
        #expect(program.log.contains("ended by signal 15"))
        // A reload that was asked for meanwhile, and the next upgrade, are carried out.
        kill(program.process, SIGHUP)
        try program.wait("SIGHUP: reloaded", times: 1)
        try program.install()
        let old = try program.upgrade()
        waitUntil(within: 60) { !UpgradedProgram.isRunning(old) }
        let stopped = program.times("refrain: info: stopped\n")
        let child = try begin(3)
        kill(program.process, SIGUSR2)
        try program.wait("SIGUSR2: ignored: an upgrade is under way", times: 1)
        #expect(UpgradedProgram.isRunning(child))
        program.stop()
        #expect(program.times("SIGUSR2: not upgraded: the proxy is stopping") == 1)
        #expect(program.process == 0 && !UpgradedProgram.isRunning(child))
        #expect(program.times("refrain: info: stopped\n") == stopped + 1, "\(program.log)")
    }
}
