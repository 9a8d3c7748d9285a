import AppleMusic
import Foundation
import TestSupport

/// The program with its secrets, the people whom it serves, the operator, and the origin.
final class CanaryHouse {
    /// All that must not be found where it does not belong.
    let canaries: [Canary]
    /// Canaries that must be found, each in a place whose name begins so: the search works.
    let expected: [(canary: Canary, place: String)]
    let people: [CanaryPerson]
    let adminToken = Canary("the admin token")
    private let tierPassword = Canary("the shared tier's password")
    /// The engine of the shared tier; its files count as the program's.
    private let engine: RedisServer
    let origin: CanaryOrigin
    let folder: TemporaryFolder
    let program: ServedProgram

    /// - Parameter signsItself: whether the proxy has a key for developer tokens, a user's token to
    ///   lend and clients' keys; otherwise clients bring developer tokens of their own.
    init(signsItself: Bool) throws {
        people = ["anna", "ben", "carl", "stranger"].enumerated().map { number, name in
            CanaryPerson(name, hasKey: signsItself && number < 3, hasToken: number < 2, isOriginsBearer: !signsItself)
        }
        let lent = Canary("the lent token", home: ["origin personal music-user-token"])
        let lentLibrary = Canary("the lent library", home: ["client carl", "origin personal if-none-match"])
        let owners = people.compactMap { person in person.token.map { (token: $0, library: person.library) } }
        origin = try CanaryOrigin(libraries: owners + [(lent, lentLibrary)])
        folder = try TemporaryFolder()
        engine = try RedisServer(["--appendonly", "yes"])
        _ = try engine.run("CONFIG", "SET", "requirepass", tierPassword.text)
        var lines = [
            "shared_tier redis://127.0.0.1:\(engine.port)", "node_name one",
            "shared_tier_auth_file \(try folder.put("default \(tierPassword.text)", "tier-auth", mode: 0o600))",
            "admin_listen 127.0.0.1:0", "upstream http://127.0.0.1:\(origin.port)", "log_level debug", "workers 2",
            "cache_file \(folder.file("cache.sqlite"))", "record \(folder.file())", "ttl personal 5m",
            "ttl catalog 1s stale 1m", "access_log \(folder.file("access.log")) \(signsItself ? "json" : "combined")",
            "admin_token_file \(try folder.put(adminToken.text, "admin-token", mode: 0o600))",
        ]
        var signing: [Canary] = []
        if signsItself {
            let pem = try SigningKey.generatePEM().withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            signing = pem.split(separator: "\n").dropFirst().dropLast().map { Canary("the signing key", String($0)) }
            let keys = people.compactMap { person in person.key.map { "\(person.name) \($0.text)\n" } }.joined()
            lines += [
                "developer_key_file \(try folder.put(pem, "key.p8", mode: 0o600))", "developer_key_id ABC123DEFG",
                "developer_team_id DEF123GHIJ", "client_keys_file \(try folder.put(keys, "keys", mode: 0o600))",
                "music_user_token_file \(try folder.put(lent.text, "user-token", mode: 0o600))",
            ]
        }
        program = try ServedProgram(folder, lines.joined(separator: "\n"))
        canaries = people.flatMap(\.canaries) + signing + [lent, lentLibrary, adminToken, tierPassword]
        expected = Self.expected(of: people, origin.catalog) + (signsItself ? [(lentLibrary, "client carl")] : [])
    }

    private static func expected(of people: [CanaryPerson], _ catalog: Canary) -> [(canary: Canary, place: String)] {
        var expected: [(canary: Canary, place: String)] = [
            (catalog, "file cache.sqlite"), (catalog, "file traffic.jsonl"), (catalog, "engine appendonlydir"),
        ]
        for person in people {
            guard let token = person.token else { continue }
            expected.append((person.library, "client \(person.name)"))
            expected.append((token, "origin personal music-user-token"))
        }
        return expected
    }

    func stop() {
        program.kill()
        origin.stop()
    }

    /// The files that the program wrote; those that hold the secrets were given to it.
    func files() throws -> Evidence {
        let given: Set<String> = ["admin-token", "key.p8", "keys", "user-token", "tier-auth", program.configuration]
        var evidence = Evidence()
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        for name in names where !given.contains(name) && !name.hasSuffix(".segments") {
            evidence.add("file \(name)", Data(try folder.bytes(name)))
        }
        for name in try FileManager.default.subpathsOfDirectory(atPath: engine.folder.path) {
            let bytes = FileManager.default.contents(atPath: engine.folder.file(name))
            evidence.add("engine \(name)", bytes ?? Data())
        }
        return evidence
    }

    /// The data that other processes can see without reading its memory.
    func process() -> Evidence {
        var evidence = Evidence()
        for name in ["cmdline", "environ", "comm"] {
            let bytes = FileManager.default.contents(atPath: "/proc/\(program.id)/\(name)")
            evidence.add("process \(name)", bytes ?? Data())
        }
        return evidence
    }
}
