import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10))) struct EventLoopTests: LoopSuite {
    let scene = LoopScene()

    @Test func runsWorkInOrderOnTheLoop() throws {
        let order = Mutex<[Int]>([])
        for number in 0..<100 {
            loop.execute { [loop] in
                loop.assertOnLoop()
                order.withLock { $0.append(number) }
            }
        }
        #expect(!loop.isOnLoop)
        #expect(loop.sync { loop.isOnLoop })
        #expect(order.withLock { $0 } == Array(0..<100))
    }

    /// A log at the limit of its size (RLIMIT_FSIZE) ended the process, and purges that the disk
    /// had refused were lost with it.
    @Test(arguments: [SIGPIPE, SIGXFSZ])
    func aWriteThatFailsIsNoSignal(signal: CInt) {
        var action = sigaction()
        #expect(sigaction(signal, nil, &action) == 0)
        #expect(unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1, "SIG_IGN")
    }

    /// The loop waits for its sockets after the first piece of work, longer than the suite takes.
    @Test func workWakesALoopThatWaitsForSockets() throws {
        let loop = try EventLoop(label: "waits", longestWait: .seconds(3600))
        let count = Atomic(0)
        for expected in 1...200 {
            loop.execute { count.add(1, ordering: .relaxed) }
            // Half of the time it has gone to sleep by then.
            if expected % 2 == 0 { usleep(100) }
            if expected % 3 == 0 { #expect(loop.sync { count.load(ordering: .relaxed) } == expected) }
        }
        loop.stopAndWait()
        #expect(count.load(ordering: .relaxed) == 200)
    }

    @Test func aTimerWakesALoopThatWaitsForSockets() throws {
        let loop = try EventLoop(label: "waits", longestWait: .seconds(3600))
        defer { loop.stopAndWait() }
        let fired = DispatchSemaphore(value: 0)
        for milliseconds in [0, 1, 30] {
            loop.execute { loop.schedule(after: .milliseconds(milliseconds)) { fired.signal() } }
            #expect(fired.wait(timeout: .now() + .seconds(60)) == .success)
        }
    }

    @Test func timeStandsStillWithinATurn() throws {
        let isSame = loop.sync {
            let before = loop.now
            usleep(2000)
            return loop.now == before && Instant.now() > before
        }
        #expect(isSame)
    }

    @Test func aTimerThatReschedulesItselfBlocksNoOther() throws {
        let loop = self.loop
        var count = 0
        func again() {
            count += 1
            if count < 1000 { loop.schedule(at: loop.now, again) }
        }
        loop.sync { again() }
        #expect(loop.eventually { count == 1000 })
    }

    /// As a client with many pipelined requests does, or an origin that sends faster than it is
    /// read.
    @Test func aStreamThatAlwaysReadsOnCostsItsNeighboursOneRound() throws {
        var rounds = 0
        var roundsBeforeNeighbour: Int?
        let server = try serve(onReadable: { _ in })
        let clients = try (0..<2).map { _ in try RawClient(port: server.port) }
        try #require(loop.eventually { server.recorders.count == 2 })
        try loop.sync {
            let neighbourStream = try #require(server.recorders[1].stream)
            server.recorders[1].onReadable = { _ in roundsBeforeNeighbour = roundsBeforeNeighbour ?? rounds }
            server.recorders[0].onReadable = { stream in
                stream.recorder?.isInsideCall = true
                rounds += 1
                if rounds == 1 {
                    try? clients[1].send("x")
                    var poller = pollfd(fd: neighbourStream.descriptor, events: Int16(POLLIN), revents: 0)
                    poll(&poller, 1, 20_000)
                }
                if rounds < 1000 { stream.readLater() }
                stream.recorder?.isInsideCall = false
            }
        }
        try clients[0].send("x")
        #expect(loop.eventually { rounds == 1000 })
        // Its own event, and one round at the end of that turn.
        #expect(loop.sync { roundsBeforeNeighbour } == 2)
        #expect(loop.sync { !server.recorders[0].wasReentered })
    }

    @Test func stoppingClosesEverySocketAndTellsItsHandler() throws {
        let server = try TestServer(loop: loop)
        let clients = try (0..<5).map { _ in try RawClient(port: server.port) }
        #expect(loop.eventually { server.recorders.count == 5 })
        #expect(loop.sync { loop.slots.count } == 6)
        loop.stopAndWait()
        loop.stopAndWait()
        #expect(loop.sync { loop.slots.count } == 0)
        #expect(loop.sync { server.recorders.allSatisfy { $0.closeCount == 1 && $0.error == nil } })
        for client in clients { #expect(client.read().isEmpty) }
        #expect(throws: (any Error).self) { try RawClient(port: server.port) }
    }

    @Test func aStoppedLoopIsReleased() throws {
        weak var released: EventLoop?
        do {
            let loop = try EventLoop(label: "released")
            released = loop
            loop.sync { _ = loop.schedule(after: .seconds(1000)) { _ = loop } }
            loop.stopAndWait()
        }
        waitUntil { released == nil }
    }

    @Test func aStreamMadeAfterTheStopFailsInsteadOfHanging() throws {
        loop.stopAndWait()
        let recorder = Recorder()
        _ = try connect(loop, port: 1, recorder)
        #expect(loop.eventually { recorder.isClosed })
        #expect(loop.sync { recorder.error } != nil)
    }

    /// Dispatch sources per socket crash the process under this (swift-corelibs-libdispatch #949).
    @Test func survivesThousandsOfConnectionsThatAreReset() throws {
        var opened = 0
        let server = try TestServer(loop: loop) { recorder in
            recorder.echoes = true
            recorder.onOpen = { _ in opened += 1 }
        }
        let port = server.port
        concurrently(4) { worker in
            for number in 0..<TestSize.of(500, full: 1250) {
                guard let client = try? RawClient(port: port) else { continue }
                try? client.send("hello")
                if number % 3 == worker % 3 { _ = client.read(5) }
                client.reset()
            }
        }
        #expect(loop.eventually { loop.slots.count == 1 })
        // A connection that is reset before it is accepted may never show up.
        #expect(loop.sync { opened } > 1000)
        #expect(loop.sync { server.recorders.allSatisfy { $0.closeCount == 1 && !$0.wasReentered } })
    }
}
