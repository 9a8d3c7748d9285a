import Testing

/// All cases, by the names of their groups. A group has a proxy, an origin and a clock of its own.
enum Conformance {
    static let groups = [
        "freshness": freshness, "response-directives": responseDirectives, "stale": stale, "selection": selection,
        "stored-fields": storedFields, "updates": updates, "invalidation": invalidation,
        "request-directives": requestDirectives,
    ]
}

/// RFC 9111 and its neighbours as cases of a client, the proxy and an origin; class `other` follows
/// them to the letter. `FreshnessTests` has what fields alone decide.
@Suite(.timeLimit(.minutes(10))) struct ConformanceTests {
    @Test(arguments: Conformance.groups.keys.sorted()) func holds(group: String) throws {
        let runner = try ConformanceRunner()
        for (index, conformanceCase) in try #require(Conformance.groups[group]).enumerated() {
            let mismatches = runner.mismatches(conformanceCase, at: "/\(group)/\(index)")
            #expect(mismatches.isEmpty, "\(group): \(conformanceCase.name)")
        }
    }
}
