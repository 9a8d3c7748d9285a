import TestSupport
import Testing

/// Every declaration of `Sources` is used, and every public one by another module.
@Suite(.requires(SymbolIndex.requirement)) struct DeclarationTests {
    private let index: SymbolIndex

    init() throws { index = try #require(SymbolIndex.ofThisBuild) }

    @Test func whatIsDeclaredIsUsedAndWhatIsPublicIsNeeded() {
        expectNone(index.outdated, "newer than the index of symbols; build the tests again")
        #expect(index.files.count > 500 && index.homes.count > 10_000)
        expectNone(Exposure(index).unneeded, "no other module needs it; take `public` away")
        expectNone(index.unused, "nothing uses it; take it out")
    }

    // MARK: No number from outside ends the process on its way from a Double to an integer

    private static let helper = "Sources/Text/BoundedConversion.swift"
    /// `T(_:)` of a Double for any integer type T, as generic code calls it.
    private static let generic = "s:Szyxqd__cSBRd__lufc"
    /// The same for each type, as the compiler names them.
    private static let conversions =
        ["s:SiySiSdcfc", "s:SuySuSdcfc"]
        + ["Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"].map {
            "s:s\($0.utf8.count)\($0)VyABSdcfc"
        }

    @Test func noDoubleBecomesAnIntegerWithoutBounds() {
        let banned = Set((Self.conversions + [Self.generic]).compactMap { index.symbol($0) })
        // Benchmarks count with their own figures alone.
        let found = index.files.filter { !$0.key.hasPrefix("Sources/Bench/") }.flatMap { file, places in
            places.filter { banned.contains($0.symbol) }.map { (file, "\(file):\($0.line)") }
        }
        #expect(found.contains { $0.0 == Self.helper }, "the names above are not those of this compiler any more")
        let offences = found.filter { $0.0 != Self.helper }.map(\.1)
        expectNone(offences.sorted(), "write Int(clamping: value), which ends no process")
    }

    // MARK: A file that leads back to itself cannot be understood before the others of its circle

    /// The modules that have no circles of files.
    private static let straight = ["HTTP", "Store", "Upstream", "Recording"]

    @Test(arguments: straight) func noFileOfAStraightModuleLeadsBackToItself(_ module: String) {
        #expect(Self.circles(["a": ["b"], "b": ["c"], "c": ["b"], "d": ["a"]]) == [["b", "c"]])
        let arrows = self.arrows(in: module)
        #expect(arrows.values.contains { !$0.isEmpty })
        expectNone(
            Self.circles(arrows).joined().map { "\($0), by \((arrows[$0] ?? []).sorted().joined(separator: ", "))" },
            "these files name each other in a circle; move a member, or pass what is needed of it")
    }

    /// The modules that have no large circles of files.
    private static let bent = [
        "Text", "EventLoop", "AppleMusic", "Freshness", "Purging", "Cache", "Server", "Upstream", "Tier",
        "Proxy", "Admin", "Simulator", "Traffic", "refrain",
    ]

    @Test(arguments: bent) func noCircleOfFilesIsLarge(_ module: String) {
        let most = 7
        expectNone(
            Self.circles(arrows(in: module)).filter { $0.count > most }.map { $0.joined(separator: ", ") },
            "more than \(most) files name each other in a circle; find the few arrows that close it")
    }

    /// The files of a module, each with the other ones that it names.
    private func arrows(in module: String) -> [String: Set<String>] {
        let files = SymbolIndex.indexed.filter { $0.module == module }.map(\.path)
        return Dictionary(
            uniqueKeysWithValues: files.map { file in
                let uses = (index.files[file] ?? []).filter { $0.roles.contains(.reference) }
                let homes = Set(uses.compactMap { index.homes[$0.symbol]?.file })
                return (file, homes.intersection(files).subtracting([file]))
            })
    }

    /// The files of each circle: all of them lead to all others.
    private static func circles(_ arrows: [String: Set<String>]) -> [[String]] {
        let ends = Dictionary(uniqueKeysWithValues: arrows.keys.map { ($0, reached(from: $0, by: arrows)) })
        let circles = ends.compactMap { start, found in
            found.contains(start) ? found.filter { ends[$0]?.contains(start) == true } : nil
        }
        return Set(circles).map { $0.sorted() }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static func reached(from start: String, by arrows: [String: Set<String>]) -> Set<String> {
        var found: Set<String> = []
        var waiting = Array(arrows[start] ?? [])
        while let next = waiting.popLast() {
            if found.insert(next).inserted { waiting += arrows[next] ?? [] }
        }
        return found
    }
}

extension SymbolIndex {
    private static let unnamed: [Kind] = [.extension, .enumCase, .destructor]

    /// Places of declarations that no file names. A name that occurs in tests or in the fuzzer,
    /// which are in no index, counts as used. A case may be reached by its raw value, and a global
    /// of `main.swift` may be there to live as long as the program.
    fileprivate var unused: [String] {
        let others = House.tests + House.sources.filter { $0.module == "Fuzz" }
        let words = others.reduce(into: Set<String>()) { $0.formUnion($1.words) }
        var used: Set<Int> = []
        for place in files.values.joined() {
            let isWitness = place.relations.contains { $0.roles.contains(.override) }
            if isWitness || place.roles.contains(.reference) { used.insert(place.symbol) }
        }
        return homes.compactMap { symbol, home in
            let declared = symbols[symbol]
            guard home.place.isDeclaration, !Self.unnamed.contains(declared.kind), !used.contains(symbol),
                !declared.name.isEmpty, !words.contains(declared.baseName), !home.file.hasSuffix("/main.swift")
            else { return nil }
            return "\(home.file):\(home.place.line) \(declared.name)"
        }.sorted()
    }
}

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
