import Foundation
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Admin

// A day in that house: people's requests, the ways in which it goes wrong, the operator's actions
// meanwhile, and in the end everything that was written and sent.

extension CanaryHouse {
    /// - Returns: every byte that the program wrote or sent to anyone.
    func live() throws -> Evidence {
        guard program.listens() else { throw ServedProgram.Failure(description: program.text) }
        let (port, adminPort) = (try program.port, try program.adminPort)
        let events = EventListener(port: adminPort, token: adminToken.text)
        let seen = Mutex(process())
        // Side by side, so that they wait for one another's answers; twice, so that there are hits,
        // and once more when the stored answers have become stale.
        for round in 0..<3 {
            if round == 2 { usleep(1_100_000) }
            let people = people
            concurrently(people.count) { number in
                let evidence = Self.visit(people[number], port)
                seen.withLock { $0.add(evidence) }
            }
            // Reloads and rotations log lines too.
            program.send(round == 0 ? SIGUSR1 : SIGHUP)
        }
        var evidence = seen.withLock { $0 }
        evidence.add(try operate(adminPort))
        spoilSecrets()
        evidence.add("admin /events", events.stop())
        evidence.add(try commands(adminPort))
        let status = program.stop()
        guard status == 0 else { throw ServedProgram.Failure(description: "status \(status): \(program.text)") }
        evidence.add(try files())
        evidence.add(origin.evidence)
        evidence.add(try exports())
        return evidence
    }

    // MARK: - People

    private static let shared = [
        "/v1/catalog/us/songs/7", "/v1/catalog/us/songs?ids=7,8", "/v1/catalog/us/search?term=moon&types=songs",
        "/v1/catalog/us/charts?types=songs", "/v1/storefronts/us", "/v1/catalog/us/songs/9?fault=500",
        "/v1/catalog/us/songs/9?fault=404", "/v1/catalog/us/songs/9?fault=401", "/v1/catalog/us/songs/9?fault=end",
        "/elsewhere/9", "/elsewhere/9?fault=403", "//v1/me/library", "/v1/%6de/library/songs", "/v1/catalog/../me",
    ]

    private static func visit(_ person: CanaryPerson, _ port: Int) -> Evidence {
        var evidence = Evidence()
        let client = HTTPTestClient(port: port)
        let word = person.writing.text
        let personal = [
            "/v1/me/library/songs", "/v1/me/library/songs/\(word)", "/v1/me/library/search?term=\(word)&types=songs",
            "/v1/catalog/us/songs/7?include=library", "/v1/catalog/us/songs/7?relate=library&l=\(word)",
            "/v1/me/recommendations?fault=500&x=\(word)", "/v1/me/history/heavy-rotation?fault=403",
            "/v1/me/storefront?fault=end&x=\(word)",
        ]
        for target in shared + personal {
            for (method, fields) in [
                ("GET", []), ("GET", [("Cache-Control", "no-cache")]), ("HEAD", []), ("GET", [("Range", "bytes=0-9")]),
                ("GET", [("If-None-Match", "\"\(CanaryOrigin.isPersonal(target) ? person.library.text : "0")\"")]),
                ("OPTIONS", []),
            ] { evidence.add(ask(client, person, method, target, fields)) }
        }
        let list = Data("{\"attributes\":{\"name\":\"\(word)\"}}".utf8)
        for (method, target) in [("POST", "/v1/me/library/playlists"), ("DELETE", "/v1/me/ratings/songs/\(word)")] {
            evidence.add(ask(client, person, method, target, [], list))
        }
        for request in malformed(person) {
            // Nothing of a request that cannot be read is said to anyone, not even to its sender.
            guard let client = try? RawClient(port: UInt16(port)) else { continue }
            try? client.send(request)
            evidence.add("refusal to \(person.name)", Data(client.read(patience: .seconds(5))))
        }
        return evidence
    }

    private static func ask(
        _ client: HTTPTestClient, _ person: CanaryPerson, _ method: String, _ target: String,
        _ fields: [(String, String)], _ body: Data? = nil
    ) -> Evidence {
        var evidence = Evidence()
        let place = "client \(person.name)"
        do {
            let reply = try client.send(method, target, fields: person.fields + fields, body: body)
            evidence.add(place, reply)
            if reply.field("Content-Encoding") == "gzip", let plain = try? Gzip.system.inflate(Array(reply.body)) {
                evidence.add(place, Data(plain))
            }
        } catch {
            client.close()
        }
        return evidence
    }

    /// Requests that are refused for their form, with everything in them that is secret.
    private static func malformed(_ person: CanaryPerson) -> [String] {
        let word = person.writing.text
        let fields = person.fields + [("Connection", "close")]
        let head = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
        let start = "GET /v1/me/library/songs/\(word) HTTP/1.1\r\nHost: a\r\n\(head)"
        return [
            start + "No colon \(word)\r\n\r\n", start + "Host: \(word)\r\n\r\n", start + "X: \u{1}\(word)\r\n\r\n",
            start + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n\(word)",
            start + "Transfer-Encoding: chunked\r\n\r\n\(word)\r\n\r\n",
            start + "X: " + String(repeating: word, count: 2_000) + "\r\n\r\n",
            "GET /\(word)#\(word) HTTP/1.1\r\nHost: a\r\n\(head)\r\n", "\(word) \(word) \(word)\r\n\(head)\r\n",
            "TRACE /v1/me/\(word) HTTP/1.1\r\nHost: a\r\n\(head)\r\n",
            "GET /v1/me/%zz\(word) HTTP/1.1\r\nHost: a\r\n\(head)\r\n",
        ]
    }

