import Foundation

/// The drawings of the modules in ARCHITECTURE.md, which the sources are held to.
enum ModuleDrawing {
    /// The names in each row, from the top: a module imports only modules of rows above its own.
    static let rows = (blocks.first ?? []).map { line in
        line.split(separator: " ").map(String.init).filter { $0.first?.isLetter == true }
    }.filter { !$0.isEmpty }

    /// Rank in the flow of data, by module.
    static let ranks = Dictionary(
        rows.enumerated().flatMap { rank, names in names.map { ($0, rank) } }, uniquingKeysWith: { first, _ in first })

    /// The rows of folders in each module: a folder uses its own row and those before it. The empty
    /// name is the module's own folder, which the drawing calls by the module's name.
    static let folders: [String: [Set<String>]] = {
        var found: [String: [Set<String>]] = [:]
        for line in blocks.dropFirst().first ?? [] {
            let parts = list(line, ":")
            guard parts.count == 2 else { continue }
            found[parts[0]] = list(parts[1], arrow).map { row in
                Set(list(row, ",").map { $0 == parts[0] ? "" : $0 })
            }
        }
        return found
    }()

    private static func list(_ text: String, _ separator: String) -> [String] {
        text.components(separatedBy: separator).map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private static let arrow = "─►"

    /// The lines of each drawing below the heading. A line that begins with an arrow continues the
    /// one above.
    private static let blocks: [[String]] = {
        let page = House.text("ARCHITECTURE.md").components(separatedBy: "\n## ")
        let section = page.first { $0.hasPrefix("Modules\n") } ?? ""
        let parts = section.components(separatedBy: "```").enumerated().filter { $0.offset % 2 == 1 }
        return parts.map { part in
            part.element.replacing(/\n +─►/, with: " " + arrow).components(separatedBy: "\n")
        }
    }()
}
