import Foundation

/// One Swift file of the package.
struct SourceFile: Sendable {
    /// From the top of the package: `Sources/HTTP/Heads/Method.swift`.
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

    /// The last part of its path, without the ending.
    var name: String { path.split(separator: "/").last.map { String($0.dropLast(".swift".count)) } ?? "" }

    /// The folders between its module's and itself; empty for none.
    var folder: String { path.split(separator: "/").dropFirst(2).dropLast().joined(separator: "/") }

    /// The modules that it imports, with the indices of those lines.
    var imports: [(module: String, line: Int)] {
        code.indices.compactMap { index in
            let words = code[index].split(separator: " ")
            guard let keyword = words.firstIndex(of: "import"), words.indices.contains(keyword + 1),
                words[..<keyword].allSatisfy({ $0.hasPrefix("@") || ["public", "private", "internal"].contains($0) })
            else { return nil }
            return words.last?.split(separator: ".").first.map { (String($0), index) }
        }
    }

    /// The types that it declares at its top, but for those that no other file sees.
    var types: [String] {
        code.compactMap { line in
            guard let first = line.first, first != " ", first != "}" else { return nil }
            let words = line.split { " :<(".contains($0) }.map(String.init)
            guard let keyword = words.firstIndex(where: Self.kinds.contains), words.indices.contains(keyword + 1),
                words[..<keyword].allSatisfy({ $0.hasPrefix("@") || Self.modifiers.contains($0) })
            else { return nil }
            return words[keyword + 1]
        }
    }

    /// Every word of its code.
    var words: Set<String> {
        Set(code.flatMap { $0.split { !$0.isLetter && !$0.isNumber && $0 != "_" } }.map(String.init))
    }

    /// Indices of lines that end a comment which describes nothing: a doc comment without a
    /// declaration below it, or a comment at the end of the file.
    var strayComments: [Int] {
        let last = code.indices.last { !lines[$0].isEmpty }
        return code.indices.filter { index in
            let comment = comments[index].drop { $0 == " " }
            guard comment.hasPrefix("///"), index != last else { return !comment.isEmpty && index == last }
            let isContinued = comments[index + 1].drop { $0 == " " }.hasPrefix("///")
            let below = code[index + 1].first { $0 != " " }
            return !isContinued && below?.isLetter != true && below != "@"
        }
    }

    private static let kinds: Set = ["struct", "class", "enum", "protocol", "actor", "typealias"]
    private static let modifiers: Set = ["public", "package", "internal", "final", "indirect", "open"]

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
