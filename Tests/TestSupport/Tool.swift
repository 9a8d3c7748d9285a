import Foundation
import Testing

/// A program of this machine that judges or uses the project's output.
public struct Tool: Sendable {
    public struct Outcome: Sendable {
        public let status: Int32
        /// Standard output and standard error, as they came.
        public let text: String
    }

    public let path: String

    /// Nil where neither `PATH` has it nor /usr/sbin, which users' paths may lack.
    public init?(_ name: String) {
        let searched = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin"
        let paths = searched.split(separator: ":").map { "\($0)/\(name)" }
        guard let path = paths.first(where: FileManager.default.isExecutableFile(atPath:)) else { return nil }
        self.path = path
    }

    /// The program of this path.
    public init(at path: String) { self.path = path }

    /// - Parameter environment: in addition to that of this process.
    public func run(
        _ arguments: [String], in directory: URL? = nil, environment: [String: String] = [:]
    ) throws -> Outcome {
        let folder = try TemporaryFolder()
        let place = directory.map { ["/usr/bin/env", "-C", $0.path] } ?? []
        let process = try ChildProcess(
            place + [path] + arguments,
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            output: folder.file("output"))
        let status = process.waitForEnd()
        return Outcome(status: status, text: folder.text("output"))
    }
}

/// A new directory that is removed after `body`.
public func withTemporaryDirectory(_ body: (URL) throws -> Void) throws {
    let folder = try TemporaryFolder()
    try withExtendedLifetime(folder) { try body(folder.url) }
}