    // MARK: - The operator

    /// Every endpoint, with the token and without.
    private func operate(_ port: Int) throws -> Evidence {
        var evidence = Evidence()
        let client = HTTPTestClient(port: port)
        let bearer = ("Authorization", "Bearer \(adminToken.text)")
        let query = "?url=/v1/catalog/us/songs/7&body=1"
        for endpoint in AdminEndpoint.table where endpoint.path != "/events" {
            for target in [endpoint.path, endpoint.path + query, endpoint.path + "?user=1&url=/v1/me/library/songs"] {
                for fields in [[], [bearer]] {
                    evidence.add("admin \(endpoint.path)", try client.send("GET", target, fields: fields))
                }
            }
        }
        for (target, body) in [
            ("/login", "token=\(adminToken.text)x"), ("/login", "token=\(adminToken.text)"),
            ("/login", "tokens=\(adminToken.text)"), ("/recording", "{\"on\":false}"), ("/recording", "{\"on\":true}"),
            ("/purge", "{\"url\":\"/v1/catalog/us/songs/8\"}"),
        ] {
            let kind = target == "/login" ? "application/x-www-form-urlencoded" : "application/json"
            let fields = [bearer, ("Content-Type", kind), ("Origin", "http://127.0.0.1:\(port)")]
            let reply = try client.send("POST", target, fields: fields, body: Data(body.utf8))
            evidence.add("admin POST \(target)", reply)
        }
        return evidence
    }

    /// A reload that cannot use a file with a secret names the file, and not its content.
    private func spoilSecrets() {
        for name in ["admin-token", "keys", "user-token", "tier-auth", "key.p8"] {
            guard let secret = try? folder.bytes(name) else { continue }
            reload { _ = try? folder.put(secret + Array(" behind\nit ".utf8) + secret, name) }
            reload { _ = try? folder.put(secret, name) }
        }
    }

    /// Reloads after a change, and waits for the outcome.
    private func reload(after change: () -> Void) {
        let outcomes = { [program] in program.text.components(separatedBy: "SIGHUP: ").count }
        let before = outcomes()
        change()
        program.send(SIGHUP)
        waitUntil { outcomes() > before }
    }

    /// The output of the commands that an operator types at a running proxy.
    private func commands(_ port: Int) throws -> Evidence {
        let admin = ["--admin", "http://127.0.0.1:\(port)", "--admin-token-file", folder.file("admin-token")]
        return try run([
            ["stats"] + admin, ["stats", "--json"] + admin, ["list"] + admin,
            ["inspect", "/v1/catalog/us/songs/7"] + admin, ["explain", "/v1/me/library/songs"] + admin,
            ["record", "status"] + admin,
            ["purge", "--url", "/v1/catalog/us/songs/7"] + admin,
            ["check", "--config", folder.file(program.configuration)],
            ["check", "--json", "--config", folder.file(program.configuration)],
            ["token", "--config", folder.file(program.configuration)],
        ])
    }

    /// The output of the commands that read the recording.
    private func exports() throws -> Evidence {
        var evidence = try run([
            ["record", "export", folder.file(), "--har", folder.file("traffic.har")],
            ["replay", "--dry-run", "--html", folder.file("report.html"), folder.file()],
        ])
        for name in ["traffic.har", "report.html"] where folder.has(name) {
            evidence.add("file \(name)", Data(try folder.bytes(name)))
        }
        return evidence
    }

    private func run(_ commands: [[String]]) throws -> Evidence {
        var evidence = Evidence()
        let tool = Tool(at: BinaryUnderTest.path ?? "")
        for words in commands { evidence.add("command \(words[0])", try tool.run(words).text) }
        return evidence
    }
}

/// Reads the stream of events as the dashboard does, until it is stopped.
private final class EventListener: Sendable {
    private let client: RawClient?
    private let text = Mutex([UInt8]())
    private let isOver = DispatchSemaphore(value: 0)
    private let isStopping = Mutex(false)

    init(port: Int, token: String) {
        client = try? RawClient(port: UInt16(port))
        try? client?.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: Bearer \(token)\r\n\r\n")
        Thread.detachNewThread { [self] in
            while let client, !client.sawEnd, !isStopping.withLock({ $0 }) {
                let bytes = client.readSome(patience: .milliseconds(100))
                text.withLock { $0 += bytes }
            }
            isOver.signal()
        }
    }

    func stop() -> Data {
        isStopping.withLock { $0 = true }
        isOver.waitOrFail()
        return Data(text.withLock { $0 })
    }
}
