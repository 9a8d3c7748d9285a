import AppleMusic
import Foundation
import Purging
import TestSupport
import Testing

/// Three nodes as processes, each with a cache file, before one origin; each reaches the engine by
/// a relay of its own.
final class NodeHouse {
    static let names = ["a", "b", "c"]

    let folder: TemporaryFolder
    let origin: VersionedOrigin
    let relays: [EngineRelay]
    let promises = PurgePromises(nodes: names.count)
    private let tiers: [String]
    private let composes: Bool
    private let calls: FaultyCalls?
    /// The clocks of the nodes; empty if they use the machine's.
    private(set) var clocks: [WallClock] = []
    private var programs: [ServedProgram] = []

    /// The content of a purge's report.
    struct Report {
        let isLogged: Bool
        let isReplicated: Bool
        let nodes: Int
        let missing: Set<String>

        /// Whether all nodes have done it.
        var isComplete: Bool { isLogged && nodes == NodeHouse.names.count && missing.isEmpty }
    }

    /// Starts the nodes and waits until they are one tier.
    /// - Parameters:
    ///   - engine: the port of the engine.
    ///   - others: ports of engines that are reached without a relay, tried after it.
    ///   - composes: whether nodes answer out of parts of other answers.
    ///   - hasClocks: whether each node has a wall clock of its own.
    init(engine: UInt16, others: [UInt16] = [], composes: Bool = false, hasClocks: Bool = false, seed: UInt64) throws {
        self.composes = composes
        folder = try TemporaryFolder()
        calls = hasClocks ? try FaultyCalls(in: folder) : nil
        origin = try VersionedOrigin()
        relays = try Self.names.indices.map { try EngineRelay(to: engine, seed: seed &+ UInt64($0) << 32) }
        tiers = relays.map { "redis://" + ([$0.port] + others).map { "127.0.0.1:\($0)" }.joined(separator: ",") }
        let pem = try SigningKey.generatePEM().withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        try folder.put(pem, "key.p8", mode: 0o600)
        if hasClocks { clocks = try Self.names.map { try WallClock(folder, named: $0 + ".clock") } }
        for node in Self.names.indices { programs.append(try program(node)) }
        for node in Self.names.indices { try welcome(node) }
        try settle()
    }

    deinit {
        programs = []
        for relay in relays { relay.stop() }
        origin.stop()
    }

    // MARK: Nodes

    private func program(_ node: Int) throws -> ServedProgram {
        let lines = [
            "upstream http://127.0.0.1:\(origin.port)", "access_log off", "workers 1",
            "compose \(composes ? "on" : "off")", "windows off", "batch off",
            "superset_includes off", "verify_sample off", "admin_listen 127.0.0.1:0",
            "cache_file \(folder.file(Self.names[node] + ".sqlite"))", "developer_key_file \(folder.file("key.p8"))",
            "developer_key_id ABC123DEFG", "developer_team_id DEF123GHIJ", "shared_tier \(tiers[node])",
            "node_name \(Self.names[node])",
        ]
        return try ServedProgram(
            folder, named: Self.names[node], lines.joined(separator: "\n"),
            runner: clocks.isEmpty ? [] : calls?.seeing(clocks[node]) ?? [])
    }

    private func welcome(_ node: Int) throws {
        let program = programs[node]
        guard program.listens() else {
            throw ServedProgram.Failure(description: "it does not start: \(program.text.suffix(2_000))")
        }
        promises.started(node, at: try program.port)
    }

    /// Ends a node without a word.
    func kill(_ node: Int) {
        promises.killed(node)
        programs[node].kill()
    }

    /// Starts it once more on its file.
    func start(_ node: Int) throws {
        programs[node] = try program(node)
        try welcome(node)
    }

    func send(_ signal: Int32, to node: Int) {
        promises.stopped(node, signal == SIGSTOP)
        programs[node].send(signal)
    }

    /// The last lines of every node's log.
    var log: String { programs.map { $0.text.suffix(1_500) }.joined(separator: "\n--\n") }
    var areRunning: Bool { programs.allSatisfy(\.isRunning) }

    func isReady(_ node: Int) -> Bool { (try? admin(node).send("GET", "/readyz"))?.status == 200 }

    private func admin(_ node: Int) throws -> HTTPTestClient { HTTPTestClient(port: try programs[node].adminPort) }

    // MARK: Purges

    /// Has the origin change some albums, and purges them; nil where the node gives no report.
    /// - Parameter artist: whose albums are purged; nil for the album alone.
    func purge(_ album: Int, of artist: Int? = nil, isHard: Bool, at node: Int) -> Report? {
        var versions: [Int: Int] = [:]
        for album in artist.map(VersionedOrigin.albums(of:)) ?? [album] { versions[album] = origin.bump(album) }
        let selector =
            artist.map { #""resource":"artists:\#($0)""# } ?? #""url":"\#(VersionedOrigin.target(album))""#
        guard let report = report(of: "{\(selector),\"hard\":\(isHard)}", at: node) else { return nil }
        let purge = PurgePromises.Purge(versions: versions, isHard: isHard)
        promises.done(purge, by: node, isLogged: report.isLogged)
        for other in Self.names.indices where other != node && report.isLogged {
            promises.missed(purge, by: other)
            let isKnown = report.nodes == Self.names.count
            if isKnown, !report.missing.contains(Self.names[other]) { promises.caughtUp(other) }
        }
        return report
    }

    private func report(of purge: String, at node: Int) -> Report? {
        guard let reply = try? admin(node).send("POST", "/purge", body: Data(purge.utf8)), reply.status == 200,
            let values = reply.json as? [String: Any], let isLogged = values["logged"] as? Bool,
            let isReplicated = values["replicated"] as? Bool,
            let missing = values["missing"] as? [[String: Any]]
        else { return nil }
        return Report(
            isLogged: isLogged, isReplicated: isReplicated,
            // It may not know yet which there are.
            nodes: values["nodes"] as? Int ?? 0,
            missing: Set(missing.compactMap { $0["name"] as? String }))
    }

    /// Waits until all nodes are ready and a purge through either of two reaches the others: then
    /// all have done the purges in the log. The one that is asked need not have, where it takes the
    /// engine for away. Only where nothing is in their way.
    func settle() throws {
        var last: Report?
        waitUntil(within: 60) {
            Self.names.indices.allSatisfy { isReady($0) }
                && [0, 1].allSatisfy { node in
                    last = report(of: #"{"url":"/v1/catalog/us/albums/1000","hard":true}"#, at: node)
                    return last?.isComplete == true
                }
        }
        guard last?.isComplete == true else {
            throw ServedProgram.Failure(description: "the nodes do not come together: \(last as Any): \(log)")
        }
        for node in Self.names.indices { promises.caughtUp(node) }
    }
}
