import Testing

@testable import Freshness
@testable import HTTP

@Suite struct ParentFactsTests {
    private func facts(_ lines: [String]) -> ParentFacts {
        ResponseFacts(status: 200, fields: Array(lines.map { $0 + "\r\n" }.joined().utf8).span).parent
    }

    @Test(arguments: [
        ("Via: 1.1 refrain", true), ("via: HTTP/1.1 refrain", true), ("Via: 1.1 edge, 1.1 refrain", true),
        ("Via: 1.1 refrain, 1.0 edge (x, y)", true), ("Via: 1.1 refrain (one)", true),
        ("Via: 1.1 \t refrain", true), ("Via: 1.1 refrain2", false), ("Via: 1.1 my-refrain", false),
        ("Via: refrain", false), ("Via: 1.1 edge (refrain)", false), ("Via: 1.1 Refrain", false), ("Via:", false),
        ("Via: ,,", false), ("Via: 1.1 \"a, 1.1 refrain", false), ("X-Via: 1.1 refrain", false),
        ("Cache-Status: refrain; hit; ttl=-5", false),
    ])
    func aParentIsKnownByItsVia(line: String, isParent: Bool) {
        let facts = facts([line])
        #expect(facts.isThere == isParent && facts.countsAge == isParent && facts.staleFor == nil)
    }

    @Test(
        arguments: [
            ("hit; ttl=5", nil), ("hit; ttl=1", nil), ("hit; ttl=0", 1), ("hit; ttl=-1", 1), ("hit; ttl=-500", 500),
            ("hit;ttl=-7;detail=stale-while-revalidate", 7), ("hit; detail=x;  ttl=-7", 7),
            ("hit; ttl=-99999999999999999999", DeltaSeconds.max), ("hit", nil), ("hit; ttl=", nil), ("hit; ttl=-", nil),
            ("hit; ttl=--5", nil), ("hit; ttl=-5x", nil), ("hit; detail=\"; ttl=-5\"", nil),
            ("fwd=stale; fwd-status=503; detail=stale-if-error", 1), ("fwd=stale; detail=stale-if-error", 1),
            ("fwd=stale; fwd-status=200; stored; ttl=86400", nil), ("fwd=stale; fwd-status=200; stored; ttl=0", nil),
            ("fwd=stale; fwd-status=200; stored; ttl=-3", 3),
            ("fwd=stale; fwd-status=304; stored; ttl=60; detail=revalidated", nil),
        ] as [(String, Int?)])
    func whatAParentServedStaleIsKnown(said: String, staleFor: Int?) {
        #expect(facts(["Via: 1.1 refrain", "Cache-Status: refrain; \(said)"]).staleFor == staleFor)
    }

    /// Then `Age` is the origin's.
    @Test func whatAParentOnlyPassedOnIsAsOldAsAnOriginSays() {
        let passed = facts(["Via: 1.1 refrain", "Cache-Status: refrain; fwd=bypass; fwd-status=200; detail=off"])
        #expect(passed.isThere && !passed.countsAge)
        for said in ["hit; ttl=5", "fwd=uri-miss; fwd-status=200; stored; ttl=5", "fwd=stale; detail=stale-if-error"] {
            #expect(facts(["Via: 1.1 refrain", "Cache-Status: refrain; \(said)"]).countsAge)
        }
    }

    @Test func ofSeveralTheOneThatSaysTheLeastGoodCounts() {
        let passed = "Cache-Status: refrain; fwd=bypass; detail=off"
        for lines in [
            ["Cache-Status: refrain; hit; ttl=-9, edge; hit; ttl=50", passed],
            [passed, "Cache-Status: edge; fwd=miss", "Cache-Status: refrain; hit; ttl=-9"],
        ] {
            let facts = facts(["Via: 1.1 refrain, 1.1 refrain"] + lines)
            #expect(facts.staleFor == 9 && facts.countsAge)
        }
        let others = facts(["Via: 1.1 refrain", "Cache-Status: edge; hit; ttl=-9, \"refrain\"; hit; ttl=-9"])
        #expect(others.staleFor == nil && others.countsAge)
    }
}
