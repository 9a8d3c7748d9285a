import Testing

@testable import HTTP
@testable import Server

/// The outcome of reading bytes as the server does: all that a test wants to compare.
struct Verdict: Equatable, CustomStringConvertible {
    enum End: Equatable {
        /// Every byte belonged to a request.
        case clean
        /// A request has begun and not ended.
        case incomplete
        /// The last request closes the connection; bytes after it were not looked at.
        case closed
        case error(ParseError)
    }

    var targets: [String] = []
    var contents: [[UInt8]] = []
    var end = End.clean

    var messages: Int { contents.count }

    var error: ParseError? {
        if case .error(let error) = end { error } else { nil }
    }

    var description: String {
        "\(messages) messages, \(end), targets \(targets.map { $0.prefix(40) })"
    }

    /// Reads requests, one after the other, out of bytes that come in pieces.
    init(reading bytes: [UInt8], cuts: [Int] = [], limits: MessageLimits = .request) {
        var reader = RequestReader(limits: limits)
        var input = ByteBuffer(capacity: 64)
        var from = 0
        for cut in cuts + [bytes.count] where cut > from {
            input.append(bytes[from..<cut])
            from = cut
            guard take(&reader, &input) else { return }
        }
        end = reader.isReadingBody || !input.isEmpty ? .incomplete : .clean
    }

    /// False once the connection is over.
    private mutating func take(_ reader: inout RequestReader, _ input: inout ByteBuffer) -> Bool {
        while !input.isEmpty || reader.isReadingBody {
            let step = reader.advance(&input)
            switch step {
            case .needMore, .continueExpected: return true
            case .failed(let error):
                end = .error(error)
                return false
            case .contentAhead, .complete:
                let target = reader.head.target
                if step == .contentAhead || reader.hasHeadInPlace {
                    targets.append(reader.withHeadBytes(input) { $0.text(target) })
                }
                guard step == .complete else { continue }
                contents.append(reader.body)
                if !reader.head.keepsAlive { end = .closed }
                reader.finish(&input)
                if end == .closed { return false }
            }
        }
        return true
    }
}

/// Ways to cut a message of this length: once, at every offset of a short one and at a sample of a
/// long one; and, unless it is very long, into single bytes.
func cutLists(_ length: Int) -> [[Int]] {
    guard length > 1 else { return [] }
    let step = length <= 150 ? 1 : length <= 2000 ? 3 : max(1, length / 60)
    let once = stride(from: 1, to: length, by: step).map { [$0] }
    return length <= 4096 ? once + [Array(1..<length)] : once
}
