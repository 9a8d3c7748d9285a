import EventLoop

@testable import HTTP
@testable import Upstream

/// The time of all events: these tests are about bytes.
private let start = Instant(nanoseconds: 0)

/// Feeds bytes to a `ResponseReader` the way a connection does, in pieces of a given size.
struct ResponsePlayer {
    enum Ending {
        /// The origin closes after the last byte.
        case close
        /// It keeps the connection open and says nothing more.
        case silence
    }

    enum Outcome {
        case answered(UpstreamResponse)
        /// A large answer; its content put together again.
        case streamed(UpstreamResponse)
        /// Nothing can be said yet; `began` if the receiver has already been given a beginning.
        case waiting(began: Bool)
        case failed(UpstreamFailure, began: Bool)
    }

    var method = Method.get
    var maxCollectedBytes = 8 << 20
    /// Bytes handed over at a time.
    var pieceSize = Int.max
    /// Content of a known length is put straight into place, as connections do.
    var readsDirectly = false

    struct Result {
        var outcome: Outcome
        var keepsAlive: Bool
        /// The number of bytes after the end of the answer.
        var surplus: Int
        /// The sizes of the pieces of content that were reported one by one.
        var pieces: [Int]
        var interim: [UpstreamInterim] = []
    }

    func play(_ bytes: [UInt8], ending: Ending) -> Result {
        var reader = ResponseReader(
            from: SiteAddress(isTLS: true, host: "api.music.apple.com", port: 443), limits: .response,
            maxCollectedBytes: maxCollectedBytes)
        reader.begin(answering: method, isReused: false, at: start)
        var buffer = ByteBuffer(capacity: 1024)
        var begun: UpstreamResponse?
        var pieces: [Int] = []
        var interim: [UpstreamInterim] = []
        var rest = bytes[...]

        func result(_ outcome: Outcome) -> Result {
            Result(
                outcome: outcome, keepsAlive: reader.keepsAlive, surplus: buffer.readableCount + rest.count,
                pieces: pieces, interim: interim)
        }
        func handle(_ event: UpstreamEvent?) -> Outcome? {
            switch event {
            case nil: return nil
            case .interim(let response): interim.append(response)
            case .answered(let response): return .answered(response)
            case .began(let response): begun = response
            case .received(let content):
                pieces.append(content.count)
                begun?.body += content
            case .finished: return begun.map { .streamed($0) }
            case .failed(let failure): return .failed(failure, began: begun != nil)
            }
            return nil
        }
        do {
            while true {
                var isWaiting = false
                while !isWaiting {
                    let step = try buffer.withReadable { span throws(UpstreamFailure) in
                        try reader.read(span, at: start)
                    }
                    buffer.consume(step.consumed)
                    if let outcome = handle(step.event) { return result(outcome) }
                    if step.event == nil { isWaiting = true }
                }
                guard !rest.isEmpty else { break }
                let room = reader.directRoom
                if readsDirectly, room > 0, buffer.isEmpty {
                    reader.readDirectly(min(room, pieceSize)) { memory in
                        let piece = rest.prefix(memory.count)
                        memory.copyBytes(from: piece)
                        rest.removeFirst(piece.count)
                        return piece.count
                    }
                } else {
                    let piece = rest.prefix(pieceSize)
                    buffer.append(piece)
                    rest.removeFirst(piece.count)
                }
            }
            guard ending == .close else { return result(.waiting(began: begun != nil)) }
            return result(handle(try reader.end(at: start)) ?? .waiting(began: begun != nil))
        } catch {
            return result(.failed(error, began: begun != nil))
        }
    }
}

extension ResponsePlayer.Outcome {
    /// The complete answer, however it was handed over.
    var response: UpstreamResponse? {
        switch self {
        case .answered(let response), .streamed(let response): response
        case .waiting, .failed: nil
        }
    }

    var failure: UpstreamFailure? {
        if case .failed(let failure, _) = self { failure } else { nil }
    }
}
