import Foundation

/// A program started for a benchmark and stopped by its process id.
final class Child {
    private let process = Process()

    /// - Throws: when the program cannot be started.
    init(_ path: String, _ arguments: [String], log: String) throws {
        guard FileManager.default.createFile(atPath: log, contents: nil) else {
            throw BenchError("cannot write \(log)")
        }
        let handle = FileHandle(forWritingAtPath: log)
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = handle
        process.standardError = handle
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    var identifier: Int32 { process.processIdentifier }

    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// Runs a program to its end and returns what it printed.
    static func output(of path: String, _ arguments: [String]) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    /// Where a program is installed; nil when it is not.
    static func find(_ name: String) -> String? {
        for directory in ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/bin"] {
            let path = directory + "/" + name
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        return nil
    }
}
