import Foundation

/// One Swift file of the package.
struct SourceFile: Sendable {
    /// From the top of the package: `Sources/HTTP/Method.swift`.
    let path: String
    /// As written.
    let lines: [String]
    /// The same lines with comments and the content of string literals blanked out.
    let code: [String]
    /// The same lines with all but their comments blanked out.
    let comments: [String]

    init(path: String, text: String) {
        self.path = path
        lines = text.components(separatedBy: "\n")
        let parts = CodeBlanker.parted(Array(text.utf8))
        code = String(decoding: parts.code, as: UTF8.self).components(separatedBy: "\n")
        comments = String(decoding: parts.comments, as: UTF8.self).components(separatedBy: "\n")
    }

    /// The second part of its path.
    var module: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

    /// `path:line` of the line at that index.
    func place(_ index: Int) -> String { "\(path):\(index + 1)" }
}

/// Every Swift file below `Sources` and `Tests`, and the text files at the top.
enum House {
    static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let sources = swiftFiles(below: "Sources")
    static let tests = swiftFiles(below: "Tests")

    /// Paths of all files that belong to the project, from its top.
    static let files: [String] = {
        guard let walk = FileManager.default.enumerator(atPath: top.path) else { return [] }
        var paths: [String] = []
        while let path = walk.nextObject() as? String {
            let isFolder = walk.fileAttributes?[.type] as? FileAttributeType == .typeDirectory
            if isFolder {
                if [".build", ".git", ".swiftpm"].contains(path) { walk.skipDescendants() }
            } else if path != ".git", path != "proxy.conf", !path.contains(".sqlite") {
                paths.append(path)
            }
        }
        return paths.sorted()
    }()

    static func text(_ path: String) -> String {
        (try? String(contentsOf: top.appendingPathComponent(path), encoding: .utf8)) ?? ""
    }

    private static func swiftFiles(below folder: String) -> [SourceFile] {
        files.filter { $0.hasPrefix(folder + "/") && $0.hasSuffix(".swift") }.map {
            SourceFile(path: $0, text: text($0))
        }
    }
}
