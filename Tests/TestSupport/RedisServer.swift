import Foundation
import Testing

/// A real `redis-server` on 127.0.0.1, with its files in a folder of its own; without persistence
/// where the arguments do not say otherwise. It ends with this object.
public final class RedisServer {
    public struct Failure: Error, CustomStringConvertible { public let description: String }

    public let port: UInt16
    public let folder: TemporaryFolder
    let arguments: [String]
    private var process: ChildProcess

    /// Waits until it takes connections.
    /// - Parameter arguments: in addition to those for the port and the folder.
    public convenience init(_ arguments: [String] = []) throws {
        try self.init(TemporaryFolder(), arguments) { ["--port", "\($0)"] }
    }

    /// A server that speaks TLS alone, and asks no client for a certificate.
    /// - Parameters: PEM.
    public convenience init(certificate: String, key: String) throws {
        let folder = try TemporaryFolder()
        let files = [
            "--tls-cert-file", try folder.put(certificate.utf8, "certificate.pem"), "--tls-key-file",
            try folder.put(key.utf8, "key.pem"), "--tls-auth-clients", "no",
        ]
        try self.init(folder, files) { ["--port", "0", "--tls-port", "\($0)"] }
    }

    /// A port that is free now may be another's a moment later.
    private init(_ folder: TemporaryFolder, _ arguments: [String], at place: (UInt16) -> [String]) throws {
        self.folder = folder
        for _ in 0..<20 {
            let port = try RawSocket.freePort()
            let all = place(port) + Self.defaults + ["--dir", folder.path, "--logfile", "redis.log"] + arguments
            guard let process = try Self.run(all, folder) else { continue }
            (self.port, self.arguments, self.process) = (port, all, process)
            return
        }
        throw Failure(description: folder.text("redis.log"))
    }

    /// Before its folder goes.
    deinit { kill() }

    private static let defaults = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--daemonize", "no"]

    public var log: String { folder.text("redis.log") }

    public func send(_ signal: Int32) { process.send(signal) }

    /// Ends it without a word, also where it is stopped.
    public func kill() { process.kill() }

    /// Starts it once more, on the same port, with its files on disk.
    public func start() throws {
        kill()
        for _ in 0..<20 {
            guard let process = try Self.run(arguments, folder) else { continue }
            self.process = process
            return
        }
        throw Failure(description: log)
    }

    /// Nil where it has ended before it took connections.
    private static func run(_ arguments: [String], _ folder: TemporaryFolder) throws -> ChildProcess? {
        try folder.put([], "redis.log")
        let process = try ChildProcess([Tool("redis-server")?.path ?? "/usr/bin/redis-server"] + arguments)
        waitUntil { !process.isRunning || folder.text("redis.log").contains("Ready to accept connections") }
        return process.isRunning ? process : nil
    }
}

extension RedisServer {
    /// Has it refuse writes for want of memory.
    public func fill() throws {
        try configure("maxmemory-policy", "noeviction")
        try configure("maxmemory", "1")
    }

    /// Ends `fill`.
    public func refuseNothing() throws { try configure("maxmemory", "0") }

    private func configure(_ option: String, _ value: String) throws {
        let reply = try ask("CONFIG SET \(option) \(value)")
        guard reply.hasPrefix("+OK") else { throw Failure(description: reply) }
    }
}
