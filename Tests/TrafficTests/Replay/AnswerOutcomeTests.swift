import Proxy
import Testing

@testable import HTTP
@testable import Traffic

@Suite struct AnswerOutcomeTests {
    private static func read(_ text: String) throws -> AnswerReader {
        var reader = AnswerReader()
        reader.begin(keepsContent: true)
        _ = try reader.read(Array(text.utf8).span)
        return reader
    }

    @Test(arguments: [
        ("Cache-Status: refrain; hit; ttl=5", Outcome.hit), ("Cache-Status: refrain; hit; ttl=-5", .stale),
        ("Cache-Status: refrain; hit; ttl=-5; detail=stale-while-revalidate", .stale),
        ("Cache-Status: refrain; hit; ttl=5; detail=composed", .composed),
        ("Cache-Status: refrain; fwd=uri-miss; fwd-status=200; stored; ttl=60", .miss),
        ("Cache-Status: refrain; fwd=uri-miss; fwd-status=200; collapsed; stored; ttl=60", .collapsed),
        ("Cache-Status: refrain; fwd=stale; fwd-status=304; stored; ttl=60; detail=revalidated", .revalidated),
        ("Cache-Status: refrain; fwd=stale; detail=stale-if-error", .staleIfError),
        ("Cache-Status: refrain; fwd=uri-miss; stored; ttl=60; detail=shared", .collapsed),
        ("Cache-Status: refrain; fwd=request; fwd-status=200; detail=request-no-store", .bypass),
        ("Cache-Status: theirs; fwd=stale; fwd-status=304", .revalidated),
        ("Cache-Status: theirs; fwd=bypass; fwd-status=304", .bypass),
        ("Cache-Status: refrain; fwd=uri-miss; detail=upstream-connect", .failed),
        ("Cache-Status: refrain; fwd=bypass; fwd-status=200; detail=personal", .bypass),
        ("Cache-Status: refrain; detail=waited-too-long", .refused),
        ("Cache-Status: origin; fwd=uri-miss, \"a;b,c\"; hit", .hit), ("X-Cache: HIT", .hit),
        ("X-Cache: HIT, MISS", .miss), ("X-Cache-Status: UPDATING", .stale), ("x-cache: TCP_MISS from here", .miss),
    ]) func theOutcomeIsWhatTheNearestCacheSays(_ field: String, _ outcome: Outcome) throws {
        let reader = try Self.read("HTTP/1.1 200 OK\r\nServer: x\r\n\(field)\r\nContent-Length: 0\r\n\r\n")
        #expect(reader.caching.outcome == outcome)
    }

    @Test func anAnswerThatSaysNothingHasNoOutcome() throws {
        let reader = try Self.read("HTTP/1.1 200 OK\r\nCache-Status: x\r\nContent-Length: 0\r\n\r\n")
        #expect(reader.caching.outcome == nil)
    }
}
