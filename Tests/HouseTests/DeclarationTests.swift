import TestSupport
import Testing

/// Every declaration of `Sources` is used, and every public one by another module.
@Suite(.requires(SymbolIndex.requirement)) struct DeclarationTests {
    private let index: SymbolIndex

    init() throws {
        index = try #require(SymbolIndex.ofThisBuild)
    }

    @Test func theIndexIsOfTheseSources() {
        expectNone(index.outdated, "newer than the index of symbols; build the tests again")
        #expect(index.files.count > 500 && index.homes.count > 10_000)
    }

    @Test func whatIsPublicIsNeededByAnotherModule() {
        expectNone(Exposure(index).unneeded, "no other module needs it; take `public` away")
    }

    @Test func whatIsDeclaredIsUsed() {
        expectNone(index.unused, "nothing uses it; take it out")
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
