@testable import Tier

/// The replies that a reader finds in bytes that come in pieces.
struct ReadReplies: Equatable {
    private(set) var replies: [RESPReply] = []
    private(set) var fault: RESPFault?
    private(set) var isBetweenReplies = true

    init(_ pieces: [[UInt8]], limits: RESPLimits = RESPLimits()) {
        var reader = RESPReader(limits: limits)
        do throws(RESPFault) {
            for piece in pieces {
                var offset = 0
                while offset < piece.count {
                    let step = try reader.read(piece.span.extracting(offset...))
                    offset += step.consumed
                    if let reply = step.reply { replies.append(reply) }
                }
            }
            isBetweenReplies = reader.isBetweenReplies
        } catch {
            fault = error
        }
    }

    init(_ bytes: [UInt8], cuts: [Int] = [], limits: RESPLimits = RESPLimits()) {
        self.init(zip([0] + cuts, cuts + [bytes.count]).map { Array(bytes[$0..<$1]) }, limits: limits)
    }

    init(_ text: String, cuts: [Int] = []) { self.init(Array(text.utf8), cuts: cuts) }
}

extension RESPReply {
    static func bulk(_ text: String) -> RESPReply { .bulk(Array(text.utf8)) }

    var wire: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }
}
