@testable import HTTP
@testable import Server

extension FuzzTarget {
    /// Reading cut anywhere gives the same requests; requests that were read and are written anew
    /// are read as the same.
    static let requests = FuzzTarget(
        name: "requests", summary: "what clients send: heads, framing, content",
        run: { bytes in
            let whole = readInPieces(bytes) { ReadRequests(bytes, cuts: $0) }
            // The target of an absolute form without a path begins with no `/`, and is written in
            // another form.
            for request in whole.requests where request.target.first == UInt8(ascii: "/") {
                let again = ReadRequests(request.written, cuts: [])
                precondition(again.requests == [request] && again.error == nil, "what was written is not what was read")
            }
        },
        seeds: {
            Seeds.corpus("http1") + [
                Array(
                    "GET /v1/catalog/us/songs/1?l=en HTTP/1.1\r\nHost: a\r\nIf-None-Match: \"a\", W/\"b\"\r\n\r\n".utf8),
                Array("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.0\r\n\r\n".utf8),
                Array(
                    "PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x=\"y\"\r\nabc\r\n0\r\nT: v\r\n\r\n"
                        .utf8),
            ]
        })
}

/// The requests that a connection reads, without the connection.
private struct ReadRequests: Equatable {
    struct Request: Equatable {
        var method: [UInt8]
        var target: [UInt8]
        var isHTTP10: Bool
        /// Fields that say nothing of the framing, as they came.
        var fields: [[[UInt8]]] = []
        var content: [UInt8]
        var hasContent: Bool

        /// With the content in one piece.
        var written: [UInt8] {
            let version = isHTTP10 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n"
            var bytes = method + [0x20] + target + Array(version.utf8)
            for field in fields { bytes += field[0] + Array(": ".utf8) + field[1] + Array("\r\n".utf8) }
            if hasContent { bytes += Array("Content-Length: \(content.count)\r\n".utf8) }
            return bytes + Array("\r\n".utf8) + content
        }
    }

    private(set) var requests: [Request] = []
    private(set) var error: ParseError?

    init(_ bytes: [UInt8], cuts: [Int]) {
        var reader = RequestReader(limits: .request)
        var buffer = ByteBuffer(capacity: 64)
        for piece in pieces(bytes, cuts: cuts) {
            buffer.append(piece)
            while error == nil, read(&reader, &buffer) {}
        }
    }

    /// False where more is needed.
    private mutating func read(_ reader: inout RequestReader, _ buffer: inout ByteBuffer) -> Bool {
        switch reader.advance(&buffer) {
        case .needMore, .continueExpected: return false
        case .contentAhead: return true
        case .failed(let error):
            self.error = error
            return false
        case .complete:
            let (head, content) = (reader.head, reader.body)
            requests.append(reader.withHeadBytes(buffer) { Self.request(head, $0, content) })
            reader.finish(&buffer)
            return !buffer.isEmpty
        }
    }

    private static func request(_ head: RequestHead, _ bytes: Span<UInt8>, _ content: [UInt8]) -> Request {
        func text(_ range: ByteRange) -> [UInt8] { bytes.extracting(range.range).copy() }
        var request = Request(
            method: text(head.methodText), target: text(head.target), isHTTP10: head.version == .http10,
            content: content, hasContent: !content.isEmpty)
        for field in head.fields
        where field.id != .contentLength && field.id != .transferEncoding && field.id != .trailer {
            request.fields.append([text(field.name), text(field.value)])
        }
        return request
    }
}
