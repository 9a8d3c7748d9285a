import Testing

/// The walls between modules and between the folders inside them, held up by reading every source
/// file and `Package.swift`.
@Suite struct ModuleTests {
    /// Rank in the flow of data; a module imports only those of a lower rank.
    static let ranks = ModuleDrawing.ranks

    static let folders = ModuleDrawing.folders

    @Test func everyModuleHasItsPlace() {
        let unknown = Set(House.sources.map(\.module)).subtracting(Self.ranks.keys)
        let drawn = Set(Self.ranks.keys).subtracting(["CSQLite", "COpenSSL", "CLinux", "CBuild"])
        let gone = drawn.subtracting(House.sources.map(\.module))
        #expect(ModuleDrawing.rows.joined().count == Self.ranks.count, "a module is drawn once")
        expectNone(gone.sorted(), "take it out of the drawing of ARCHITECTURE.md: it is no module")
        expectNone(unknown.sorted(), "give this module a rank in the drawing of ARCHITECTURE.md")
    }

    @Test func importsPointUpTheFlowOfData() {
        let offences = House.sources.flatMap { file in
            file.imports.filter { Self.ranks[$0.module].map { $0 >= Self.ranks[file.module] ?? 0 } ?? false }
                .map { file.place($0.line) }
        }
        expectNone(offences, "a module imports only those above it in ARCHITECTURE.md; move the code or pass a closure")
    }

    @Test func whatIsImportedIsDeclaredAndWhatIsDeclaredIsImported() throws {
        let declared = PackageManifest.dependencies
        #expect(declared["Proxy"]?.contains("Upstream") == true && declared["refrain"]?.contains("Admin") == true)
        var imported: [String: Set<String>] = [:]
        for file in House.sources { imported[file.module, default: []].formUnion(file.imports.map(\.module)) }
        for (module, imports) in imported.sorted(by: { $0.key < $1.key }) {
            let needed = imports.intersection(Self.ranks.keys)
            let stated = try #require(declared[module], "Package.swift has no target \(module)")
            expectNone(needed.subtracting(stated).sorted(), "\(module) imports it; declare it in Package.swift")
            expectNone(stated.subtracting(needed).sorted(), "\(module) never imports it; take it out of Package.swift")
        }
    }

    @Test func noTypeNameMeansTwoThings() {
        var modules: [String: Set<String>] = [:]
        for file in House.sources { for name in file.types { modules[name, default: []].insert(file.module) } }
        let twins = modules.filter { $0.value.count > 1 }
        expectNone(
            twins.map { "\($0.key) in \($0.value.sorted().joined(separator: " and "))" }.sorted(),
            "a name stands for one thing in the whole tree; give one of them another")
    }

    @Test func everyFolderHasItsPlace() {
        let places = Self.folders.mapValues { $0.reduce(into: Set<String>()) { $0.formUnion($1) } }
        let unknown = SymbolIndex.indexed.filter { places[$0.module]?.contains($0.folder) != true }
        let gone = places.flatMap { module, folders in
            folders.subtracting(House.sources.filter { $0.module == module }.map(\.folder)).map { module + "/" + $0 }
        }
        #expect(Self.folders["refrain"]?.first == ["Values"], "the rows of the drawing are not read")
        expectNone(unknown.map(\.path), "give its folder a place in the drawing of ARCHITECTURE.md")
        expectNone(gone.sorted(), "take it out of the drawing of ARCHITECTURE.md: it is no folder")
    }

    @Test(.requires(SymbolIndex.requirement), arguments: folders.keys.sorted())
    func foldersOfAModuleUseThoseBeforeThem(_ module: String) throws {
        let index = try #require(SymbolIndex.ofThisBuild)
        let rows = try #require(Self.folders[module])
        let rank = Dictionary(uniqueKeysWithValues: rows.enumerated().flatMap { row, names in names.map { ($0, row) } })
        let files = SymbolIndex.indexed.filter { $0.module == module }
        let ranks = Dictionary(uniqueKeysWithValues: files.map { ($0.path, rank[$0.folder] ?? 0) })
        for file in files {
            for use in index.files[file.path] ?? [] where use.roles.contains(.reference) {
                guard let home = index.homes[use.symbol], ranks[home.file] ?? 0 > ranks[file.path] ?? 0 else {
                    continue
                }
                Issue.record(
                    """
                    \(file.path):\(use.line) names \(index.symbols[use.symbol].name) of \(home.file): a folder uses \
                    those before it in the drawing of ARCHITECTURE.md; move the member or pass what is needed of it
                    """)
            }
        }
    }
}
