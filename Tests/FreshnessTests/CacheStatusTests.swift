import Testing

@testable import Freshness
@testable import HTTP

@Suite struct CacheStatusTests {
    private static func read(_ text: String) -> CacheStatus? {
        let bytes = Array(text.utf8)
        return CacheStatus(nearest: bytes.span, ByteRange(0, bytes.count))
    }

    private static func written(_ status: CacheStatus) -> String {
        var buffer = ByteBuffer(capacity: 128)
        status.write(to: &buffer)
        let line = String(decoding: buffer.copyReadable(), as: UTF8.self)
        return String(line.dropFirst("Cache-Status: ".count).dropLast())
    }

    /// Replays counted answers of other nodes as misses: their word was known to the writer alone.
    @Test(arguments: Reason.allCases) func eachDetailIsReadAsItWasWritten(detail: Reason) {
        let cause = detail.isBypass ? detail : detail.forward.reason
        for status in [
            CacheStatus.hit(ttl: -5, detail: detail), .hit(ttl: 5, detail: nil), .refused(detail),
            .forwarded(.init(reason: cause, status: 304, storing: .stored(ttl: 7, detail: detail), isCollapsed: true)),
            .forwarded(.init(reason: cause, status: nil, storing: .stored(ttl: -7, detail: detail))),
            .forwarded(.init(reason: .absent, status: 200, storing: .no(detail))),
        ] {
            #expect(Self.read(Self.written(status)) == status, "\(Self.written(status))")
        }
    }

    @Test(arguments: ["", "refrain", "refrain; ttl=5", "x; y=\"; hit\"", "x; detail=of-its-own", "\"x; hit"])
    func aFieldThatSaysNothingIsNone(text: String) { #expect(Self.read(text) == nil) }

    @Test func wordsOfOtherProgramsArePassedOver() {
        #expect(Self.read("x; hit; key=\"a, b\"; detail=theirs") == .hit(ttl: .max, detail: nil))
        let miss = CacheStatus.Forwarded(reason: .absent, status: nil, storing: .no(nil))
        #expect(Self.read("x; fwd=theirs; fwd-status=y") == .forwarded(miss))
    }

    @Test func everyReasonHasItsOwnWord() {
        let words = Reason.allCases.map(\.text)
        #expect(Set(words).count == words.count)
        for forward in Reason.Forward.allCases { #expect(forward.reason.forward == forward) }
        #expect(words.allSatisfy { $0.allSatisfy { $0.isLowercase || $0 == "-" } })
    }
}
