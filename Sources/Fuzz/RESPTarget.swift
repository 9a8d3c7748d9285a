@testable import Tier

extension FuzzTarget {
    /// Reading cut anywhere gives the same replies; replies that were read and are written anew are
    /// read as the same.
    static let replies = FuzzTarget(
        name: "replies", summary: "what the shared tier's engine sends",
        run: { bytes in
            let whole = readInPieces(bytes) { ReadReplies(bytes, cuts: $0) }
            if bytes.count <= 256 {
                for cut in bytes.indices { precondition(ReadReplies(bytes, cuts: [cut]) == whole, "cut at \(cut)") }
            }
            var written: [UInt8] = []
            for reply in whole.replies { reply.append(to: &written) }
            // Bytes that are no UTF-8 are repaired, and longer then.
            let again = ReadReplies(written, cuts: [], limits: RESPLimits())
            precondition(again.replies == whole.replies && again.fault == nil, "what was written is not what was read")
        },
        seeds: {
            [
                "+OK\r\n-ERR unknown command\r\n:-1\r\n$-1\r\n*-1\r\n", "$5\r\na\r\nb\0\r\n*0\r\n$0\r\n\r\n",
                "*3\r\n$6\r\nmaster\r\n:3129659\r\n*1\r\n*2\r\n$9\r\n127.0.0.1\r\n$4\r\n9001\r\n",
                "*1\r\n*2\r\n$3\r\n1-0\r\n*2\r\n$1\r\na\r\n$2\r\n12\r\n", ":9223372036854775807\r\n:1x\r\n",
            ].map { Array($0.utf8) }
        })
}

/// The replies that a connection reads, without the connection.
private struct ReadReplies: Equatable {
    /// Small, so that they are met.
    private static let small: RESPLimits = {
        var limits = RESPLimits()
        limits.maxLineBytes = 40
        limits.maxBulkBytes = 200
        limits.maxElements = 20
        limits.maxReplyBytes = 400
        return limits
    }()

    private(set) var replies: [RESPReply] = []
    private(set) var fault: RESPFault?
    /// Up to the end of the last reply.
    private var consumed = 0
    private var isBetweenReplies = true

    init(_ bytes: [UInt8], cuts: [Int], limits: RESPLimits = Self.small) {
        var reader = RESPReader(limits: limits)
        var count = 0
        do throws(RESPFault) {
            for piece in pieces(bytes, cuts: cuts) { try read(Array(piece), &reader, &count) }
            isBetweenReplies = reader.isBetweenReplies
        } catch {
            fault = error
        }
    }

    private mutating func read(_ piece: [UInt8], _ reader: inout RESPReader, _ count: inout Int) throws(RESPFault) {
        var offset = 0
        while offset < piece.count {
            let step = try reader.read(piece.span.extracting(offset...))
            precondition(step.consumed > 0 && offset + step.consumed <= piece.count, "no more than there is")
            offset += step.consumed
            count += step.consumed
            guard let reply = step.reply else { return precondition(offset == piece.count, "all was looked at") }
            replies.append(reply)
            consumed = count
        }
    }
}
