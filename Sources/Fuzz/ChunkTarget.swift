@testable import HTTP

extension FuzzTarget {
    /// Content in chunks is the same however it is cut, and no longer than its chunks; content that
    /// is written in chunks is read as it was.
    static let chunks = FuzzTarget(
        name: "chunks", summary: "content in chunks, with extensions and trailers",
        run: { bytes in
            let whole = readInPieces(bytes) { ReadChunks(bytes, cuts: $0) }
            precondition(whole.content.count <= bytes.count)
            let written = pieces(bytes, cuts: cuts(bytes)).flatMap { piece in
                Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8)
            }
            let again = ReadChunks(written + Array("0\r\n\r\nrest".utf8), cuts: [])
            precondition(again.content == bytes && again.consumed == written.count + 5, "written and read")
        },
        seeds: {
            ["3;a=\"b\\\"c\"\r\nabc\r\n0\r\nT: v\r\n\r\n", "0\r\n\r\n", "00000000000000a\r\n0123456789\r\n0\r\n\r\n"]
                .map { Array($0.utf8) }
        })
}

private struct ReadChunks: Equatable {
    private(set) var content: [UInt8] = []
    /// Up to the end of the content; nil where that is not reached.
    private(set) var consumed: Int?
    private var error: ParseError?

    init(_ bytes: [UInt8], cuts: [Int]) {
        var decoder = BodyDecoder(.chunked, limits: .request)
        var buffer = ByteBuffer(capacity: 64)
        var count = 0
        for piece in pieces(bytes, cuts: cuts) where consumed == nil && error == nil {
            buffer.append(piece)
            do throws(ParseError) {
                while try read(&decoder, &buffer, &count) {}
            } catch {
                self.error = error
            }
        }
    }

    /// False where more is needed, or nothing more comes.
    private mutating func read(
        _ decoder: inout BodyDecoder, _ buffer: inout ByteBuffer, _ count: inout Int
    ) throws(ParseError) -> Bool {
        let piece = try buffer.withReadable { (bytes) throws(ParseError) in try decoder.next(bytes) }
        switch piece {
        case .content(let range, let taken):
            buffer.withReadable { content += $0.extracting(range.range).copy() }
            buffer.consume(taken)
            count += taken
            return true
        case .needMore(let taken):
            buffer.consume(taken)
            count += taken
            return false
        case .end(let taken):
            consumed = count + taken
            return false
        }
    }
}
