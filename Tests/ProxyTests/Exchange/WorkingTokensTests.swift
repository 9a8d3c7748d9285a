import EventLoop
import Testing

@testable import Proxy

@Suite struct WorkingTokensTests {
    private let now = Instant(nanoseconds: 1_000_000_000_000)

    @Test func tokenWorksOnceTheOriginHasAcceptedIt() {
        let tokens = WorkingTokens()
        #expect(!tokens.works(1, at: now))
        for status in [404, 429, 500, 301] { tokens.note(1, status: status, at: now) }
        #expect(!tokens.works(1, at: now), "that says nothing of the token")
        tokens.note(1, status: 304, at: now)
        #expect(tokens.works(1, at: now) && !tokens.works(2, at: now) && !tokens.works(ClientToken.none, at: now))
    }

    @Test(arguments: [401, 403]) func tokenThatIsRefusedWorksNoMore(status: Int) {
        let tokens = WorkingTokens()
        for token in 1...2 { tokens.note(UInt64(token), status: 200, at: now) }
        tokens.note(1, status: status, at: now)
        #expect(!tokens.works(1, at: now) && tokens.works(2, at: now))
    }

    @Test func tokenHasToBeAcceptedAgainAfterAWhile() {
        let tokens = WorkingTokens()
        tokens.note(1, status: 200, at: now)
        #expect(tokens.works(1, at: now + .milliseconds(599_999)))
        #expect(!tokens.works(1, at: now + .seconds(600)))
    }

    @Test func whatIsRememberedIsBoundedAndMakesRoom() {
        let tokens = WorkingTokens()
        for token in 1...UInt64(WorkingTokens.most) { tokens.note(token, status: 200, at: now) }
        tokens.note(5_000, status: 200, at: now)
        #expect(!tokens.works(5_000, at: now) && tokens.works(1, at: now))
        let later = now + .seconds(600)
        tokens.note(5_000, status: 200, at: later)
        #expect(tokens.works(5_000, at: later))
    }

    @Test func noTokenIsOneMoreToken() {
        let tokens = WorkingTokens()
        #expect(tokens.worksWithoutToken(at: now), "as long as no client shows one")
        tokens.note(ClientToken.none, status: 200, at: now)
        #expect(tokens.worksWithoutToken(at: now + .seconds(600)))
        tokens.note(1, status: 200, at: now)
        #expect(!tokens.worksWithoutToken(at: now))
        tokens.note(ClientToken.none, status: 200, at: now)
        #expect(tokens.works(ClientToken.none, at: now) && !tokens.worksWithoutToken(at: now + .seconds(600)))
        tokens.note(ClientToken.none, status: 401, at: now)
        #expect(!tokens.worksWithoutToken(at: now))
    }

    @Test func numbersTellTokensApartAndNoneFromAll() {
        let one = ClientToken.number(of: Array("Bearer a".utf8))
        #expect(one == ClientToken.number(of: Array("Bearer a".utf8).span))
        #expect(one != ClientToken.number(of: Array("Bearer b".utf8)) && one != ClientToken.none)
        #expect(ClientToken.number(of: nil) == ClientToken.none)
    }
}
