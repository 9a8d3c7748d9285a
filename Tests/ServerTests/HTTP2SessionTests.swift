import Dispatch
import Glibc
import HTTP
import TestSupport
import Testing

@testable import EventLoop
@testable import Server

/// A session in virtual time, and a client that writes frames and reads only when it is told to.
private final class SessionScene {
    /// Answers each request with the same content.
    private final class Source: Service {
        let content: [UInt8]
        var whenAsked: () -> Void = {}
        private(set) var askedCount = 0
        init(_ content: [UInt8]) { self.content = content }
        func handle(_ connection: ClientConnection) {
            askedCount += 1
            whenAsked()
            connection.respond(content: content) { $0.appendStatusLine(200) }
        }
    }

    let context: LoopContext
    let session: HTTP2Session
    private let source: Source
    private var client: CInt
    var askedCount: Int { source.askedCount }
    private var received: [UInt8] = []

    init(
        _ loop: EventLoop, _ timeouts: ClientTimeouts = ClientTimeouts(), content: [UInt8] = [32],
        budget: AnswerBudget = AnswerBudget()
    ) throws {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        client = ends[1]
        context = LoopContext(loop: loop, answerBudget: budget)
        source = Source(content)
        let stream = Stream(
            owning: ends[0], peer: SocketAddress("127.0.0.9:1"), state: .open, tls: nil, loop: loop)
        session = HTTP2Session(
            stream: stream, context: context, service: source, limits: MessageLimits(), timeouts: timeouts,
            onOffence: { _ in }, onClose: { _, _ in })
        stream.register()
        send(HTTP2Frame.preface)
        send(HTTP2Frame.setting(4, 0x7FFF_FFFF).bytes + HTTP2Frame.windowUpdate(0, by: 0x7FFF_0000).bytes)
    }

    deinit { hangUp() }

    func hangUp() {
        if client >= 0 { Glibc.close(client) }
        client = -1
    }

    /// Has the client go away while its first request is answered.
    func hangUpWhenAsked() { source.whenAsked = { [unowned self] in hangUp() } }

    func send(_ bytes: [UInt8]) { _ = Glibc.write(client, bytes, bytes.count) }

    func get(_ stream: UInt32) { send(HTTP2Frame.head(HTTP2Frame.get("/"), stream: stream).bytes) }

    /// Reads the bytes so far; returns the frames of that kind.
    func frames(_ kind: HTTP2Frame.Kind) -> [HTTP2Frame] {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(client, &buffer, buffer.count)
            guard count > 0 else { break }
            received += buffer[..<count]
        }
        var (frames, rest): ([HTTP2Frame], ArraySlice<UInt8>) = ([], received[...])
        while let (frame, count) = HTTP2Frame.first(in: rest) {
            frames.append(frame)
            rest = rest.dropFirst(count)
        }
        return frames.filter { $0.kind == kind }
    }
}

/// A holder of an unsent answer.
private final class OtherHolder: AnswerHolder {
    let context: LoopContext
    private(set) var hasGivenWay = false
    init(_ context: LoopContext) { self.context = context }
    func giveWay(_ ticket: AnswerBudget.Ticket) { hasGivenWay = true }
}

