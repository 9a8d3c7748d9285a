import Testing

/// The walls between modules and between the folders inside them, held up by reading every source
/// file and `Package.swift`.
@Suite struct ModuleTests {
    /// Rank in the flow of data; a module imports only those of a lower rank.
    static let ranks = ModuleDrawing.ranks

    /// The folders of a module in order: the files of a folder use top-level types only of their
    /// own and of folders before it. Folders in one row know each other. The empty name is the
    /// module's own folder. A module without an entry is not held to an order yet.
    static let folders: [String: [Set<String>]] = [
        "Server": [["Reading", "Frames"], ["Connections", "Sessions"], ["Listening"]],
        "Upstream": [["Messages"], ["Deciding"], ["Sending"]],
        "Tier": [["Protocol"], ["Connecting"], ["Storing"], ["Sharing"]],
        "Compose": [["Sources"], ["Learning"], ["Building"]],
        "Proxy": [
            ["Policy"], ["Bodies"], ["Observe/Counting"], ["Observe/Logging"], ["Observe/Recording"], ["Observe"],
            ["Exchange"], ["Service"],
        ],
        "Admin": [["Requests"], ["Access"], ["Observing"], ["Metrics"], ["Dashboard"], ["Endpoints"]],
        "refrain": [
            ["Values"], ["Configuration"], ["CommandLine"], ["AdminClient"], ["Options"], ["Running"], ["Help"],
            ["Commands"], ["Top"], [""],
        ],
        "Traffic": [["Results"], ["Replay"], ["Warm"], ["Reports"], ["WhatIf"]],
        "Bench": [
            ["Running"], ["Results"], ["Load"], ["Origin"], ["Contenders"], ["Curves"], ["Store"], ["Measurements"],
            ["Latency"], ["Sessions"], ["Compose"], [""],
        ],
    ]

    private func expectNone(_ offences: [String], _ rule: Comment) {
        for offence in offences { Issue.record(Comment(rawValue: offence + ": " + rule.rawValue)) }
    }

    @Test func theDrawingOfTheModulesIsFound() {
        #expect(ModuleDrawing.rows.count > 5 && ModuleDrawing.rows.joined().count == Self.ranks.count)
    }

    @Test func everyModuleHasItsPlace() {
        let unknown = Set(House.sources.map(\.module)).subtracting(Self.ranks.keys)
        let drawn = Set(Self.ranks.keys).subtracting(["CSQLite", "COpenSSL", "CLinux"])
        let gone = drawn.subtracting(House.sources.map(\.module))
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

    @Test func noTypeNameStandsForTwoThings() {
        var modules: [String: Set<String>] = [:]
        for file in House.sources {
            for name in file.types { modules[name, default: []].insert(file.module) }
        }
        let twins = modules.filter { $0.value.count > 1 }
        expectNone(
            twins.map { "\($0.key) in \($0.value.sorted().joined(separator: " and "))" }.sorted(),
            "a name stands for one thing in the whole tree; give one of them another")
    }

    @Test(arguments: folders.keys.sorted())
    func foldersOfAModuleUseThoseBeforeThem(_ module: String) throws {
        let rows = try #require(Self.folders[module])
        let files = House.sources.filter { $0.module == module }
        var row: [String: Int] = [:]
        for (index, folders) in rows.enumerated() { for folder in folders { row[folder] = index } }
        let unknown = Set(files.map(\.folder)).subtracting(row.keys)
        expectNone(unknown.sorted().map { "\(module)/\($0)" }, "give this folder its place in ModuleTests.folders")
        var home: [String: SourceFile] = [:]
        for file in files { for name in file.types { home[name] = file } }
        for file in files {
            guard let own = row[file.folder] else { continue }
            for name in file.names.sorted() {
                guard let other = home[name], let theirs = row[other.folder], theirs > own else { continue }
                Issue.record(
                    """
                    \(file.path) names \(name), which is in \(other.folder): \
                    a folder uses those before it in ModuleTests.folders; move the type or pass what is needed of it
                    """)
            }
        }
    }
}
