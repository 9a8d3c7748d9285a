import AppleMusic
import Foundation
import TestSupport
import Testing

@testable import Cache
@testable import Store

/// The proxy as a process with a cache file, and its origin.
final class FaultHouse {
    let folder: TemporaryFolder
    let origin: FaultOrigin
    private var runs = 0

    /// - Parameter delay: of the origin's answers, in milliseconds.
    init(delay: UInt32 = 0) throws {
        folder = try TemporaryFolder()
        origin = try FaultOrigin(delay: delay)
        let pem = try SigningKey.generatePEM().withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        try folder.put(pem, "key.p8", mode: 0o600)
    }

    deinit { origin.stop() }

    var cacheFile: String { folder.file("cache.sqlite") }

    /// Starts the program and waits until it listens. Answers come as the origin gave them, and one
    /// request asks the origin once.
    ///
    /// - Parameters:
    ///   - lines: of the configuration, in addition to the usual ones.
    ///   - file: the cache file.
    ///   - key: the file of the signing key.
    ///   - upstream: the port of another origin, or of a relay before this one.
    ///   - runner: a program and its arguments that become the proxy.
    func start(
        _ lines: [String] = [], file: String? = nil, key: String? = nil, upstream: UInt16? = nil, runner: [String] = []
    ) throws -> ServedProgram {
        runs += 1
        let defaults = [
            "upstream http://127.0.0.1:\(upstream ?? origin.port)", "access_log off", "workers 2", "compose off",
            "windows off",
            "batch off", "superset_includes off", "ttl personal 5m", "cache_file \(file ?? cacheFile)",
            "developer_key_file \(key ?? folder.file("key.p8"))", "developer_key_id ABC123DEFG",
            "developer_team_id DEF123GHIJ",
        ]
        let program = try ServedProgram(
            folder, named: "run\(runs % 4)", (defaults + lines).joined(separator: "\n"), runner: runner)
        guard program.listens() else {
            throw ServedProgram.Failure(description: "it does not start: \(program.text.suffix(2_000))")
        }
        return program
    }

    /// Asks for these albums once each, and ends the proxy properly. What it stores is of that
    /// upstream (`start`).
    func fill(_ albums: Range<Int>, _ lines: [String] = [], upstream: UInt16? = nil) throws {
        let program = try start(lines, upstream: upstream)
        let tally = Tally()
        try program.ask(albums, tally)
        let status = program.stop()
        guard status == 0, tally.now.right == albums.count else {
            throw ServedProgram.Failure(description: "\(status), \(tally.now): \(program.text.suffix(2_000))")
        }
    }
}

extension ServedProgram {
    /// Asks for albums, by several clients side by side.
    /// - Returns: how many were hits.
    @discardableResult func ask(_ albums: some Sequence<Int>, clients: Int = 1, _ tally: Tally) throws -> Int {
        let (port, albums, before) = (try port, Array(albums), tally.now.hits)
        concurrently(clients) { number in
            let client = CheckingClient(port: port)
            defer { client.close() }
            for index in stride(from: number, to: albums.count, by: clients) {
                tally.note(client.ask(album: albums[index]))
            }
        }
        return tally.now.hits - before
    }

    /// Purges hard, at the admin listener.
    func purge(_ selections: [String], _ what: Comment) throws {
        let admin = HTTPTestClient(port: try adminPort)
        for selection in selections {
            let reply = try admin.send("POST", "/purge", body: Data("{\(selection),\"hard\":true}".utf8))
            #expect(reply.status == 200, "\(what): \(selection)")
        }
    }
}

/// A cache file as a process left it.
struct LeftFile {
    let path: String

    /// Whether SQLite finds nothing wrong with it. The log's pages are taken over.
    var isSound: Bool {
        count("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") == 0
    }

    /// Rows that belong to one person.
    var personalRows: Int64? { count("SELECT count(*) FROM entry WHERE target LIKE '/v1/me%' OR scope <> 'shared'") }

    /// Answers that it says it has.
    var rows: Int64? { count("SELECT count(*) FROM entry") }

    func has(_ target: String) -> Bool { count("SELECT count(*) FROM entry WHERE target = '\(target)'") == 1 }

    private func count(_ sql: String) -> Int64? {
        do throws(SQLiteError) {
            return try Database(path: path, mode: .readWrite, busyTimeout: .seconds(5)).integer(sql)
        } catch {
            return nil
        }
    }

    /// The findings of a store that opens the file.
    struct Visit {
        var isAvailable = false
        /// Whether its rows could be listed; they cannot be where damage is met on the way.
        var isReadable = true
        var found = 0
        var wrong = 0
    }

    /// Opens it as the proxy does, and compares its answers with the origin's.
    /// - Parameter most: the number of the newest answers to read.
    func visit(maxBytes: Int = 64 << 20, most: Int = .max) -> Visit {
        var visit = Visit()
        let store = FileTier.open(path: path, maxBytes: maxBytes, classNames: ["albums"], log: { _ in })
        visit.isAvailable = store.records.health == .available
        let reader = store.makeReader()
        let keys = try? keys()
        visit.isReadable = keys != nil
        for key in (keys ?? []).suffix(most) {
            guard let answer = reader.lookup(key, at: Int64(Date().timeIntervalSince1970)) else { continue }
            visit.found += 1
            let target = String(decoding: key.target, as: UTF8.self)
            if Data(answer.body) != FaultOrigin.knownBody(of: target) || answer.isDamaged { visit.wrong += 1 }
        }
        store.records.close()
        return visit
    }

    private func keys() throws(SQLiteError) -> [CacheKey] {
        var keys: [CacheKey] = []
        let database = try Database(path: path, mode: .readOnly, busyTimeout: .seconds(5))
        let home = try OriginTable(database).home.tag
        try Statement(database, "SELECT target, variant, origin FROM entry ORDER BY id").forEachRow([]) { row in
            let origin = OriginTag(number: row.integer(2)).relative(to: home)
            keys.append(
                CacheKey(
                    of: origin, scope: .shared, target: Array(row.text(0).utf8), variant: Array(row.text(1).utf8)))
            return true
        }
        return keys
    }
}
