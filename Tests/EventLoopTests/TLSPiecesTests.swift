import TestSupport
import Testing

@testable import EventLoop

/// TLS over a network that cuts records anywhere: a stream that thinks its socket empty when it is
/// not waits for ever.
@Suite struct TLSPiecesTests {
    @Test(arguments: [1...1, 5...5, 1...40, 1...6_000])
    func recordsThatComeInPiecesArriveWhole(sizes: ClosedRange<Int>) throws {
        let authority = try ThrowawayAuthority()
        let client = try ClientTLS(trustAnchors: .pem(authority.certificatePEM()))
        let server = try ServerTLS(authority: authority, hosts: ["localhost"])
        try withLoop { loop in
            let server = try TestServer(loop: loop, tls: server)
            let address = try #require(SocketAddress(host: "127.0.0.1", port: server.port))
            var cutters: [Cutter] = []
            let front = try TestServer(loop: loop) { recorder in
                let back = Cutter(sizes, seed: 2)
                let forth = Cutter(sizes, seed: 1)
                cutters += [forth, back]
                recorder.onOpen = { stream in
                    back.output = stream
                    forth.output = try? Stream.connect(to: address, loop: stream.loop, handler: back)
                    stream.handler = forth
                }
            }
            var random = SeededGenerator(seed: 3)
            let messages = (0..<60).map { noise(Int.random(in: 1...400, using: &random), seed: UInt64($0)) }
            let recorder = try front.client(tls: (client, "localhost")) {
                $0.onOpen = { stream in for message in messages { stream.send(message) } }
            }
            let whole = Array(messages.joined())
            #expect(loop.eventually { recorder.received.count == whole.count || recorder.isClosed })
            #expect(loop.sync { recorder.received == whole && recorder.error == nil })
            loop.sync { cutters = [] }
        }
    }

    /// Passes on the bytes it reads in pieces, one a turn.
    private final class Cutter: StreamHandler {
        var output: Stream?
        private let sizes: ClosedRange<Int>
        private var random: SeededGenerator
        private var bytes: ArraySlice<UInt8> = []
        private var isScheduled = false

        init(_ sizes: ClosedRange<Int>, seed: UInt64) {
            self.sizes = sizes
            random = SeededGenerator(seed: seed)
        }

        func streamDidOpen(_ stream: Stream) {}
        func streamDidDrain(_ stream: Stream) {}
        func streamDidClose(_ stream: Stream, _ error: StreamError?) { output?.close() }

        func streamDidBecomeReadable(_ stream: Stream) {
            withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
                while case .bytes(let count) = stream.read(into: buffer) { bytes += buffer[..<count] }
            }
            pass(stream.loop)
        }

        private func pass(_ loop: EventLoop) {
            guard !isScheduled, !bytes.isEmpty else { return }
            isScheduled = true
            loop.schedule(at: loop.now) { [self] in
                isScheduled = false
                let piece = bytes.prefix(Int.random(in: sizes, using: &random))
                bytes = bytes.dropFirst(piece.count)
                output?.send(Array(piece))
                pass(loop)
            }
        }
    }
}
