import COpenSSL
import TestSupport
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10))) struct TLSStreamTests: LoopSuite {
    let scene = LoopScene()
    let authority: ThrowawayAuthority
    let client: ClientTLS
    let server: ServerTLS

    init() throws {
        authority = try ThrowawayAuthority()
        client = try ClientTLS(trustAnchors: .pem(authority.certificatePEM()))
        server = try ServerTLS(authority: authority, hosts: ["localhost"])
    }

    /// 6 MiB each way at the same time, in uneven pieces, with the receiver paused at first.
    @Test func largeTransfersBothWaysArriveWhole() throws {
        var random = SeededGenerator(seed: 11)
        let body = noise(6 << 20, seed: 12)
        func start(_ stream: Stream) {
            var offset = 0
            while offset < body.count {
                let count = min(Int.random(in: 1...50_000, using: &random), body.count - offset)
                body[offset..<(offset + count)].withUnsafeBytes { head in
                    // Every other piece by the two-part call.
                    if offset % 2 == 0 { stream.send(head) } else { stream.send(head, []) }
                }
                offset += count
            }
        }
        func configure(_ recorder: Recorder) { (recorder.onOpen, recorder.isPaused) = (start, true) }
        let server = try TestServer(loop: loop, tls: server, configure: configure)
        let recorder = try server.client(tls: (client, "localhost"), configure)
        let stream = try loop.sync { try #require(recorder.stream) }
        #expect(loop.eventually { stream.pendingBytes > 1 << 20 && server.recorders.first?.events.first == .open })
        loop.sync {
            for recorder in server.recorders + [recorder] {
                recorder.isPaused = false
                recorder.stream?.readLater()
            }
        }
        #expect(loop.eventually { recorder.received.count + server.recorders[0].received.count == 2 * body.count })
        loop.sync {
            let isWhole = recorder.received == body && server.recorders[0].received == body
            #expect(isWhole)
            #expect(recorder.events.contains(.drain) && stream.pendingBytes == 0)
            #expect(recorder.error == nil && server.recorders[0].error == nil)
        }
    }

    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func resumesSessions(_ version: CInt) throws {
        let leaf = try authority.issue(hosts: ["localhost"])
        let tls = try ServerTLS(leaf: leaf) { _ = copenssl_ctx_set_max_proto_version($0, version) }
        let server = try TestServer(loop: loop, tls: tls)
        for round in 0..<3 {
            let recorder = try server.client(tls: (client, "localhost"), sending: "ping")
            #expect(loop.eventually { recorder.received.count == 4 || recorder.isClosed })
            loop.sync {
                #expect(recorder.stream?.isResumed == (round > 0), "round \(round)")
                recorder.stream?.close()
            }
        }
        // Another name never gets them.
        let other = try server.client(tls: (client, "127.0.0.1"))
        #expect(loop.eventually { other.isClosed })
        #expect(loop.sync { other.events } == [.close])
    }

    @Test func aCleanCloseIsAnEnd() throws {
        let server = try serve(
            tls: server,
            onOpen: { stream in
                stream.send("all")
                stream.closeAfterSending()
            })
        let recorder = try server.client(tls: (client, "localhost"))
        #expect(loop.eventually { recorder.end != nil })
        #expect(loop.sync { recorder.end == .end && recorder.received == Array("all".utf8) && !recorder.isClosed })
    }

    /// A peer, or an attacker, that closes the connection beneath TLS (no close_notify), and one
    /// that closes with output queued.
    @Test(arguments: [4, 16 << 20]) func aCloseBeneathTLSIsATruncation(count: Int) throws {
        let server = try serve(
            tls: server,
            onOpen: { stream in
                stream.send([UInt8](repeating: 1, count: count))
                if count == 4 { stream.tls?.forgetClosing() }
                stream.close()
            })
        let recorder = try server.client(tls: (client, "localhost"))
        #expect(loop.eventually { recorder.isClosed })
        loop.sync {
            #expect(recorder.error == .truncated)
            if count == 4 { #expect(recorder.received.count == 4 && recorder.end == .failed(.truncated)) }
        }
    }

    @Test func refusesPlainBytesBeforeTheHandshake() throws {
        let server = try TestServer(loop: loop, tls: server)
        let raw = try RawClient(port: server.port)
        try raw.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = raw.read()
        #expect(loop.eventually { server.recorders.first?.isClosed == true })
        #expect(loop.sync { server.recorders[0].events == [.close] && server.recorders[0].tlsError != nil })
    }

    /// CVE-2026-1642: bytes that arrive before the handshake must not become the answer.
    @Test func aPlainServerGetsNothingFromATLSClient() throws {
        let server = try serve(onOpen: { $0.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged") })
        let recorder = try server.client(tls: (client, "localhost"))
        loop.sync { recorder.stream?.send("secret") }
        #expect(loop.eventually { recorder.isClosed })
        loop.sync {
            #expect(recorder.events == [.close] && recorder.received.isEmpty)
            #expect(server.recorders[0].received.firstRange(of: Array("secret".utf8)) == nil)
        }
    }

    @Test func aSilentClientIsGivenUp() throws {
        let server = try TestServer(loop: loop, tls: server)
        loop.sync { server.listener.handshakeTimeout = .milliseconds(50) }
        let raw = try RawClient(port: server.port)
        #expect(raw.read().isEmpty)
        #expect(loop.eventually { server.recorders.first?.isClosed == true })
        #expect(loop.sync { server.recorders[0].error } == .handshakeTimedOut)
    }

    /// A network may cut records anywhere: a stream that thinks its socket empty when it is not
    /// waits for ever.
    @Test(arguments: [1...1, 5...5, 1...40, 1...6_000])
    func recordsThatComeInPiecesArriveWhole(sizes: ClosedRange<Int>) throws {
        let server = try TestServer(loop: loop, tls: server)
        let address = server.listener.address
        let front = try serve(onOpen: { stream in
            let (forth, back) = (Cutter(sizes, seed: 1), Cutter(sizes, seed: 2))
            back.output = stream
            forth.output = try? Stream.connect(to: address, loop: stream.loop, handler: back)
            stream.handler = forth
        })
        var random = SeededGenerator(seed: 3)
        let messages = (0..<60).map { noise(Int.random(in: 1...400, using: &random), seed: UInt64($0)) }
        let recorder = try front.client(tls: (client, "localhost")) {
            $0.onOpen = { stream in for message in messages { stream.send(message) } }
        }
        let whole = Array(messages.joined())
        #expect(loop.eventually { recorder.received.count == whole.count || recorder.isClosed })
        #expect(loop.sync { recorder.received == whole && recorder.error == nil })
    }

    /// A bound of descriptors would be reached at once if the failed ones were kept.
    @Test func survivesHandshakesThatAreReset() throws {
        let server = try TestServer(loop: loop, tls: server)
        for number in 0..<500 {
            let raw = try RawClient(port: server.port)
            try? raw.send(Array([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3].prefix(number % 12)))
            raw.reset()
        }
        #expect(loop.eventually { loop.slots.count == 1 })
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
