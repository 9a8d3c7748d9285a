import Foundation
import TestSupport
import Testing

@testable import EventLoop

/// The proxy under valgrind's callgrind.
///
/// Callgrind counts the code that `EventLoop.drain` calls, on every thread: not the start, not the
/// writer of the file. At SIGUSR1, by which logs are reopened, callgrind writes its counts to a
/// file and begins anew.
final class MeasuredProxy {
    private typealias Failure = ServedProgram.Failure

    private static let counted = "$s9EventLoopAAC5drain*LLyyF"
    private static let dumping = "$s7refrain12RunningProxyC10reopenLogsyyF"
    private static let answering = "$s5Proxy0A7ServiceC6handleyy6Server16ClientConnectionCF"
    private static let beginningABatch = "$s5Proxy10TrafficTapC7subject"
    /// Valgrind starts slowly, and more slowly on a busy machine.
    private static let patience = 120

    /// Profiles and the proxy's own files; kept after the run.
    private let folder: URL
    private let process: ChildProcess
    private let authority: ThrowawayAuthority
    private var profiles = 0

    /// - Parameters:
    ///   - folder: is replaced.
    ///   - path: says what memory may hold, and whether traffic is recorded.
    ///   - engine: the port of a shared tier.
    init(
        program: String, valgrind: Tool, originPort: UInt16, folder: URL, path: CostPath, engine: UInt16? = nil
    ) throws {
        self.folder = folder
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = { (name: String) in folder.appendingPathComponent(name) }
        authority = try ThrowawayAuthority()
        let leaf = try authority.issue(hosts: ["127.0.0.1"])
        try Data(leaf.certificatePEM.utf8).write(to: file("certificate.pem"))
        try Data(leaf.keyPEM.utf8).write(to: file("key.pem"))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file("key.pem").path)
        let configuration = """
            listen 127.0.0.1:0
            listen 127.0.0.1:0 tls
            tls_certificate \(file("certificate.pem").path)
            tls_certificate_key \(file("key.pem").path)
            admin_listen off
            upstream http://127.0.0.1:\(originPort)
            cache_file \(file("cache.sqlite").path)
            access_log off
            workers 1
            verify_sample off
            memory_size \(path.memorySize)
            \(path == .recordedHit ? "record \(file("traffic.jsonl").path)" : "")
            \(engine.map { "shared_tier redis://127.0.0.1:\($0)\nnode_name measured" } ?? "")
            """
        try Data(configuration.utf8).write(to: file("proxy.conf"))
        process = try Self.start(valgrind, try Self.stripped(program, in: folder), in: folder)
    }

    /// Asks valgrind to end, which then removes its files in the temporary directory.
    deinit {
        process.send(SIGTERM)
        process.waitForEnd()
    }

    var port: Int { get throws { try port("http") } }
    var securePort: Int { get throws { try port("https") } }

    /// Waits until it uses its shared tier.
    func waitForTier() throws { try wait { self.log.contains(": connected") } }

    /// For clients that trust its certificate.
    func clientTLS(for path: CostPath) throws -> ClientTLS {
        try ClientTLS(
            trustAnchors: .pem(authority.certificatePEM()), protocols: path == .framedHit ? ["h2"] : ["http/1.1"])
    }

    /// Returns the counts since the last profile, or since the start.
    func profile() throws -> CallgrindProfile {
        profiles += 1
        process.send(SIGUSR1)
        try wait { self.log.components(separatedBy: "SIGUSR1:").count > self.profiles }
        guard let text = try? String(contentsOf: file("profile.\(profiles)"), encoding: .utf8),
            let profile = CallgrindProfile(text)
        else {
            throw Failure(description: "no profile was written: is RunningProxy.reopenLogs still \(Self.dumping)?")
        }
        return profile
    }

    /// Instructions of `ProxyService.handle`, without what begins a batch of recorded requests.
    static func answering(_ profile: CallgrindProfile) -> Int {
        let batches = profile.inclusive.filter { $0.key.hasPrefix(beginningABatch) }.values
        return (profile.inclusive[answering] ?? 0) - batches.reduce(0, +)
    }

    private func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

    /// A copy without debug information, at which valgrind 3.19 gives up; names stay.
    private static func stripped(_ program: String, in folder: URL) throws -> String {
        guard let strip = Tool("strip") else { throw Failure(description: "strip (binutils) is missing") }
        let copy = folder.appendingPathComponent("refrain").path
        let outcome = try strip.run(["--strip-debug", "-o", copy, program])
        guard outcome.status == 0 else { throw Failure(description: outcome.text) }
        return copy
    }

    private static func start(_ valgrind: Tool, _ program: String, in folder: URL) throws -> ChildProcess {
        let words = [
            valgrind.path, "--tool=callgrind", "--callgrind-out-file=\(folder.path)/profile",
            "--collect-atstart=no", "--toggle-collect=\(counted)", "--dump-before=\(dumping)",
            program, "serve", "--config", "\(folder.path)/proxy.conf",
        ]
        // Hash tables that are the same in every run.
        return try ChildProcess(
            words, environment: ["SWIFT_DETERMINISTIC_HASHING": "1", "PATH": "/usr/bin:/bin"],
            output: "\(folder.path)/log")
    }

    private var log: String { (try? String(contentsOf: file("log"), encoding: .utf8)) ?? "" }

    private func port(_ scheme: String) throws -> Int {
        let start = "listening on \(scheme)://127.0.0.1:"
        var found: Int?
        try wait {
            // The line may go on after the port (with HTTP/2).
            let lines = self.log.components(separatedBy: "\n").dropLast()
            let line = lines.first { $0.contains(start) }
            found = (line?.components(separatedBy: start).last).flatMap { Int($0.prefix { $0.isNumber }) }
            return found != nil
        }
        guard let found else { throw Failure(description: "no port in the log") }
        return found
    }

    private func wait(_ condition: () -> Bool) throws {
        waitUntil(within: Self.patience) { condition() || !process.isRunning }
        guard condition() else { throw Failure(description: "the measured proxy failed: \(log.suffix(2_000))") }
    }
}
