import Cache
import Freshness
import Testing

@testable import Proxy

@Suite struct SealedBodiesTests {
    private func response(
        _ number: Int, bytes: Int = SealedBodies.leastBytes, scope: CacheKey.Scope = .shared
    ) -> StoredResponse {
        StoredResponse(
            key: CacheKey(of: .none, scope: scope, target: Array("/v1/catalog/us/albums/\(number)".utf8)), status: 200,
            fields: [], body: [UInt8](repeating: 1, count: bytes), receivedAt: 0, lifetime: Lifetime(freshFor: 60),
            classTag: 1, storefront: [])
    }

    /// Asks for a file twice, after which there is one.
    private func seal(_ stored: StoredResponse, in bodies: SealedBodies) {
        for _ in 0..<2 { _ = bodies.file(of: stored) }
    }

    @Test func makesAFileOfTheResponseThatIsAskedForTwice() throws {
        let bodies = SealedBodies(maxBytes: 1 << 20)
        let stored = response(1)
        #expect(bodies.file(of: stored) == nil)
        let file = try #require(bodies.file(of: stored))
        #expect(bodies.file(of: stored) === file)
        #expect(file.count == stored.body.count)
        #expect(bodies.byteCount == file.count)
        // The same target, another content.
        let (old, new) = (response(2), response(2, bytes: SealedBodies.leastBytes + 1))
        _ = bodies.file(of: old)
        #expect(bodies.file(of: old)?.count == old.body.count)
        #expect(bodies.file(of: new) == nil)
        #expect(bodies.file(of: new)?.count == new.body.count)
        #expect(bodies.byteCount == stored.body.count + new.body.count)
    }

    @Test func leavesSmallLargeAndPersonalOnes() throws {
        let bodies = SealedBodies(maxBytes: SealedBodies.leastBytes * 2)
        let user = try #require(UserScopes()).user(ofToken: Array("a token".utf8).span)
        let scope = try #require(user.map { CacheKey.Scope.personal($0) })
        for stored in [
            response(1, bytes: SealedBodies.leastBytes - 1), response(2, bytes: SealedBodies.leastBytes * 2 + 1),
            response(3, scope: scope),
        ] {
            for _ in 0..<3 { #expect(bodies.file(of: stored) == nil) }
        }
        #expect(bodies.byteCount == 0)
    }

    /// Many small ones must not take the descriptors that clients need.
    @Test func filesAreBoundedAndThoseOfGoneResponsesGiveWay() {
        let bodies = SealedBodies(maxBytes: .max)
        var kept: [StoredResponse] = []
        for number in 0..<SealedBodies.mostFiles + 20 {
            kept.append(response(number))
            seal(kept[number], in: bodies)
        }
        #expect(bodies.byteCount == SealedBodies.mostFiles * SealedBodies.leastBytes)
        let small = SealedBodies(maxBytes: 1 << 20)
        for number in 0..<3 { seal(response(number), in: small) }
        let last = response(3)
        seal(last, in: small)
        #expect(small.byteCount == last.body.count)
    }

    @Test func staysWithinItsBoundAndKeepsWhatIsUsed() {
        let bodies = SealedBodies(maxBytes: SealedBodies.leastBytes * 4)
        let hot = response(0)
        var gone: [StoredResponse] = []
        for number in 1...20 {
            seal(hot, in: bodies)
            let other = response(number)
            gone.append(other)
            seal(other, in: bodies)
            #expect(bodies.byteCount <= SealedBodies.leastBytes * 4)
            #expect(bodies.file(of: hot) != nil)
        }
        #expect(bodies.file(of: gone[0]) == nil)
    }

    @Test func keepsNoResponseAlive() {
        let bodies = SealedBodies(maxBytes: 1 << 20)
        var stored: StoredResponse? = response(1)
        weak let seen = stored
        if let stored { seal(stored, in: bodies) }
        stored = nil
        #expect(seen == nil)
    }
}
