import TestSupport
import Testing

/// A file that leads back to itself cannot be understood before the others of its circle.
@Suite(.requires(SymbolIndex.requirement)) struct CircleTests {
    /// The modules that have no circles of files.
    private static let straight = ["HTTP", "Store"]

    @Test(arguments: straight) func noFileOfAStraightModuleLeadsBackToItself(_ module: String) throws {
        let index = try #require(SymbolIndex.ofThisBuild)
        let arrows = Self.arrows(in: module, index)
        #expect(arrows.values.contains { !$0.isEmpty })
        expectNone(
            Self.circling(arrows).map { "\($0), by \((arrows[$0] ?? []).sorted().joined(separator: ", "))" },
            "these files name each other in a circle; move a member, or pass what is needed of it")
    }

    @Test func theFilesInCirclesAreCounted() throws {
        let index = try #require(SymbolIndex.ofThisBuild)
        for module in Set(SymbolIndex.indexed.map(\.module)).sorted() {
            let arrows = Self.arrows(in: module, index)
            FigureTable.note("files in circles, \(module)", "\(Self.circling(arrows).count) of \(arrows.count)")
        }
    }

    @Test func aCircleIsFound() {
        let arrows: [String: Set<String>] = ["a": ["b"], "b": ["c"], "c": ["b"], "d": ["a"]]
        #expect(Self.circling(arrows) == ["b", "c"])
    }

    /// The files of a module, each with the other ones that it names.
    private static func arrows(in module: String, _ index: SymbolIndex) -> [String: Set<String>] {
        let files = SymbolIndex.indexed.filter { $0.module == module }.map(\.path)
        return Dictionary(
            uniqueKeysWithValues: files.map { file in
                let uses = (index.files[file] ?? []).filter { $0.roles.contains(.reference) }
                let homes = Set(uses.compactMap { index.homes[$0.symbol]?.file })
                return (file, homes.intersection(files).subtracting([file]))
            })
    }

    /// Those that lead back to themselves.
    private static func circling(_ arrows: [String: Set<String>]) -> [String] {
        arrows.keys.filter { start in
            var found: Set<String> = []
            var waiting = Array(arrows[start] ?? [])
            while let next = waiting.popLast() {
                if found.insert(next).inserted { waiting += arrows[next] ?? [] }
            }
            return found.contains(start)
        }.sorted()
    }
}
