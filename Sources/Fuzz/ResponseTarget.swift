import EventLoop
@testable import HTTP
@testable import Upstream

/// The time of all events.
private let start = Instant(nanoseconds: 0)

extension FuzzTarget {
    /// Reading cut anywhere gives the same answer, and no larger one is collected than may be.
    static let responses = FuzzTarget(
        name: "responses", summary: "what the origin sends: interim responses, heads, content",
        run: { bytes in
            for method in [Method.get, .head] {
                _ = readInPieces(bytes) { ReadResponse(bytes, cuts: $0, method) }
            }
        },
        seeds: {
            Seeds.corpus("upstream") + [
                Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nETag: \"a\"\r\n\r\n{}".utf8),
                Array("HTTP/1.1 103 Early Hints\r\nLink: <https://a/b>\r\n\r\nHTTP/1.1 404 No\r\n\r\nabc".utf8),
                Array("HTTP/1.1 301 X\r\nLocation: https://a/b\r\nAlt-Svc: clear\r\n\r\n".utf8),
                Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a\r\n{}\r\n0\r\nX: y\r\n\r\n".utf8),
            ]
        })
}

/// The answer that a connection to the origin reads, without the connection.
private struct ReadResponse: Equatable {
    /// Small, so that larger answers are met too.
    private static let mostCollected = 512
    private static let site = SiteAddress(isTLS: true, host: "a", port: 443)

    private var statuses: [Int] = []
    private var fields: [UInt8] = []
    private var content: [UInt8] = []
    private var isStreamed = false
    private var isOver = false
    private var failure: String?
    private var surplus = 0
    private var keepsAlive = false

    init(_ bytes: [UInt8], cuts: [Int], _ method: Method) {
        var reader = ResponseReader(from: Self.site, limits: .response, maxCollectedBytes: Self.mostCollected)
        reader.begin(answering: method, isReused: false, at: start)
        var buffer = ByteBuffer(capacity: 64)
        do throws(UpstreamFailure) {
            for piece in pieces(bytes, cuts: cuts) {
                buffer.append(piece)
                while !isOver, try read(&reader, &buffer) {}
            }
            if !isOver { take(try reader.end(at: start)) }
            keepsAlive = reader.keepsAlive
        } catch {
            failure = "\(error)"
        }
        surplus = isOver ? buffer.readableCount : 0
        precondition(isStreamed || content.count <= Self.mostCollected, "more was collected than may be")
    }

    private mutating func read(_ reader: inout ResponseReader, _ buffer: inout ByteBuffer) throws(UpstreamFailure)
        -> Bool
    {
        let step = try buffer.withReadable { span throws(UpstreamFailure) in try reader.read(span, at: start) }
        precondition(step.consumed <= buffer.readableCount, "no more is consumed than there is")
        buffer.consume(step.consumed)
        take(step.event)
        return step.event != nil
    }

    private mutating func take(_ event: UpstreamEvent?) {
        switch event {
        case nil: break
        case .interim(let interim): statuses.append(interim.status)
        case .answered(let response):
            begin(response)
            isOver = true
        case .began(let response):
            begin(response)
            isStreamed = true
        case .received(let bytes): content += bytes
        case .finished: isOver = true
        case .failed(let failure): preconditionFailure("\(failure) is thrown")
        }
    }

    private mutating func begin(_ response: UpstreamResponse) {
        statuses.append(response.status)
        fields = response.fields.bytes
        content = response.body
    }
}
