import Foundation
import TestSupport
import Testing

@testable import EventLoop

/// The proxy under valgrind's callgrind, which counts the code that `EventLoop.drain` calls. At
/// SIGUSR1, by which logs are reopened, it writes its counts to a file and begins anew.
final class MeasuredProxy {
    private typealias Failure = ServedProgram.Failure

    private static let counted = "$s9EventLoopAAC5drain*LLyyF"
    private static let dumping = "$s7refrain12RunningProxyC10reopenLogsyyF"
    private static let answering = "$s5Proxy0A7ServiceC6handleyy6Server16ClientConnectionCF"
    private static let beginningABatch = "$s5Proxy10TrafficTapC7subject"
    /// Valgrind starts slowly, and more slowly on a busy machine.
    private static let patience = 120

    /// The profiles, which are kept after the run.
    private let folder: URL
    private let files: TemporaryFolder
    private let process: ServedProgram
    private let authority: ThrowawayAuthority
    private var profiles = 0

    /// - Parameter engine: the port of a shared tier.
    init(
        program: String, valgrind: Tool, originPort: UInt16, folder: URL, path: CostPath, engine: UInt16? = nil,
        logging: String = "off", more: String = ""
    ) throws {
        self.folder = folder
        try? FileManager.default.removeItem(at: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        files = try TemporaryFolder()
        authority = try ThrowawayAuthority()
        let leaf = try authority.issue(hosts: ["127.0.0.1"])
        let configuration = """
            listen 127.0.0.1:0
            listen 127.0.0.1:0 tls
            tls_certificate \(try files.put(leaf.certificatePEM.utf8, "certificate.pem"))
            tls_certificate_key \(try files.put(leaf.keyPEM, "key.pem", mode: 0o600))
            admin_listen off
            upstream http://127.0.0.1:\(originPort)
            cache_file \(files.file("cache.sqlite"))
            access_log \(logging)
            workers 1
            verify_sample off
            memory_size \(path.memorySize)
            \(path == .recordedHit ? "record \(files.file("traffic.jsonl"))" : "")
            \(more)
            \(engine.map { "shared_tier redis://127.0.0.1:\($0)\nnode_name measured" } ?? "")
            """
        let callgrind = [
            valgrind.path, "--tool=callgrind", "--callgrind-out-file=\(folder.path)/profile",
            "--collect-atstart=no", "--toggle-collect=\(Self.counted)", "--dump-before=\(Self.dumping)",
        ]
        // Hash tables that are the same in every run.
        process = try ServedProgram(
            files, configuration, runner: callgrind, program: Self.stripped(program, in: files),
            environment: ["SWIFT_DETERMINISTIC_HASHING": "1", "PATH": "/usr/bin:/bin"])
    }

    /// Asks valgrind to end, which then removes its files in the temporary directory.
    deinit { process.stop() }

    var port: Int { get throws { try port("http") } }
    var securePort: Int { get throws { try port("https") } }

    /// Nor is anything purged later because the purge log is read for the first time.
    func waitForTier() throws {
        try wait { process.text.contains(": connected") && process.text.contains("purge log: this node reads") }
    }

    /// For clients that trust its certificate.
    func clientTLS(for path: CostPath) throws -> ClientTLS {
        try ClientTLS(
            trustAnchors: .pem(authority.certificatePEM()), protocols: path == .framedHit ? ["h2"] : ["http/1.1"])
    }

    /// Returns the counts since the last profile, or since the start.
    func profile() throws -> CallgrindProfile {
        profiles += 1
        process.send(SIGUSR1)
        try wait { process.text.components(separatedBy: "SIGUSR1:").count > profiles }
        let file = folder.appendingPathComponent("profile.\(profiles)")
        guard let text = try? String(contentsOf: file, encoding: .utf8), let profile = CallgrindProfile(text) else {
            throw Failure(description: "no profile was written: is RunningProxy.reopenLogs still \(Self.dumping)?")
        }
        return profile
    }

    /// Instructions of `ProxyService.handle`, without those that begin a batch of a recording.
    static func answering(_ profile: CallgrindProfile) -> Int {
        let batches = profile.inclusive.filter { $0.key.hasPrefix(beginningABatch) }.values
        return (profile.inclusive[answering] ?? 0) - batches.reduce(0, +)
    }

    /// A copy without debug information, at which valgrind 3.19 gives up; names stay.
    private static func stripped(_ program: String, in files: TemporaryFolder) throws -> String {
        guard let strip = Tool("strip") else { throw Failure(description: "strip (binutils) is missing") }
        let outcome = try strip.run(["--strip-debug", "-o", files.file("refrain"), program])
        guard outcome.status == 0 else { throw Failure(description: outcome.text) }
        return files.file("refrain")
    }

    private func port(_ scheme: String) throws -> Int {
        var found: Int?
        try wait {
            // The line may go on after the port (with HTTP/2).
            let rest = process.text(behind: "listening on \(scheme)://127.0.0.1:")
            found = rest.flatMap { Int($0.prefix { $0.isNumber }) }
            return found != nil
        }
        return try #require(found)
    }

    private func wait(_ condition: () -> Bool) throws {
        waitUntil(within: Self.patience) { condition() || !process.isRunning }
        guard condition() else {
            throw Failure(description: "the measured proxy failed: \(process.text.suffix(2_000))")
        }
    }
}
