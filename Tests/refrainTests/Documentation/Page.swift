import Foundation

/// One page of the documentation, as Markdown.
struct Page {
    let name: String
    let lines: [String]

    static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    /// All of them, from the top of the project.
    static let names: [String] = {
        let folder = "Sources/Documentation/"
        let found = try? FileManager.default.subpathsOfDirectory(atPath: top.appendingPathComponent(folder).path)
        return ["README.md"] + (found ?? []).filter { $0.hasSuffix(".md") }.sorted().map { folder + $0 }
    }()

    /// - Parameter name: its path from the top of the project.
    init(_ name: String) throws {
        self.name = name
        lines = try Self.text(name).components(separatedBy: "\n")
    }

    /// A file of the project.
    static func text(_ name: String) throws -> String {
        try String(contentsOf: top.appendingPathComponent(name), encoding: .utf8)
    }

    /// The cells of the table under `heading`, without its first two lines.
    func table(under heading: String) -> [[String]] {
        let section = lines.drop { $0 != "## \(heading)" }.dropFirst().prefix { !$0.hasPrefix("## ") }
        return section.filter { $0.hasPrefix("|") }.dropFirst(2).map(Self.cells)
    }

    /// The names in backquotes that the first cells of that table begin with.
    func names(under heading: String) -> [String] {
        table(under: heading).compactMap { $0.first?.split(separator: "`").first.map(String.init) }
    }

    /// The files that a page links to, relative to its folder.
    static func files(linkedIn text: String) -> [String] {
        text.matches(of: /\]\(([^)#]+)(?:#[^)]*)?\)/).map { String($0.1) }.filter { !$0.hasPrefix("http") }
    }

    /// The content of each fenced block in `language`.
    func blocks(_ language: String) -> [String] {
        var found: [String] = []
        var block: [String]?
        for line in lines {
            if line == "```\(language)" {
                block = []
            } else if line.hasPrefix("```") {
                if let block { found.append(block.joined(separator: "\n")) }
                block = nil
            } else {
                block?.append(line)
            }
        }
        return found
    }

    /// `| a | b\|c |`
    private static func cells(_ line: String) -> [String] {
        let bar = "\u{1}"
        let cells = line.replacingOccurrences(of: "\\|", with: bar).split(separator: "|")
        return cells.map {
            $0.trimmingCharacters(in: .whitespaces).replacingOccurrences(of: bar, with: "|")
        }.filter { !$0.isEmpty }
    }
}
