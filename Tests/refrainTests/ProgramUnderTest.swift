import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing
import Text

@testable import Recording
@testable import refrain

/// Keeps the output of a command.
final class CapturedOutput: Sendable {
    private let texts = Mutex((standard: "", error: ""))

    var standard: String { texts.withLock { $0.standard } }
    var error: String { texts.withLock { $0.error } }

    var output: Output {
        Output(
            standard: { [self] text in texts.withLock { $0.standard += text } },
            error: { [self] text in texts.withLock { $0.error += text } })
    }
}

/// The status and the output of one run of the program.
struct RunResult {
    let status: Int32
    let standard: String
    let error: String
}

/// Runs the program with `words` (its own name left out).
/// - Parameter width: of the terminal that its answers go to, if to one.
func run(_ words: [String], files: FileAccess = MemoryFiles().access, width: Int? = nil) -> RunResult {
    let captured = CapturedOutput()
    var files = files
    files.adminTimeout = .seconds(Patience.seconds(60))
    let output = Output(standard: captured.output.standard, error: captured.output.error, width: width)
    let status = CommandLineTool.run(["refrain"] + words, output: output, files: files)
    return RunResult(status: status, standard: captured.standard, error: captured.error)
}

/// The same, with files that exist only here.
func run(_ words: String..., files: MemoryFiles = MemoryFiles()) -> RunResult { run(words, files: files.access) }

/// Runs a command that talks to a running proxy against a server that gives this answer; returns
/// the request too.
func runAgainstServer(
    _ command: String, _ body: String, _ words: [String] = [], status: String = "200 OK",
    files: MemoryFiles = MemoryFiles()
) -> (result: RunResult, request: String) {
    let answer = "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    do {
        let server = try ScriptedOrigin([.request, .send(answer), .close])
        defer { server.stop() }
        let result = run([command, "--admin", "http://127.0.0.1:\(server.port)"] + words, files: files.access)
        return (result, server.requests.first?.first ?? "")
    } catch {
        Issue.record(error)
        return (RunResult(status: -1, standard: "", error: "\(error)"), "")
    }
}

/// Files that exist only in a test: their texts, and the faults of those that cannot be used.
struct MemoryFiles {
    var texts: [String: String] = [:]
    var problems: [String: String] = [:]
    /// Why others could have written a file.
    var distrusted: [String: String] = [:]

    var access: FileAccess {
        let (texts, problems, distrusted) = (texts, problems, distrusted)
        return FileAccess(
            read: { path throws(FileProblem) in
                guard let text = texts[path] else { throw .absent }
                return Array(text.utf8)
            },
            readFound: { path throws(FileProblem) in
                if let words = distrusted[path] { throw FileProblem(words) }
                guard let text = texts[path] else { throw .absent }
                return Array(text.utf8)
            },
            distrust: { path in distrusted[path] },
            token: { path throws(FileProblem) in
                if let words = problems[path] {
                    throw words == FileProblem(code: EACCES).message ? FileProblem(code: EACCES) : FileProblem(words)
                }
                guard let text = texts[path] else { throw .absent }
                return Array(text.utf8.filter { $0 != 0x0A })
            },
            problem: { path in texts[path] == nil ? problems[path] ?? FileProblem.absent.message : nil },
            secretProblem: { path, _ in problems[path] })
    }
}

extension ConfigurationReader {
    /// Reads a file that the caller has named.
    static func read(_ path: String, files: FileAccess) throws(CommandFailure) -> EffectiveConfiguration {
        try read(ConfigurationFile(named: path), files: files)
    }
}

/// The configuration in `text`, whose file is called `proxy.conf`.
func read(_ text: String, problems: [String: String] = [:]) throws(CommandFailure) -> EffectiveConfiguration {
    let files = MemoryFiles(texts: ["proxy.conf": text, "cert.pem": "", "ca.pem": ""], problems: problems)
    return try ConfigurationReader.read("proxy.conf", files: files.access)
}

