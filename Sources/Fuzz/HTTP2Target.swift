@testable import EventLoop
@testable import HTTP
@testable import Server

extension FuzzTarget {
    /// The verdict on frames does not depend on how they are cut.
    ///
    /// An accepted head is one request of HTTP/1.1 with as many fields, whatever its bytes are.
    static let http2 = FuzzTarget(
        name: "http2", summary: "frames of HTTP/2 as they are watched, and heads of it",
        run: { bytes in
            _ = readInPieces(bytes) { watched(bytes, cuts: $0) }
            readHead(bytes)
        },
        seeds: {
            let frames: [[UInt8]] = [
                [0, 0, 0, 4, 0, 0, 0, 0, 0], [0, 0, 8, 6, 0, 0, 0, 0, 0] + [UInt8](0..<8),
                [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x82],
                [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 8],
                [0, 0, 0, 0, 0, 0, 0, 0, 1],
                [0, 0, 1, 1, 0, 0, 0, 0, 1, 0x82], [0, 0, 1, 9, 0, 0, 0, 0, 1, 0x84],
            ]
            let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
            let head = ":method\nGET\n:scheme\nhttps\n:path\n/v1/a?b=c\n:authority\na.example\n"
            return [preface + frames.joined()] + frames.map { preface + $0 }
                + [
                    head, head + "cookie\na=1\ncookie\nb=2\nte\ntrailers\n",
                    head + "content-length\n3\nhost\na.example\n",
                ]
                .map { Array($0.utf8) }
        })

    private static func watched(_ bytes: [UInt8], cuts: [Int]) -> FrameWatch.Offence? {
        var watch = FrameWatch()
        do throws(FrameWatch.Offence) {
            for piece in pieces(bytes, cuts: cuts) {
                try watch.read(Array(piece).span, at: Instant(nanoseconds: 1_000_000_000))
            }
            return nil
        } catch {
            return error
        }
    }

    /// Names and values by turns, each in a line: line ends in them are written as NUL.
    private static func readHead(_ bytes: [UInt8]) {
        let words = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { word in
            word.map { $0 == 0 ? UInt8(ascii: "\n") : $0 }
        }
        var head = HTTP2RequestHead(limits: .request)
        var buffer = ByteBuffer(capacity: 64)
        head.reset()
        var (fields, cookies) = (0, 0)
        for index in stride(from: 0, to: words.count - 1, by: 2) {
            let (name, value) = (words[index], words[index + 1])
            head.add(name.span, value.span, to: &buffer)
            let isCookie = name == Array("cookie".utf8)
            if isCookie { cookies += 1 } else if name.first != UInt8(ascii: ":") { fields += 1 }
        }
        guard (try? head.end(isLast: true, serverName: nil, to: &buffer)) == HTTP2RequestHead.Content.none else {
            return
        }
        var reader = RequestReader(limits: .request)
        guard reader.advance(&buffer) == .complete else { return }
        precondition(reader.head.byteCount == buffer.readableCount, "bytes are left after the request")
        // Host comes from the authority; a Host that repeats it is dropped.
        precondition(reader.head.fields.count <= fields + min(cookies, 1) + 1, "a field more than there were")
    }
}
