import Foundation
import TestSupport

/// Where each symbol of `Sources` is defined and named, as the compiler found.
///
/// Must hold: it covers only files that exist. Units of other files are ignored, and `outdated`
/// lists the files that are newer than their unit, or have none.
struct SymbolIndex: Sendable {
    struct Symbol: Sendable {
        /// As Swift writes it: `lookup(_:at:)`.
        let name: String
        let kind: Kind

        /// Its name without parameters.
        var baseName: String { String(name.prefix { $0 != "(" }) }
    }

    struct Kind: Equatable, Sendable {
        let rawValue: UInt32

        static let `protocol` = Kind(rawValue: 8)
        static let `extension` = Kind(rawValue: 9)
        static let enumCase = Kind(rawValue: 15)
        static let destructor = Kind(rawValue: 23)
        static let parameter = Kind(rawValue: 25)
    }

    struct Roles: OptionSet, Sendable {
        let rawValue: UInt64

        static let definition = Roles(rawValue: 1 << 1)
        static let reference = Roles(rawValue: 1 << 2)
        static let implicit = Roles(rawValue: 1 << 8)
        static let child = Roles(rawValue: 1 << 9)
        /// Names a type that a type inherits from or conforms to.
        static let base = Roles(rawValue: 1 << 10)
        /// Overrides a member of a superclass, or witnesses a requirement.
        static let override = Roles(rawValue: 1 << 11)
        static let extended = Roles(rawValue: 1 << 14)
        static let accessor = Roles(rawValue: 1 << 15)
    }

    /// A place in a file that defines or names a symbol.
    struct Occurrence: Sendable {
        /// Indices of `symbols`, here and in `relations`.
        let symbol: Int
        let roles: Roles
        /// Both counted from 1, columns in bytes.
        let line: Int
        let column: Int
        let relations: [(symbol: Int, roles: Roles)]
        /// Whether the text declares something here, other than a parameter.
        let isDeclaration: Bool
    }

    private(set) var symbols: [Symbol] = []
    /// By path from the top of the package, in the order of the text.
    private(set) var files: [String: [Occurrence]] = [:]
    /// Where each symbol of `Sources` is defined, by its index.
    private(set) var homes: [Int: (file: String, place: Occurrence)] = [:]
    /// Paths of sources that were changed after the build of this index.
    private(set) var outdated: [String] = []
    private var indices: [String: Int] = [:]

    /// The index that the build of this program left next to it: `make test` asks for one.
    static let ofThisBuild: SymbolIndex? = {
        guard FileManager.default.fileExists(atPath: folder.path), let library = IndexLibrary.ofThisToolchain,
            let store = library.openStore(folder.path, nil)
        else { return nil }
        return SymbolIndex(library, store)
    }()

    /// `.build/tests/index` for `.build/tests/TRIPLE/debug/PROGRAM`.
    private static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("index")

    /// The package is built without its fuzzer.
    static let indexed = House.sources.filter { $0.module != "Fuzz" }

    static let requirement = Requirement(
        "no index of symbols (make test leaves one, and needs libIndexStore.so beside swiftc): "
            + "the order of folders and what is public were not looked at"
    ) { IndexLibrary.ofThisToolchain != nil && folder.path.hasSuffix("/.build/tests/index") }

    private init(_ library: IndexLibrary, _ store: IndexLibrary.Handle) {
        let paths = Dictionary(uniqueKeysWithValues: Self.indexed.map { (House.top.path + "/" + $0.path, $0.path) })
        var newest: [String: (time: Double, record: String)] = [:]
        for name in library.units(of: store) {
            guard let unit = library.openUnit(store, name, nil) else { continue }
            defer { library.closeUnit(unit) }
            let file = IndexLibrary.string(library.unitFile(unit))
            guard let path = paths[file], let record = Self.record(of: file, in: unit, library) else { continue }
            let time = Self.time(of: unit, library)
            if time > newest[path]?.time ?? 0 { newest[path] = (time, record) }
        }
        for path in paths.values.sorted() {
            guard let unit = newest[path], unit.time >= Self.modificationTime(of: path),
                let record = library.openRecord(store, unit.record, nil)
            else {
                outdated.append(path)
                continue
            }
            let found = occurrences(in: record, library)
            library.closeRecord(record)
            files[path] = found
            for place in found where place.roles.contains(.definition) {
                if place.isDeclaration || homes[place.symbol] == nil { homes[place.symbol] = (path, place) }
            }
        }
    }

    /// The index in `symbols` of the compiler's name; nil where no file has it.
    func symbol(_ usr: String) -> Int? { indices[usr] }

    private mutating func occurrences(in record: IndexLibrary.Handle, _ library: IndexLibrary) -> [Occurrence] {
        var found: [Occurrence] = []
        library.each(library.visitOccurrences, in: record) { occurrence in
            var relations: [(symbol: Int, roles: Roles)] = []
            library.each(library.visitRelations, in: occurrence) { relation in
                let roles = Roles(rawValue: library.relationRoles(relation))
                relations.append((index(of: library.relationSymbol(relation), library), roles))
            }
            var (line, column): (CUnsignedInt, CUnsignedInt) = (0, 0)
            library.occurrencePlace(occurrence, &line, &column)
            let symbol = index(of: library.occurrenceSymbol(occurrence), library)
            let roles = Roles(rawValue: library.occurrenceRoles(occurrence))
            found.append(
                Occurrence(
                    symbol: symbol, roles: roles, line: Int(line), column: Int(column), relations: relations,
                    isDeclaration: roles.contains(.definition) && roles.isDisjoint(with: [.implicit, .accessor])
                        && symbols[symbol].kind != .parameter))
        }
        return found.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    }

    private mutating func index(of symbol: IndexLibrary.Handle, _ library: IndexLibrary) -> Int {
        let usr = IndexLibrary.string(library.symbolUSR(symbol))
        if let known = indices[usr] { return known }
        indices[usr] = symbols.count
        let kind = Kind(rawValue: library.symbolKind(symbol))
        symbols.append(Symbol(name: IndexLibrary.string(library.symbolName(symbol)), kind: kind))
        return symbols.count - 1
    }

    /// The name of the record that a unit has of its own file, not of modules that it imports.
    private static func record(
        of file: String, in unit: IndexLibrary.Handle, _ library: IndexLibrary
    ) -> String? {
        let recordKind: CUnsignedInt = 2
        var name: String?
        library.each(library.visitDependencies, in: unit) { dependency in
            guard library.dependencyKind(dependency) == recordKind,
                IndexLibrary.string(library.dependencyPath(dependency)) == file
            else { return }
            name = IndexLibrary.string(library.dependencyName(dependency))
        }
        return name
    }

    private static func time(of unit: IndexLibrary.Handle, _ library: IndexLibrary) -> Double {
        var (seconds, nanoseconds): (Int64, Int64) = (0, 0)
        library.unitTime(unit, &seconds, &nanoseconds)
        return Double(seconds) + Double(nanoseconds) / 1e9
    }

    private static func modificationTime(of path: String) -> Double {
        let attributes = try? FileManager.default.attributesOfItem(atPath: House.top.path + "/" + path)
        return (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970 ?? .infinity
    }
}
