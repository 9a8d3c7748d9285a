import Foundation

/// The material next to the project (`../shared`): recordings and raw attack cases.
///
/// The project never contains it. A test that needs it is enabled by `isPresent`, so that a
/// checkout without it says which tests it left out.
public enum SharedMaterial {
    public static let directory: URL = {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { url.deleteLastPathComponent() }
        return url.deletingLastPathComponent().appendingPathComponent("shared")
    }()

    public static let isPresent = FileManager.default.fileExists(
        atPath: directory.appendingPathComponent("recordings/index.jsonl").path)

    /// The note of a skipped test.
    public static let absence = """
        no ../shared, the project's collection of recorded responses and attack cases, which is not published with \
        the repository: the tests that need it were skipped
        """

    /// The objects of a file with one JSON object a line.
    public static func lines(of path: String) throws -> [[String: Any]] {
        let text = try String(contentsOf: directory.appendingPathComponent(path), encoding: .utf8)
        return try text.split(separator: "\n").map { line in
            guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                throw CocoaError(.fileReadCorruptFile)
            }
            return object
        }
    }

    /// The recorded answers that are kept as JSON, and the names of their files.
    public static func recordedAnswers() throws -> [(name: String, bytes: [UInt8])] {
        try lines(of: "recordings/index.jsonl").compactMap { $0["file"] as? String }.filter { $0.hasSuffix(".json") }
            .map { name in
                (name, Array(try Data(contentsOf: directory.appendingPathComponent("recordings/" + name))))
            }
    }
}
