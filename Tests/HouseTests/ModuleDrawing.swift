/// The drawing of the modules in ARCHITECTURE.md, which the sources are held to: a row a line, and
/// a module imports only modules of the rows above its own.
enum ModuleDrawing {
    /// The names in each row, from the top.
    static let rows: [[String]] = {
        let page = House.text("ARCHITECTURE.md").components(separatedBy: "\n")
        guard let heading = page.firstIndex(of: "## Modules"),
            let start = page[heading...].firstIndex(where: { $0.hasPrefix("```") })
        else { return [] }
        let drawing = page[(start + 1)...].prefix { !$0.hasPrefix("```") }
        return drawing.map { line in
            line.split(separator: " ").map(String.init).filter { $0.first?.isLetter == true }
        }.filter { !$0.isEmpty }
    }()

    /// Rank in the flow of data, by module.
    static let ranks = Dictionary(
        rows.enumerated().flatMap { rank, names in names.map { ($0, rank) } }, uniquingKeysWith: { first, _ in first })
}
