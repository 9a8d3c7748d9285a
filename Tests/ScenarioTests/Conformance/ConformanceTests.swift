import Testing

/// RFC 9111 and its neighbours as cases of a client, the proxy and an origin; class `other` follows
/// them to the letter. `FreshnessTests` has what fields alone decide.
@Suite(.timeLimit(.minutes(10))) struct ConformanceTests {
    @Test(arguments: Conformance.groups)
    func holds(group: ConformanceGroup) throws {
        let runner = try ConformanceRunner()
        defer { runner.stop() }
        for (index, conformanceCase) in group.cases.enumerated() {
            let name = "\(group.name): \(conformanceCase.name)"
            let mismatches = runner.mismatches(conformanceCase, at: "/\(group.name)/\(index)")
            #expect(mismatches.isEmpty, "\(name)")
        }
    }

    @Test func everyCaseHasANameOfItsOwn() {
        let names = Conformance.groups.flatMap { group in group.cases.map { "\(group.name): \($0.name)" } }
        #expect(Set(names).count == names.count)
    }
}
