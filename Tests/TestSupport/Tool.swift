import Foundation

/// A program of this machine that judges or uses what the project delivers.
public struct Tool: Sendable {
    public struct Outcome: Sendable {
        public let status: Int32
        /// Standard output and standard error, as they came.
        public let text: String
    }

    public let path: String

    /// Nil where no directory of `PATH` has it, nor the one for servers, which ordinary users may
    /// not have there.
    public init?(_ name: String) {
        let searched = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin"
        let paths = searched.split(separator: ":").map { "\($0)/\(name)" }
        guard let path = paths.first(where: FileManager.default.isExecutableFile(atPath:)) else { return nil }
        self.path = path
    }

    /// The program of this path.
    public init(at path: String) { self.path = path }

    /// A Python that has h2: the one that is found first, or the system's, for which packages are.
    public static let pythonWithH2 = [Tool("python3"), Tool(at: "/usr/bin/python3")].lazy.compactMap { $0 }
        .first { (try? $0.run(["-c", "import h2"]))?.status == 0 }

    /// - Parameter environment: beside that of this process.
    public func run(
        _ arguments: [String], in directory: URL? = nil, environment: [String: String] = [:]
    ) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, text: text)
    }
}

/// A new directory that is removed after `body`.
public func withTemporaryDirectory(_ body: (URL) throws -> Void) throws {
    let folder = try TemporaryFolder()
    try withExtendedLifetime(folder) { try body(folder.url) }
}
