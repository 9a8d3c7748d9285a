/// The declarations of `Sources` that have to be visible outside their module.
///
/// A visible declaration needs its enclosing type and every type in its signature; a type needs its
/// cases, requirements and witnesses. Uses in tests and the fuzzer do not count, because they
/// import modules as `@testable`.
struct Exposure {
    private let index: SymbolIndex
    private let sources = Dictionary(uniqueKeysWithValues: SymbolIndex.indexed.map { ($0.path, $0) })
    /// The symbols that must be visible where the key is.
    private var needs: [Int: Set<Int>] = [:]
    private var parents: [Int: Int] = [:]
    /// Members that are as visible as their enclosing declaration.
    private var inseparable: Set<Int> = []
    private var needed: Set<Int> = []

    init(_ index: SymbolIndex) {
        self.index = index
        for file in sources.values { note(index.files[file.path] ?? [], in: file) }
        for member in inseparable { if let parent = parents[member] { needs[parent, default: []].insert(member) } }
        spread()
    }

    /// Declarations that are `public` or `package` although no other module needs them.
    var unneeded: [String] {
        index.homes.filter { !needed.contains($0.key) && $0.value.place.isDeclaration }.compactMap { symbol, home in
            guard let file = sources[home.file] else { return nil }
            let line = home.place.line - 1
            let before = String(decoding: file.code[line].utf8.prefix(home.place.column - 1), as: UTF8.self)
            let words = Set(before.split(separator: " "))
            return words.isDisjoint(with: ["public", "package"])
                ? nil : "\(file.place(line)) \(index.symbols[symbol].name)"
        }.sorted()
    }

    private mutating func note(_ occurrences: [SymbolIndex.Occurrence], in file: SourceFile) {
        var head: (symbol: Int, end: Int)?
        for place in occurrences {
            for relation in place.relations { note(place, relation) }
            if place.isDeclaration {
                let isExtension = index.symbols[place.symbol].kind == .extension
                head = isExtension ? nil : (place.symbol, file.endOfHead(from: place.line))
                if file.isInlinable(at: place.line) { needed.insert(place.symbol) }
            } else if place.roles.contains(.reference), let home = index.homes[place.symbol] {
                if sources[home.file]?.module != file.module { needed.insert(place.symbol) }
                guard let head, place.line <= head.end, !isMereConformance(place, of: head.symbol) else { continue }
                needs[head.symbol, default: []].insert(place.symbol)
            }
        }
    }
}

extension Exposure {
    private mutating func note(
        _ place: SymbolIndex.Occurrence, _ relation: (symbol: Int, roles: SymbolIndex.Roles)
    ) {
        if relation.roles.contains(.override) { inseparable.insert(place.symbol) }
        if relation.roles.contains(.child), place.roles.contains(.definition) {
            parents[place.symbol] = relation.symbol
            needs[place.symbol, default: []].insert(relation.symbol)
            let isCase = index.symbols[place.symbol].kind == .enumCase
            if isCase || index.symbols[relation.symbol].kind == .protocol { inseparable.insert(place.symbol) }
        }
        // A type needs its extensions for the witnesses in them, and they need the type.
        if relation.roles.contains(.extended) {
            needs[place.symbol, default: []].insert(relation.symbol)
            needs[relation.symbol, default: []].insert(place.symbol)
        }
    }

    /// Whether the place names a protocol that a type conforms to: it may be visible without it.
    private func isMereConformance(_ place: SymbolIndex.Occurrence, of head: Int) -> Bool {
        index.symbols[place.symbol].kind == .protocol && index.symbols[head].kind != .protocol
            && place.relations.contains { $0.symbol == head && $0.roles.contains(.base) }
    }

    private mutating func spread() {
        var rest = Array(needed)
        while let symbol = rest.popLast() {
            for other in needs[symbol] ?? [] where needed.insert(other).inserted { rest.append(other) }
        }
    }
}

extension SourceFile {
    /// Whether other modules compile the body of the declaration at that line, counted from 1.
    fileprivate func isInlinable(at line: Int) -> Bool {
        lines[max(0, line - 2)..<line].contains { $0.contains("@inlinable") }
    }

    /// The line of the first brace from that line on, both counted from 1. The head of something
    /// inlinable is all of it.
    fileprivate func endOfHead(from line: Int) -> Int {
        let start = code[(line - 1)...].firstIndex { $0.contains("{") } ?? line - 1
        guard isInlinable(at: line) else { return start + 1 }
        let end = code[line - 1].prefix { $0 == " " } + "}"
        return (code[start...].dropFirst().firstIndex { $0 == end } ?? start) + 1
    }
}
