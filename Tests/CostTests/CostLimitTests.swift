import Testing

@Suite struct CostLimitTests {
    private let limit = CostLimit(.hit, instructions: 5_500, allocations: 0.3)

    private func complaints(_ instructions: Double, _ allocations: Double) -> [String] {
        limit.complaints(about: Cost(instructions: instructions, allocations: allocations))
    }

    @Test func moreThanIsAllowedAndFarLessAreTold() throws {
        #expect(complaints(5_500, 0.3).isEmpty && complaints(3_700, 0).isEmpty)
        #expect(complaints(5_000, 1).count == 1 && complaints(6_000, 1).count == 2)
        let text = try #require(complaints(5_600, 0).first)
        #expect(text.hasPrefix("hit: 5600 instructions a request, 5500 are allowed"))
        #expect(text.contains("put instructions: 6160 into the line .hit of Tests/CostTests/CostLimits.swift"))
        #expect(text.contains("callgrind_annotate "))
        // A path that had become better failed the whole run.
        #expect(complaints(2_700, 0).isEmpty)
        let remarks = limit.remarks(about: Cost(instructions: 2_700, allocations: 0))
        #expect(remarks.count == 1 && remarks[0].contains("put instructions: 2970 into"))
        #expect(limit.remarks(about: Cost(instructions: 2_800, allocations: 0)).isEmpty)
    }

    @Test func aProfileIsReadWithNamesThatStandOnce() throws {
        let text = """
            events: Ir
            fn=(1) answer
            cfn=(2) malloc
            calls=3 0
            0 30
            cfn=(3) free
            calls=5 0
            0 50
            fn=(2)
            0 30
            fn=(4) other
            cfn=(2)
            calls=4 0
            0 40
            totals: 1234
            """
        let profile = try #require(CallgrindProfile(text))
        #expect(profile.instructions == 1234 && profile.allocations == 7)
        #expect(profile.inclusive == ["malloc": 70, "free": 50])
        #expect(CallgrindProfile("events: Ir") == nil)
    }
}
