import Testing

@testable import Tier

/// Each limit at its value and one above.
@Suite struct RESPLimitsTests {
    private let limits = RESPLimits()

    private func refusal(_ bytes: [UInt8], _ limits: RESPLimits? = nil) -> RESPFault? {
        ReadReplies(bytes, limits: limits ?? self.limits).fault
    }

    private func count(_ bytes: [UInt8], _ limits: RESPLimits? = nil) -> Int {
        ReadReplies(bytes, limits: limits ?? self.limits).replies.count
    }

    private func array(_ count: Int) -> [UInt8] { Array("*\(count)\r\n".utf8) }

    @Test func linesBulksDepthAndElementsAreBounded() {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 64 << 10)
        #expect(count([UInt8(ascii: "+")] + text + [13, 10]) == 1)
        #expect(refusal([UInt8(ascii: "+")] + text) == nil)
        #expect(refusal([UInt8(ascii: "+")] + text + [UInt8(ascii: "a")]) == .lineTooLong)
        let content = [UInt8](repeating: 1, count: 8 << 20)
        #expect(count(Array("$\(content.count)\r\n".utf8) + content + [13, 10]) == 1)
        // The announcement alone is enough.
        #expect(refusal(Array("$\(content.count + 1)\r\n".utf8)) == .bulkTooLarge)
        let nested = (0..<4).flatMap { _ in array(1) }
        #expect(count(nested + Array(":1\r\n".utf8)) == 1)
        #expect(refusal(nested + array(1)) == .nestedTooDeep)
        #expect(refusal(nested + array(0)) == .nestedTooDeep)
        let many = (0..<100_000).flatMap { _ in Array(":1\r\n".utf8) }
        #expect(count(array(100_000) + many) == 1)
        #expect(refusal(array(100_001)) == .tooManyElements)
    }

    @Test func elementsOfAllArraysCountTogetherAndForOneReply() {
        var small = limits
        small.maxElements = 5
        let reply = array(2) + array(3) + Array(":1\r\n:2\r\n:3\r\n:4\r\n".utf8)
        #expect(count(reply + reply, small) == 2)
        #expect(refusal(array(2) + array(4), small) == .tooManyElements)
        #expect(refusal(array(2) + array(3) + Array(":1\r\n:2\r\n:3\r\n".utf8) + array(1), small) == .tooManyElements)
    }

    @Test func wholeReply() {
        #expect(limits.maxReplyBytes == 24 << 20)
        var small = limits
        small.maxReplyBytes = 20
        // The lines `2`, `9`, `8` and the bulks.
        let first = array(2) + Array("$9\r\n123456789\r\n".utf8)
        let reply = first + Array("$8\r\n12345678\r\n".utf8)
        #expect(count(reply + reply, small) == 2)
        #expect(refusal(first + Array("$9\r\n".utf8), small) == .replyTooLarge)
        #expect(refusal(array(2) + Array("+12345678901234567890\r\n".utf8), small) == .replyTooLarge)
    }
}
