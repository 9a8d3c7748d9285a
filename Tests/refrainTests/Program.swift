import Foundation
import Testing

/// A program that may be installed here.
struct Program {
    let path: String

    /// The first of that name on the search path.
    static func named(_ name: String) -> Program? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }.map(
            Program.init)
    }

    /// All that it writes; a failure is an issue.
    func run(_ arguments: [String], input: Data = Data()) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("refrain-\(UUID().uuidString)")
        try input.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        process.standardInput = try FileHandle(forReadingFrom: file)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
        return text
    }
}
