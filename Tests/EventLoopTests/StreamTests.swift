import Glibc
import TestSupport
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10))) struct StreamTests: LoopSuite {
    let scene = LoopScene()

    @Test(arguments: ["127.0.0.1:0", "[::1]:0"])
    func echoesBytesSentBeforeAndAfterOpening(_ address: String) throws {
        let server = try TestServer(loop: loop, address: address)
        let recorder = Recorder()
        recorder.onOpen = { $0.send(" late") }
        let host = server.listener.address.host
        try loop.sync { try connect(loop, port: server.port, host: host, recorder).send("early") }
        #expect(loop.eventually { recorder.received == Array("early late".utf8) })
        #expect(loop.sync { recorder.events.first } == .open)
        #expect(loop.sync { recorder.stream?.peer?.port } == server.port)
        #expect(loop.sync { server.recorders[0].stream?.peerUserID } == nil, "that is known of Unix sockets")
    }

    @Test func reportsARefusedConnectLater() throws {
        // A port that was free a moment ago.
        let server = try TestServer(loop: loop)
        loop.sync { server.listener.close() }
        let recorder = Recorder()
        loop.sync {
            recorder.isInsideCall = true
            _ = try? connect(loop, port: server.port, recorder)
            recorder.isInsideCall = false
        }
        #expect(loop.eventually { recorder.isClosed })
        loop.sync {
            #expect(recorder.events == [.close] && !recorder.wasReentered)
            #expect(recorder.error == .system(SystemError(call: "connect", errno: ECONNREFUSED)))
        }
    }

    @Test func tellsTheEndAndCanStillAnswer() throws {
        let server = try serve(onReadable: { stream in
            stream.recorder?.readAll(stream)
            guard stream.recorder?.end == .end else { return }
            stream.send("answer")
            stream.closeAfterSending()
        })
        let client = try RawClient(port: server.port)
        try client.send("question")
        client.finishSending()
        #expect(client.read() == Array("answer".utf8))
        #expect(loop.eventually { server.recorders[0].isClosed })
        #expect(loop.sync { server.recorders[0].error } == nil)
    }

    @Test func reportsAReset() throws {
        let server = try TestServer(loop: loop)
        let client = try RawClient(port: server.port)
        try #require(loop.eventually { server.recorders.first?.events.contains(.open) == true })
        client.reset()
        #expect(loop.eventually { server.recorders[0].isClosed })
        loop.sync {
            let error = StreamError.system(SystemError(call: "recv", errno: ECONNRESET))
            #expect(server.recorders[0].error == error && server.recorders[0].end == .failed(error))
            #expect(server.recorders[0].closeCount == 1)
        }
    }

    /// The kernel's buffers fill, `pendingBytes` grows, and the drain comes once the reader has
    /// caught up.
    @Test func aSlowReaderIsFeltAndCatchesUp() throws {
        let body = noise(8 << 20, seed: 3)
        var pendingAfterSend = 0
        let server = try serve(onOpen: { stream in
            stream.recorder?.isInsideCall = true
            [UInt8]("head ".utf8).withUnsafeBytes { stream.send($0, body) }
            stream.send(" tail")
            stream.recorder?.isInsideCall = false
            pendingAfterSend = stream.pendingBytes
        })
        let client = try RawClient(port: server.port, receiveBuffer: 64 << 10)
        #expect(loop.eventually { pendingAfterSend > 1 << 20 })
        #expect(loop.sync { !server.recorders[0].events.contains(.drain) })
        let isWhole = client.read(body.count + 10) == Array("head ".utf8) + body + Array(" tail".utf8)
        #expect(isWhole)
        #expect(loop.eventually { server.recorders[0].events.filter { $0 == .drain }.count == 1 })
        #expect(loop.sync { server.recorders[0].stream?.pendingBytes } == 0)
        #expect(loop.sync { !server.recorders[0].wasReentered })
    }

    @Test(arguments: [0, 7, 100_000, 1_000_000])
    func sendsABodyFromAnOffset(_ offset: Int) throws {
        let body = noise(1_000_000, seed: 4)
        let server = try serve(onOpen: { stream in
            [1, 2, 3].withUnsafeBytes { stream.send($0, body, from: offset) }
            stream.closeAfterSending()
        })
        let received = try RawClient(port: server.port).read()
        #expect(received == [1, 2, 3].withUnsafeBytes { Array($0) } + body[offset...])
    }

    /// Without lingering the unread input would turn the close into a reset, and the reset would
    /// eat the answer.
    @Test func anAnswerToUnreadInputArrives() throws {
        let server = try serve(onReadable: { stream in
            stream.send("no")
            stream.closeAfterSending()
        })
        let client = try RawClient(port: server.port)
        try client.send([UInt8](repeating: 1, count: 300_000))
        usleep(50_000)
        #expect(client.read() == Array("no".utf8) && !client.wasReset)
        client.close()
        #expect(loop.eventually { server.recorders[0].isClosed })
        #expect(loop.sync { server.recorders[0].error } == nil)
    }

    @Test func lingeringIsBounded() throws {
        let server = try serve(onReadable: { $0.closeAfterSending() })
        let client = try RawClient(port: server.port)
        #expect(throws: RawClient.Failure.self) {
            for _ in 0..<100_000 { try client.send([UInt8](repeating: 1, count: 10_000)) }
        }
        #expect(loop.eventually { server.recorders[0].isClosed })
    }

    @Test func resetLooksLikeAFailureToThePeer() throws {
        let server = try serve(onReadable: { stream in
            stream.send("half")
            stream.reset()
        })
        let client = try RawClient(port: server.port)
        try client.send("x")
        _ = client.read()
        #expect(client.wasReset)
    }

    @Test(arguments: [Recorder.Event.open, .readable, .drain])
    func closingIsSafeInEveryCallback(_ event: Recorder.Event) throws {
        func close(_ stream: Stream) {
            let recorder = stream.recorder
            recorder?.isInsideCall = true
            stream.close()
            stream.close()
            stream.send("nothing")
            stream.closeAfterSending()
            stream.readLater()
            recorder?.isInsideCall = false
        }
        let server = try TestServer(loop: loop) { recorder in
            recorder.onOpen = { stream in
                if event == .open { return close(stream) }
                if event == .drain { stream.send([UInt8](repeating: 0, count: 8 << 20)) }
            }
            recorder.onReadable = { if event == .readable { close($0) } }
            recorder.onDrain = close
        }
        // A client that reads at once, with as large a buffer as the kernel gives, can take all
        // before the stream waits for room: then there is nothing to drain.
        let client = try RawClient(port: server.port, receiveBuffer: 64 << 10)
        #expect(loop.eventually { server.recorders.first?.events.first == .open })
        try? client.send("x")
        _ = client.read()
        #expect(loop.eventually { server.recorders.first?.isClosed == true })
        loop.sync {
            #expect(server.recorders[0].events.last == .close && server.recorders[0].closeCount == 1)
            #expect(!server.recorders[0].wasReentered && server.recorders[0].error == nil)
            #expect(loop.slots.count == 1)
        }
    }

    @Test func aStreamWithoutAHandlerCloses() throws {
        let server = try TestServer(loop: loop)
        loop.sync {
            let stream = try? connect(loop, port: server.port, Recorder())
            stream?.handler = nil
        }
        #expect(loop.eventually { server.recorders.first?.end == .end })
        // The listener and the server's side.
        #expect(loop.sync { loop.slots.count } == 2)
    }

    enum Ending: CaseIterable {
        case close, reset, closeAfterSending, peerResets, refused, loopStops, handlerSetAfterTheEnd
    }

    /// Stream and handler hold each other; every way to the end must part them.
    @Test(arguments: Ending.allCases)
    func streamAndHandlerAreFreedAfterTheEnd(_ ending: Ending) throws {
        weak var handler: Recorder?
        weak var freedStream: Stream?
        let server = try serve(onReadable: { stream in
            stream.recorder?.readAll(stream)
            if ending == .peerResets { stream.reset() } else if stream.recorder?.end != nil { stream.close() }
        })
        if ending == .refused { loop.sync { server.listener.close() } }
        do {
            let recorder = Recorder()
            recorder.onOpen = { stream in
                switch ending {
                case .close, .handlerSetAfterTheEnd: stream.close()
                case .reset: stream.reset()
                case .closeAfterSending: stream.closeAfterSending()
                case .peerResets, .refused, .loopStops: stream.send("x")
                }
            }
            let stream = try connect(loop, port: server.port, recorder)
            loop.sync { (recorder.stream, handler, freedStream) = (stream, recorder, stream) }
            if ending == .loopStops { loop.stopAndWait() }
            #expect(loop.eventually { recorder.isClosed })
            if ending == .handlerSetAfterTheEnd { loop.sync { stream.handler = recorder } }
            loop.sync { #expect(stream.handler == nil && recorder.closeCount == 1) }
            // The recorder's half of the cycle is the test's own convenience.
            loop.sync { recorder.stream = nil }
        }
        #expect(loop.eventually { handler == nil && freedStream == nil })
    }

    /// A short read is taken to mean "empty"; no byte and no end may be lost by that.
    @Test func smallPiecesAndTheirEndAllArrive() throws {
        let server = try serve()
        for round in 0..<70 {
            let client = try RawClient(port: server.port)
            for piece in 0..<(round % 7) { try client.send([UInt8(piece)]) }
            client.finishSending()
            try #require(loop.eventually { server.recorders.count == round + 1 })
            #expect(loop.eventually { server.recorders[round].end == .end })
            #expect(loop.sync { server.recorders[round].received.count } == round % 7)
            loop.sync { server.recorders[round].stream?.close() }
        }
    }
}