/// A configuration of these lines that leaves the machine alone: unless they say otherwise, its
/// listeners have free ports, its origin is not there, and it keeps and logs nothing.
func quiet(_ lines: String) -> String {
    let written = Set(lines.split(separator: "\n").map { $0.prefix { $0 != " " } })
    let readiness = [
        "listen 127.0.0.1:0", "admin_listen 127.0.0.1:0", "upstream http://127.0.0.1:1", "cache_file off",
        "access_log off",
    ].filter { line in !written.contains(line.prefix { $0 != " " }) }
    return ([lines] + readiness).joined(separator: "\n")
}

/// Everything that is wrong with `text`, one string each.
func complaints(_ text: String, problems: [String: String] = [:]) -> [String] {
    thrown { () throws(CommandFailure) in try read(text, problems: problems) }?.messages ?? []
}

/// The same of the files that the configuration at `path` leads to.
func complaints(at path: String = "proxy.conf", in files: FileAccess) -> [String] {
    let error = thrown { () throws(CommandFailure) in try ConfigurationReader.read(path, files: files) }
    return error?.messages ?? []
}

/// A demonstration, an album that it has, and where it is administered.
final class RunningDemo {
    let port: Int
    let client: HTTPTestClient
    let admin: Int
    let album: String
    private let demo: Demo

    init() throws {
        demo = try Demo(
            on: HostPort("127.0.0.1:0"),
            CommandContext(output: CapturedOutput().output, files: MemoryFiles().access))
        let urls = demo.greeting.split(separator: "'").filter { $0.hasPrefix("http://") }
        let first = try #require(urls.first.flatMap { URL(string: String($0)) })
        let last = try #require(urls.last.flatMap { URL(string: String($0)) })
        port = try #require(first.port)
        client = HTTPTestClient(port: port)
        admin = try #require(last.port)
        album = first.path
    }

    func stop() {
        client.close()
        demo.stop { _ in }
    }
}

extension RunningProxy {
    /// Stops, and waits for it.
    func stop() {
        let done = DispatchSemaphore(value: 0)
        stop { @Sendable _ in done.signal() }
        done.waitOrFail()
    }
}

/// How often something has happened.
final class Count: Sendable {
    private let value = Mutex(0)
    var now: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
}

/// A running proxy that leaves the machine alone, with its log and clients. It ends with this.
final class ProxyScene {
    let captured = CapturedOutput()
    let log: OperationalLog
    let proxy: RunningProxy
    let client: HTTPTestClient
    let admin: HTTPTestClient
    private var hasStopped = false

    init(_ configuration: Configuration) throws {
        log = OperationalLog(level: .info, captured.output.error)
        proxy = try RunningProxy(configuration, log)
        client = HTTPTestClient(port: Int(try #require(proxy.addresses.first).port))
        admin = HTTPTestClient(port: Int(proxy.adminAddress?.port ?? 0))
    }

    /// - Parameter lines: of the configuration, beside those of `quiet`.
    convenience init(_ lines: String) throws { try self.init(read(quiet(lines)).configuration) }

    deinit { stop() }

    func stop() {
        guard !hasStopped else { return }
        hasStopped = true
        client.close()
        admin.close()
        proxy.stop()
    }

    /// The value of a metric without labels.
    func metric(_ name: String) throws -> Double? {
        let lines = String(decoding: try admin.send("GET", "/metrics").body, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(name + " ") }.flatMap { Double($0.dropFirst(name.count + 1)) }
    }
}

extension RecordedExchange {
    /// A request that was sent so long after the start, and its answer.
    static func of(
        _ target: String, at offset: Duration = .zero, status: Int = 200, latency: Duration = .zero, length: Int = 0
    ) -> RecordedExchange {
        RecordedExchange(
            time: Timestamp(microseconds: 1_795_219_200_000_000) + offset, offset: offset, method: "GET",
            target: target, status: status, latency: latency, length: length)
    }
}

extension TemporaryFolder {
    /// Writes a recording without bodies, and gives its path.
    @discardableResult func record(
        _ exchanges: [RecordedExchange], sampling: Double = 1, _ name: String = "traffic.jsonl"
    ) throws -> String {
        let started = Timestamp(microseconds: 1_795_219_200_000_000)
        let header = RecordingHeader(started: started, program: "test", sampling: sampling)
        return try put(header.line + exchanges.flatMap(\.line), name)
    }
}
