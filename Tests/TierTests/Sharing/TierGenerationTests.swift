import Testing
import Text

@testable import Cache
@testable import Tier

@Suite struct TierGenerationTests {
    private let keys = TierKeys(prefix: "t")
    private let key = UserHashKey.common(prefix: Array("t".utf8))

    private func user(_ token: String) throws -> UserHash {
        let bytes = Array(token.utf8)
        let hash = key.hash(token: bytes.span)
        return try #require(hash)
    }

    private func drawn(_ number: UInt64) -> UserGeneration { UserGeneration(bits: UInt128(number) << 64 | 7) }

    @Test func questionsAnnouncementsAndRepliesAgree() throws {
        let anna = try user("anna")
        let commands = TierGeneration.question(anna, keys, drawn: drawn(3))
        let value = Hexadecimal.text(anna.bytes) + ":" + Hexadecimal.text(drawn(3).bytes)
        let name = "t:{t}:g:" + Hexadecimal.text(anna.bytes)
        #expect(commands == [RESPCommand("SET", name, value, "NX", "PX", "86400000"), RESPCommand("GET", name)])
        for first in [RESPReply.simple("OK"), .bulk(nil)] {
            #expect(TierGeneration.read([first, .bulk(value)], of: anna) == .current(drawn(3)))
        }
        let writing = Hexadecimal.text(anna.bytes) + ":writing"
        #expect(TierGeneration.announcement(anna, keys) == [RESPCommand("SET", name, writing, "PX", "180000")])
        #expect(TierGeneration.read([.bulk(nil), .bulk(writing)], of: anna) == .writing)
    }

    @Test func otherRepliesAreUnknownAndUsersHaveOneName() throws {
        let (anna, ben) = (try user("anna"), try user("ben"))
        let good = RESPReply.bulk(Array((Hexadecimal.text(anna.bytes) + ":writing").utf8))
        let cut = RESPReply.bulk(Array((Hexadecimal.text(anna.bytes) + ":abc").utf8))
        let replies: [[RESPReply]?] = [
            nil, [], [good], [.simple("OK"), .bulk(nil)], [.error(code: "READONLY", text: ""), good],
            [.simple("OK"), cut], [.simple("OK"), .simple("OK")], [good, .simple("OK")],
        ]
        for reply in replies { #expect(TierGeneration.read(reply, of: anna) == .unknown) }
        #expect(TierGeneration.read([.simple("OK"), good], of: ben) == .unknown, "another user's")
        let token = Array("anna".utf8)
        let other = UserHashKey.common(prefix: Array("t".utf8)).hash(token: token.span)
        #expect(anna == other && anna != ben)
    }
}
