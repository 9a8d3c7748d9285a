import TestSupport
import Testing

@testable import Tier

@Suite struct RESPReaderTests {
    private static let examples: [(wire: String, replies: [RESPReply])] = [
        ("+OK\r\n", [.simple("OK")]), ("+\r\n", [.simple("")]),
        ("-ERR unknown command 'x'\r\n", [.error(code: "ERR", text: "unknown command 'x'")]),
        ("-NOSCRIPT\r\n", [.error(code: "NOSCRIPT", text: "")]), ("-\r\n", [.error(code: "", text: "")]),
        (":0\r\n:1000\r\n:-1\r\n", [.integer(0), .integer(1000), .integer(-1)]),
        (":9223372036854775807\r\n", [.integer(.max)]), (":-9223372036854775808\r\n", [.integer(.min)]),
        ("$5\r\nhello\r\n", [.bulk("hello")]), ("$0\r\n\r\n", [.bulk("")]), ("$-1\r\n", [.bulk(nil)]),
        ("$8\r\n\r\n$1\r\n\r\n\r\n", [.bulk("\r\n$1\r\n\r\n")]), ("*0\r\n", [.array([])]), ("*-1\r\n", [.array(nil)]),
        ("*2\r\n$1\r\na\r\n$-1\r\n", [.array([.bulk("a"), .bulk(nil)])]),
        ("*2\r\n*0\r\n*1\r\n:1\r\n+x\r\n", [.array([.array([]), .array([.integer(1)])]), .simple("x")]),
        (
            "*3\r\n$6\r\nmaster\r\n:3129659\r\n*1\r\n*3\r\n$9\r\n127.0.0.1\r\n$4\r\n9001\r\n$7\r\n3129242\r\n",
            [
                .array([
                    .bulk("master"), .integer(3_129_659),
                    .array([.array([.bulk("127.0.0.1"), .bulk("9001"), .bulk("3129242")])]),
                ])
            ]
        ),
        ("*1\r\n*1\r\n*1\r\n*1\r\n:4\r\n", [.array([.array([.array([.array([.integer(4)])])])])]),
    ]

    @Test func everyCutOfEveryExampleIsTheSame() {
        for (wire, replies) in Self.examples {
            let (whole, count) = (ReadReplies(wire), wire.utf8.count)
            #expect(whole.replies == replies, "\(wire.debugDescription)")
            #expect(whole.fault == nil && whole.isBetweenReplies, "\(wire.debugDescription)")
            #expect(replies.flatMap(\.wire) == Array(wire.utf8), "it is written as it was read")
            for cut in 1..<count {
                #expect(ReadReplies(wire, cuts: [cut]).replies == replies, "\(wire.debugDescription) cut at \(cut)")
                let part = ReadReplies(Array(wire.utf8.prefix(cut)))
                #expect(part.fault == nil && part.replies.count < replies.count && replies.starts(with: part.replies))
                #expect(!part.isBetweenReplies || cut < count - 1)
            }
            #expect(ReadReplies(wire, cuts: Array(1..<count)).replies == replies, "\(wire.debugDescription)")
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 400 Bad Request\r\n", RESPFault.kind), ("\r\n", .kind),
        // RESP3, which was not asked for.
        ("_\r\n", .kind), ("%1\r\n+a\r\n+b\r\n", .kind),
        ("+OK\n", .lineEnd), ("+OK\rX", .lineEnd), ("+a\r\r\n", .lineEnd), (":\r\n", .number), (":-\r\n", .number),
        (":+1\r\n", .number), (":01\r\n", .number),
        (":-0\r\n", .number), (":1.5\r\n", .number), (": 1\r\n", .number), (":9223372036854775808\r\n", .number),
        (":-9223372036854775809\r\n", .number), ("$\r\n", .number), ("$?\r\n", .number), ("$-2\r\n", .length),
        ("*-2\r\n", .length), ("*-9223372036854775808\r\n", .length), ("$9223372036854775807\r\n", .bulkTooLarge),
        ("*9223372036854775807\r\n", .tooManyElements), ("$1\r\nab\r\n", .lineEnd), ("$1\r\na\n", .lineEnd),
        ("$0\r\nX", .lineEnd), ("*1\r\nOK\r\n", .kind),
    ])
    func malformedBytesAreNamed(wire: String, fault: RESPFault) {
        for cuts in [[], Array(1..<wire.utf8.count)] {
            let read = ReadReplies(wire, cuts: cuts)
            #expect(read.fault == fault && read.replies.isEmpty)
        }
    }

    @Test func aFaultIsFinal() {
        let read = ReadReplies("+OK\r\n:1\r\n?\r\n+OK\r\n")
        #expect(read.replies == [.simple("OK"), .integer(1)])
        #expect(read.fault == .kind)
        var reader = RESPReader()
        #expect(thrown { () throws(RESPFault) in try reader.read([0x21].span) } == .kind)
        #expect(thrown { () throws(RESPFault) in try reader.read(Array("+OK\r\n".utf8).span) } == .kind)
    }

    @Test func repliesEndWhereTheyEndAndBulksKeepAllBytes() throws {
        var reader = RESPReader()
        let bytes = Array("$1\r\na\r\n+OK\r\n".utf8)
        let first = try reader.read(bytes.span)
        #expect(first == RESPReader.Step(consumed: 7, reply: .bulk("a")))
        #expect(reader.isBetweenReplies)
        let second = try reader.read(bytes.span.extracting(7...))
        #expect(second == RESPReader.Step(consumed: 5, reply: .simple("OK")))
        let none = try reader.read(bytes.span.extracting(first: 0))
        #expect(none == RESPReader.Step(consumed: 0, reply: nil))
        let all = (0...255).map { UInt8($0) }
        let wire = Array("$256\r\n".utf8) + all + Array("\r\n+".utf8) + [0xFF] + Array("\r\n".utf8)
        #expect(ReadReplies(wire).replies == [.bulk(all), .simple("\u{FFFD}")])
        #expect(RESPReply.array(nil).isNil && !RESPReply.bulk("OK").isOK)
    }
}
