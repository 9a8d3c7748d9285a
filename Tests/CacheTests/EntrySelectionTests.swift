import TestSupport
import Testing

@testable import Cache

@Suite struct EntrySelectionTests {
    private func selection(_ change: (inout EntrySelection) -> Void) -> EntrySelection {
        var selection = EntrySelection()
        change(&selection)
        return selection
    }

    @Test func allConditionsMustHold() {
        let answer = response("/v1/catalog/us/songs/1?l=en", resources: [7])
        #expect(EntrySelection().matches(answer))
        let target = Array("/v1/catalog/us/songs/1?l=en".utf8)
        #expect(selection { ($0.target, $0.storefront) = (target, Array("us".utf8)) }.matches(answer))
        #expect(!selection { ($0.target, $0.storefront) = (target, Array("gb".utf8)) }.matches(answer))
        #expect(!selection { $0.target = Array(target.dropLast()) }.matches(answer))
        #expect(selection { $0.prefix = Array(target.dropLast()) }.matches(answer))
        #expect(selection { ($0.prefix, $0.resource) = (Array("/v1/".utf8), 7) }.matches(answer))
        #expect(!selection { ($0.prefix, $0.resource) = (Array("/v1/".utf8), 8) }.matches(answer))
    }

    @Test func aTargetIsChosenWithAllItsVariantsAndUsers() {
        let target = selection { $0.target = Array("/a".utf8) }
        #expect(target.matches(response("/a", variant: "gzip")) && target.matches(response("/a", scope: someone(1))))
        #expect(!target.matches(response("/a/b")) && !target.matches(response("/a?b=1")))
    }

    @Test(arguments: [41, 42] as [UInt64])
    func aResourceIsFoundAmongThoseNamed(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for count in 0..<60 {
            let resources = Set((0..<count).map { _ in UInt64.random(in: 0..<100, using: &generator) }).sorted()
            let answer = response("/a", resources: resources)
            for number in 0..<100 as Range<UInt64> {
                #expect(answer.mayName(number) == resources.contains(number), "seed \(seed), \(resources), \(number)")
            }
        }
    }

    @Test func whatMayNameAnyResourceNamesEach() {
        let answer = response("/a", resources: [StoredResponse.everyResource])
        #expect([0, 1, .max - 1].allSatisfy { answer.mayName($0) })
    }

    @Test func aSignpostStaysFreshAndGoesWithTheRest() {
        let signpost = response("/a", selecting: "accept-language")
        let soft = Purge(selection: EntrySelection(), mode: .soft, now: noon)
        let hard = Purge(selection: EntrySelection(), mode: .hard, now: noon)
        if case .stays = soft.fate(of: signpost) {} else { Issue.record("a signpost is softened") }
        if case .goes = hard.fate(of: signpost) {} else { Issue.record("a signpost stays") }
    }
}