@Suite(.timeLimit(.minutes(10)), .requires(.nghttp2)) struct HTTP2SessionTests {
    /// Performs the steps at these seconds of virtual time, in their order.
    private func run(_ scene: (EventLoop) throws -> [(second: Int, step: () -> Void)]) throws {
        let loop = try EventLoop(label: "session", virtualTime: VirtualTime())
        defer {
            let stopped = DispatchSemaphore(value: 0)
            loop.stop { stopped.signal() }
            stopped.waitOrFail()
        }
        let done = DispatchSemaphore(value: 0)
        try loop.sync {
            let steps = try scene(loop)
            for (second, step) in steps { loop.schedule(after: .seconds(second), step) }
            loop.schedule(after: .seconds((steps.last?.second ?? 0) + 1)) { done.signal() }
        }
        done.waitOrFail()
    }

    @Test func aClientThatAsksNowAndThenIsNotIdle() throws {
        var timeouts = ClientTimeouts()
        timeouts.idle = .seconds(10)
        var answered: [UInt32] = []
        var goodbyes: [[UInt32]] = []
        try run { loop in
            let scene = try SessionScene(loop, timeouts)
            func look() {
                answered = scene.frames(.headers).map(\.stream)
                goodbyes.append(scene.frames(.goAway).map { $0.word(at: 0) })
            }
            return [(6, { scene.get(1) }), (12, { scene.get(3) }), (21, look), (23, look)]
        }
        #expect(answered == [1, 3])
        #expect(goodbyes.first == [] && goodbyes.last?.last == 3, "\(goodbyes)")
    }

    @Test func theClientIsToldHowLargeAHeadMayBe() throws {
        var payload: [UInt8] = []
        try run { loop in
            let scene = try SessionScene(loop)
            return [(1, { payload = scene.frames(.settings).first?.payload ?? [] })]
        }
        let settings = stride(from: 0, to: payload.count, by: 6).map { Array(payload[$0..<$0 + 6]) }
        #expect(settings.contains([0, 6] + HTTP2Frame.word(UInt32(MessageLimits().maxHeadBytes))), "\(settings)")
    }

    /// The last stream was named at once, so requests on their way were refused at each stop.
    @Test func aRequestThatCrossesTheGoodbyeIsAnswered() throws {
        var answered: [[UInt32]] = []
        var goodbyes: [[UInt32]] = []
        try run { loop in
            let scene = try SessionScene(loop)
            func look() {
                answered.append(scene.frames(.headers).map(\.stream))
                goodbyes.append(scene.frames(.goAway).map { $0.word(at: 0) })
            }
            return [
                (1, { scene.session.drain(idleSince: loop.now - .seconds(60)) }), (2, { scene.get(1) }), (3, look),
                (4, { scene.session.endGrace() }), (5, look),
            ]
        }
        #expect(answered == [[1], [1]])
        #expect(goodbyes == [[0x7FFF_FFFF], [0x7FFF_FFFF, 1]], "\(goodbyes)")
    }

    /// Frames without an owner would make the budget reset another client instead.
    @Test func framesThatWaitAreCountedForTheirClient() throws {
        let budget = AnswerBudget()
        let (content, frames) = (4 << 20, Limits.queuedFrames)
        let more = content + frames / 2
        budget.limit(to: content + frames + more - 1)
        var hasOtherGivenWay: Bool?
        var resets = 0
        try run { loop in
            let scene = try SessionScene(loop, content: [UInt8](repeating: 32, count: content), budget: budget)
            let other = OtherHolder(scene.context)
            _ = budget.begin(other, of: 7, content: 1, byteCount: more)
            scene.get(1)
            func look() {
                hasOtherGivenWay = other.hasGivenWay
                resets = scene.context.census.refusals.count(by: .answerMemory)
            }
            return [(1, look)]
        }
        #expect(hasOtherGivenWay == false && resets == 1)
        #expect(budget.heldBytes == more)
    }

    /// Frames in the socket of a client that has gone cost nothing more: nobody gets the answers.
    @Test func requestsOfAClientThatHasGoneAreNotRead() throws {
        var asked: Int?
        try run { loop in
            let scene = try SessionScene(loop)
            let leave = {
                for index in 0..<100 { scene.get(UInt32(2 * index + 1)) }
                scene.hangUp()
            }
            return [(1, leave), (2, { asked = scene.askedCount })]
        }
        #expect(asked == 0)
    }

    /// Once a write has failed, no further frames are made of the answers that wait.
    @Test func answersAreNotFramedAfterAFailedWrite() throws {
        var figures: (asked: Int, framed: Int)?
        try run { loop in
            let scene = try SessionScene(loop, content: [UInt8](repeating: 32, count: 1 << 20))
            scene.hangUpWhenAsked()
            let ask = { for index in 0..<50 { scene.get(UInt32(2 * index + 1)) } }
            return [(1, ask), (2, { figures = (scene.askedCount, scene.session.framedBytes) })]
        }
        let (asked, framed) = try #require(figures)
        #expect(asked == 50 && framed < 2 * Limits.gatheredFrames, "\(framed) bytes")
    }
}
