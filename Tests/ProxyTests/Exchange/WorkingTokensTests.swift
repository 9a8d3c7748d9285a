import EventLoop
import TestSupport
import Testing

@testable import Proxy

@Suite struct WorkingTokensTests {
    private let now = Instant(nanoseconds: 1_000_000_000_000)

    @Test func anAcceptedTokenWorksForAWhile() {
        let tokens = WorkingTokens()
        #expect(!tokens.works(1, at: now))
        tokens.note(1, .none, at: now)
        #expect(!tokens.works(1, at: now), "that says nothing of the token")
        tokens.note(1, .accepted, at: now)
        #expect(tokens.works(1, at: now) && !tokens.works(2, at: now) && !tokens.works(ClientToken.none, at: now))
        #expect(tokens.works(1, at: now + .milliseconds(599_999)))
        #expect(!tokens.works(1, at: now + .seconds(600)), "it has to be accepted again")
        tokens.note(2, .accepted, at: now)
        tokens.note(1, .refused, at: now)
        #expect(!tokens.works(1, at: now) && tokens.works(2, at: now))
        let full = WorkingTokens()
        for token in 1...UInt64(WorkingTokens.most) { full.note(token, .accepted, at: now) }
        full.note(5_000, .accepted, at: now)
        #expect(!full.works(5_000, at: now) && full.works(1, at: now))
        let later = now + .seconds(600)
        full.note(5_000, .accepted, at: later)
        #expect(full.works(5_000, at: later))
    }

    @Test func noTokenIsOneMoreTokenAndAnotherOriginKnowsNone() {
        let tokens = WorkingTokens()
        #expect(tokens.worksWithoutToken(at: now), "as long as no client shows one")
        tokens.note(ClientToken.none, .accepted, at: now)
        #expect(tokens.worksWithoutToken(at: now + .seconds(600)))
        tokens.note(1, .accepted, at: now)
        #expect(!tokens.worksWithoutToken(at: now))
        tokens.note(ClientToken.none, .accepted, at: now)
        #expect(tokens.works(ClientToken.none, at: now) && !tokens.worksWithoutToken(at: now + .seconds(600)))
        tokens.note(ClientToken.none, .refused, at: now)
        #expect(!tokens.worksWithoutToken(at: now))
        // Tokens that the old origin accepted opened stored answers before the new one saw them.
        let other = WorkingTokens()
        other.forget()
        #expect(other.worksWithoutToken(at: now), "no client has shown one")
        other.note(1, .accepted, at: now)
        other.note(ClientToken.none, .accepted, at: now)
        other.forget()
        #expect(!other.works(1, at: now) && !other.worksWithoutToken(at: now))
    }

    @Test func numbersTellTokensAndTheirSitesApartAndNoneFromAll() throws {
        var known = BoundTokens()
        // Two that can be read: one is bound to sites.
        let (free, bound) = (
            "Bearer eyJhbGciOiJFUzI1NiJ9.e30.c2ln", "Bearer eyJhbGciOiJFUzI1NiJ9.eyJvcmlnaW4iOltdfQ.c2ln"
        )
        let numbers = try [
            [("Authorization", free)], [("Authorization", bound)],
            [("Authorization", bound), ("Origin", "https://a.example")],
            [("Authorization", bound), ("Origin", "https://b.example")],
            [("Authorization", "Bearer a")], [("Authorization", "Bearer b")],
            [("Authorization", "Bearer a"), ("Origin", "https://a.example")],
            [("Authorization", "Bearer a"), ("Origin", "https://b.example")], [],
        ].map { fields in
            let request = try ParsedRequest(fields: fields.map { Array("\($0): \($1)".utf8) })
            let (head, bytes) = (request.head, request.bytes)
            let number = ClientToken.number(of: head, bytes.span, &known)
            for _ in 0..<2 {
                #expect(number == ClientToken.number(of: ClientAuthorization(head, bytes.span)))
                let again = ClientToken.number(of: head, bytes.span, &known)
                #expect(number == again, "known by now")
            }
            return number
        }
        #expect(Set(numbers).count == 9 && numbers.last == ClientToken.none)
        let page = try ParsedRequest(fields: "Authorization: \(free)", "Origin: https://a.example")
        let number = ClientToken.number(of: page.head, page.bytes.span, &known)
        #expect(number == numbers[0], "no site counts for a token that needs none")
    }
}
