import Testing

@testable import Tier

@Suite struct RESPReplyTests {
    @Test func eachKindHasItsAccessor() {
        let all: [RESPReply] = [
            .simple("OK"), .error(code: "ERR", text: "x"), .integer(7), .bulk("a"), .bulk(nil), .array([.integer(1)]),
            .array(nil),
        ]
        #expect(all.map(\.bytes) == [nil, nil, nil, Array("a".utf8), nil, nil, nil])
        #expect(all.map(\.number) == [nil, nil, 7, nil, nil, nil, nil])
        #expect(all.map(\.elements) == [nil, nil, nil, nil, nil, [.integer(1)], nil])
        #expect(all.map(\.errorCode) == [nil, "ERR", nil, nil, nil, nil, nil])
        #expect(all.map(\.isNil) == [false, false, false, false, true, false, true])
        #expect(all.map(\.isOK) == [true, false, false, false, false, false, false])
        #expect(!RESPReply.bulk("OK").isOK)
    }

    @Test func examplesAreWrittenAsTheyWereRead() {
        for (wire, replies) in RESPReaderTests.examples {
            #expect(replies.flatMap(\.wire) == Array(wire.utf8))
        }
    }
}
