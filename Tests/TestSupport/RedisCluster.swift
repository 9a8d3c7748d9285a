import Testing

/// A Redis Cluster on 127.0.0.1: shards of a master and a replica each, which vote after two
/// seconds without a master. It ends with this object.
public final class RedisCluster {
    /// The masters at the start, and then their replicas in the same order.
    public let servers: [RedisServer]

    /// Waits until all slots are served and all replicas follow.
    public init(shards: Int = 3) throws {
        servers = try (0..<2 * shards).map { _ in try Self.server() }
        for server in servers.dropFirst() {
            try servers[0].command("CLUSTER MEET 127.0.0.1 \(server.port) \(server.busPort)")
        }
        for number in 0..<shards {
            let (first, end) = (16_384 * number / shards, 16_384 * (number + 1) / shards)
            try servers[number].command("CLUSTER ADDSLOTSRANGE \(first) \(end - 1)")
        }
        for number in 0..<shards {
            let id = try servers[number].clusterID()
            // Each has to hear of the other first.
            waitUntil { (try? servers[shards + number].command("CLUSTER REPLICATE \(id)")) != nil }
        }
        waitUntil { servers.allSatisfy(\.isWhole) }
        guard servers.allSatisfy(\.isWhole) else { throw RedisServer.Failure(description: "no cluster comes about") }
    }

    private static func server() throws -> RedisServer {
        let options = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000", "--repl-diskless-sync-delay", "0"]
        for _ in 0..<5 {
            let bus = try RawSocket.freePort()
            if let server = try? RedisServer(options + ["--cluster-port", "\(bus)"]) { return server }
        }
        throw RedisServer.Failure(description: "no server in cluster mode starts")
    }

    /// The index of the server that owns the slot of a key; nil while there is none.
    public func owner(of key: String) -> Int? {
        servers.indices.first { number in
            let reply = try? servers[number].ask("EXISTS \(key)")
            return reply?.hasPrefix(":") == true
        }
    }

    /// Moves the slot of a key, with all keys in it.
    public func move(_ key: String, from source: Int, to target: Int) throws {
        let (from, to) = (servers[source], servers[target])
        let slot = try from.words("CLUSTER KEYSLOT \(key)")[0]
        let id = try to.clusterID()
        try to.command("CLUSTER SETSLOT \(slot) IMPORTING \(from.clusterID())")
        try from.command("CLUSTER SETSLOT \(slot) MIGRATING \(id)")
        while true {
            let keys = try from.words("CLUSTER GETKEYSINSLOT \(slot) 50").dropFirst()
            if keys.isEmpty { break }
            try from.command("MIGRATE 127.0.0.1 \(to.port) \"\" 0 5000 KEYS \(keys.joined(separator: " "))")
        }
        for server in [to, from] { try server.command("CLUSTER SETSLOT \(slot) NODE \(id)") }
    }
}

extension RedisServer {
    /// Sends words of one line, and returns the reply as it came, and that to QUIT.
    @discardableResult
    public func ask(_ line: String) throws -> String {
        let client = try RawClient(port: port)
        try client.send(line + "\r\nQUIT\r\n")
        return String(decoding: client.read(), as: UTF8.self)
    }

    /// Sends a command that has to succeed.
    fileprivate func command(_ line: String) throws {
        let reply = try ask(line)
        // A key that has ended meanwhile is not there to be moved.
        guard reply.hasPrefix("+OK") || reply.hasPrefix("+NOKEY") else {
            throw Failure(description: line + ": " + reply)
        }
    }

    /// The texts and numbers in a reply: the count of an array first.
    public func words(_ line: String) throws -> [String] {
        let lines = try ask(line).split(separator: "\r\n").dropLast()
        return lines.filter { !$0.hasPrefix("$") }.map {
            String($0.first == ":" || $0.first == "*" ? $0.dropFirst() : $0)
        }
    }

    fileprivate func clusterID() throws -> String { try words("CLUSTER MYID")[0] }

    fileprivate var busPort: String {
        arguments.firstIndex(of: "--cluster-port").map { arguments[$0 + 1] } ?? ""
    }

    /// Whether all slots are served, and it has a replica or follows a master.
    fileprivate var isWhole: Bool {
        guard let info = try? ask("CLUSTER INFO"), let replication = try? ask("INFO replication") else { return false }
        return info.contains("cluster_state:ok") && info.contains("cluster_slots_ok:16384")
            && (replication.contains("master_link_status:up") || replication.contains("state=online"))
    }
}
