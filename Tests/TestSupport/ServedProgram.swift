import Foundation
import Testing

/// One run of `refrain serve`, with its configuration and its log in a folder of the test.
public final class ServedProgram {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    private let process: ChildProcess
    private let name: String
    private let folder: TemporaryFolder

    /// Starts it and does not wait until it listens.
    ///
    /// - Parameters:
    ///   - name: tells runs in one folder apart: NAME.conf, NAME.log and NAME.out are theirs.
    ///   - lines: the configuration, in addition to listeners on free ports.
    ///   - runner: a program and its arguments that become the proxy.
    ///   - program: nil: the one that is tested.
    public init(
        _ folder: TemporaryFolder, named name: String = "proxy", _ lines: String, runner: [String] = [],
        program: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        self.name = name
        self.folder = folder
        try Self.configure(folder, name + ".conf", lines)
        for file in [name + ".log", name + ".out"] { try folder.put([], file) }
        process = try ChildProcess(
            runner + [program ?? BinaryUnderTest.path ?? "", "serve", "--config", folder.file(name + ".conf")],
            environment: environment, output: folder.file(name + ".out"), errors: folder.file(name + ".log"))
    }

    /// Files in the folder.
    public var configuration: String { name + ".conf" }
    public var log: String { name + ".log" }
    public var output: String { name + ".out" }

    /// Writes the configuration. A listener in `lines` replaces the one on a free port.
    public func configure(_ lines: String) throws { try Self.configure(folder, configuration, lines) }

    private static func configure(_ folder: TemporaryFolder, _ file: String, _ lines: String) throws {
        let defaults = ["listen 127.0.0.1:0", "admin_listen off"].filter { line in
            !lines.split(separator: "\n").contains { $0.hasPrefix(line.split(separator: " ")[0] + " ") }
        }
        try folder.put((defaults.map { $0 + "\n" }.joined() + lines + "\n").utf8, file)
    }

    public var id: Int32 { process.id }
    public var isRunning: Bool { process.isRunning }
    public var text: String { folder.text(log) }

    public var port: Int { get throws { try number(behind: "listening on http://127.0.0.1:") } }
    public var adminPort: Int { get throws { try number(behind: "admin listener on http://127.0.0.1:") } }

    /// The rest of the first whole line with `start`, after it.
    public func text(behind start: String) -> String? {
        let line = text.components(separatedBy: "\n").dropLast().first { $0.contains(start) }
        return line?.components(separatedBy: start).last
    }

    private func number(behind start: String) throws -> Int {
        guard let number = text(behind: start).flatMap({ Int($0.prefix { $0.isNumber }) }) else {
            throw Failure(description: "no \"\(start)\" in the log: \(text.suffix(2_000))")
        }
        return number
    }

    /// Waits until it listens everywhere; false where it ended before.
    public func listens() -> Bool {
        let lines = folder.text(configuration)
        let hasAdmin = lines.contains("admin_listen") && !lines.contains("admin_listen off")
        let words = hasAdmin ? "admin listener on " : "listening on http"
        waitUntil(within: 120) { text.contains(words) || !isRunning }
        return text.contains(words)
    }

    public func send(_ signal: Int32) { process.send(signal) }

    /// Waits for its end; the exit status.
    @discardableResult public func waitForEnd() -> Int32 { process.waitForEnd() }

    /// Asks it to stop; the exit status.
    @discardableResult public func stop() -> Int32 {
        send(SIGTERM)
        return waitForEnd()
    }

    public func kill() { process.kill() }
}
