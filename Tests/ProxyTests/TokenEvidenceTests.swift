import Testing

@testable import Proxy

@Suite struct TokenEvidenceTests {
    private func evidence(
        _ status: Int, isSafe: Bool = true, isPersonal: Bool = false, hasUserToken: Bool = false
    ) -> TokenEvidence {
        TokenEvidence(status: status, isSafe: isSafe, isPersonal: isPersonal, hasUserToken: hasUserToken)
    }

    @Test func answersOfTheCatalogTellWhetherTheTokenWorks() {
        for status in [200, 204, 304] { #expect(evidence(status) == .accepted) }
        for status in [401, 403] { #expect(evidence(status) == .refused) }
        for status in [301, 400, 404, 429, 500] { #expect(evidence(status) == .none) }
        // One user's dead token made the token of the whole app count as unproven.
        for hasUserToken in [false, true] {
            #expect(evidence(403, isPersonal: true, hasUserToken: hasUserToken) == .none)
        }
        #expect(evidence(401, isPersonal: true) == .none, "nobody said who the user is")
        #expect(evidence(401, isPersonal: true, hasUserToken: true) == .refused)
        // Apple answers each DELETE in a library 401.
        for status in [401, 403] {
            for isPersonal in [false, true] {
                #expect(evidence(status, isSafe: false, isPersonal: isPersonal, hasUserToken: true) == .none)
            }
        }
        #expect(evidence(201, isSafe: false, isPersonal: true, hasUserToken: true) == .accepted)
    }
}
