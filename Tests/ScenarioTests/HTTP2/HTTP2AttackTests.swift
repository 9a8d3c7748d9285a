import Foundation
import TestSupport
import Testing

@testable import Server

/// HTTP/2 attacks, each by its CVE: the connection ends, and others are served.
@Suite(.timeLimit(.minutes(10)), .requires(.nghttp2)) struct HTTP2AttackTests {
    /// ENHANCE_YOUR_CALM (RFC 9113 7).
    private static let calm: UInt32 = 11

    /// Frames that a client sends over and over.
    struct Flood: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let frames: @Sendable (_ index: Int) -> [HTTP2Frame]
        /// Whether requests are in it, few of which may reach the origin.
        var hasRequests = false

        init(_ name: String, hasRequests: Bool = false, _ frames: @escaping @Sendable (Int) -> [HTTP2Frame]) {
            (testDescription, self.hasRequests, self.frames) = (name, hasRequests, frames)
        }

        /// A request, and what follows it on its stream.
        static func request(_ index: Int, then end: (UInt32) -> HTTP2Frame) -> [HTTP2Frame] {
            let stream = UInt32(2 * index + 3)
            return [.head(HTTP2Frame.get(.album(index)), stream: stream), end(stream)]
        }
    }

    static let floods = [
        // Requests that are withdrawn at once never count as being there. One that is withdrawn in
        // the same piece of bytes is never looked at.
        Flood("CVE-2023-44487: rapid reset", hasRequests: true) { index in
            Flood.request(index) { .reset($0) }
        },
        // The server itself is made to end the request, here by a window that runs over.
        Flood("CVE-2025-8671: made you reset", hasRequests: true) { index in
            Flood.request(index) { .windowUpdate($0, by: 0x7FFF_FFFF) }
        },
        Flood("CVE-2024-27316: a head without an end") { index in
            index == 0
                ? [HTTP2Frame(.headers, stream: 3, payload: HTTP2Frame.fieldBlock(HTTP2Frame.get("/")))]
                : [HTTP2Frame(.continuation, stream: 3, payload: HTTP2Frame.fieldBlock([("a", "b")]))]
        },
        Flood("CVE-2019-9515: settings to acknowledge") { _ in [.setting(4, 65_535)] },
        Flood("CVE-2019-9512: pings to answer") { _ in [HTTP2Frame(.ping, payload: [1, 2, 3, 4, 5, 6, 7, 8])] },
        Flood("CVE-2019-9518: empty content") { index in
            index == 0 ? [.head(HTTP2Scene.post, stream: 3, isLast: false)] : [HTTP2Frame(.data, stream: 3)]
        },
        Flood("CVE-2019-9517, CVE-2019-9511: windows opened by a byte") { _ in [.windowUpdate(0, by: 1)] },
        Flood("CVE-2019-9513: a tree of priorities turned over") { index in
            [HTTP2Frame(.priority, stream: UInt32(2 * index + 3), payload: [0, 0, 0, 0, UInt8(index % 256)])]
        },
        Flood("frames of an unknown type") { _ in [HTTP2Frame(type: 200)] },
    ]

    /// Sends the same over and over until the server has had enough.
    @Test(arguments: floods) func aFloodEndsItsConnectionAlone(flood: Flood) throws {
        let scene = try HTTP2Scene()
        let client = try scene.client()
        #expect(client.ask(.album(1), stream: 1).contains("albums/1"))
        var index = 0
        while index < 4000, !client.isClosed {
            client.send((0..<100).flatMap { flood.frames(index + $0).flatMap(\.bytes) })
            index += 100
        }
        #expect(client.end() == Self.calm)
        let other = try scene.client()
        #expect(other.ask(.album(1), stream: 1).contains("albums/1"))
        #expect(scene.proxy.statistics.connections.refusals.count(by: .http2Frames) == 1)
        #expect(!flood.hasRequests || scene.origin.requests.count < 300)
    }

    /// A field of three kilobytes that is kept in the table, and then named so often by a byte.
    private static func unfolding(_ count: Int) -> [UInt8] {
        // 0x40: a literal that is indexed; 0xBE: the first entry of the table.
        var block: [UInt8] = [0x40]
        block += HTTP2Frame.fieldBlock([("x", String(repeating: "a", count: 3_000))]).dropFirst()
        return block + [UInt8](repeating: 0xBE, count: count)
    }

    @Test func aHeadThatUnfoldsIsTooLarge() throws {
        let scene = try HTTP2Scene()
        let client = try scene.client()
        let block = HTTP2Frame.fieldBlock(HTTP2Frame.get("/")) + Self.unfolding(20)
        client.send(HTTP2Frame(.headers, flags: 5, stream: 1, payload: block))
        waitUntil { client.isOver(1) || client.isClosed }
        #expect(client.text(1).contains("\"431\"") && scene.origin.requests.isEmpty)
        // The table is in order, and the next request is none of its business.
        #expect(client.ask(.album(1), stream: 3).contains("albums/1"))
    }

    /// CVE-2016-1544, the HPACK bomb: what unfolds to thirty megabytes ends the connection.
    @Test(arguments: [false, true]) func aHeadThatUnfoldsBeyondMeasureIsAnAttack(isInTrailers: Bool) throws {
        let scene = try HTTP2Scene()
        let client = try scene.client()
        var block = Self.unfolding(10_000)
        if isInTrailers {
            client.send(.head(HTTP2Scene.post, stream: 1, isLast: false))
        } else {
            block = HTTP2Frame.fieldBlock(HTTP2Frame.get("/")) + block
        }
        client.send(HTTP2Frame(.headers, flags: 5, stream: 1, payload: block))
        #expect(
            client.end() == Self.calm && scene.proxy.statistics.connections.refusals.count(by: .http2Frames) == 1)
        #expect(scene.origin.requests.isEmpty)
    }

    /// Heads below the bound of one, very many of which fit into one read of the socket.
    @Test func manyHeadsThatUnfoldAreAnAttackTogether() throws {
        let scene = try HTTP2Scene()
        let client = try scene.client()
        let first = HTTP2Frame.fieldBlock(HTTP2Frame.get("/")) + Self.unfolding(1)
        client.send(HTTP2Frame(.headers, flags: 5, stream: 1, payload: first))
        waitUntil { client.isOver(1) || client.isClosed }
        let block = HTTP2Frame.fieldBlock(HTTP2Frame.get("/")) + [UInt8](repeating: 0xBE, count: 80)
        let heads = (1...100).map { HTTP2Frame(.headers, flags: 5, stream: UInt32(2 * $0 + 1), payload: block) }
        client.send(heads.flatMap(\.bytes))
        #expect(
            client.end() == Self.calm && scene.proxy.statistics.connections.refusals.count(by: .http2Frames) == 1)
    }

    /// More requests than there may be are refused, so that the client may make them again.
    @Test func requestsBeyondTheLimitAreRefused() throws {
        let scene = try HTTP2Scene()
        let mayAnswer = scene.answerLater("late")
        let client = try scene.client()
        let streams = (0..<200).map { UInt32(2 * $0 + 1) }
        client.get(streams) { String.album(Int($0)) }
        waitUntil { !client.frames(.reset).isEmpty }
        mayAnswer.signal()
        waitUntil { client.isClosed || streams.allSatisfy { client.isOver($0) } }
        let refused = client.frames(.reset).filter { $0.word(at: 0) == 7 }.count
        let answered = streams.count { client.text($0) == "late" }
        #expect(refused > 0 && refused <= 72 && answered + refused == 200)
    }

    /// CVE-2019-9516 and other slow heads: half a frame has the deadline of half a head.
    @Test(arguments: [
        HTTP2Frame.preface + HTTP2Frame(.settings).bytes + HTTP2Frame(.headers, stream: 1, payload: [0]).bytes,
        HTTP2Frame.preface + HTTP2Frame(.settings).bytes + HTTP2Frame(.ping, payload: [1, 2]).bytes.dropLast(), [],
    ])
    func halfAFrameIsNotWaitedForLong(bytes: [UInt8]) throws {
        let scene = try HTTP2Scene { $0.head = .milliseconds(200) }
        let client = try scene.client(greets: false)
        if !bytes.isEmpty { client.send(bytes) }
        waitUntil { client.isClosed }
    }

    @Test func aClientThatAsksForNothingIsIdle() throws {
        let scene = try HTTP2Scene { $0.idle = .milliseconds(200) }
        #expect(try scene.client().end() == 0)
    }

    /// Content that does not come gets the answer that it gets in HTTP/1.1.
    @Test func contentHasADeadline() throws {
        let scene = try HTTP2Scene { $0.body = .milliseconds(200) }
        let client = try scene.client()
        client.send(.head(HTTP2Scene.post, stream: 1, isLast: false))
        #expect(client.answer(1).contains("\"408\""))
        // The rest of it is not wanted any more (RFC 9113 8.1).
        waitUntil { !client.frames(.reset, stream: 1).isEmpty }
        #expect(client.frames(.reset, stream: 1).first?.word(at: 0) == 0)
    }

    /// CVE-2019-9517: answers that are asked for and not taken cost no more than a bound, and end.
    @Test func aClientThatTakesNoAnswersIsClosed() throws {
        let scene = try HTTP2Scene { $0.write = .milliseconds(300) }
        let client = try scene.client()
        client.send(HTTP2Frame.setting(4, 0))
        let streams = (0..<20).map { UInt32(2 * $0 + 1) }
        client.get(streams) { _ in "/v1/catalog/us/albums/large" }
        waitUntil { streams.allSatisfy { client.isOver($0) } }
        #expect(streams.allSatisfy { client.content($0).isEmpty })
        #expect(scene.proxy.statistics.answerBudget.heldBytes == 0)
    }

    /// Once frames are made their streams may be over, and nothing of theirs is waited for.
    @Test func unreadFramesAreCountedAndEndTheConnection() throws {
        let scene = try HTTP2Scene { $0.write = .milliseconds(300) }
        let client = try scene.client()
        client.pause()
        client.send(HTTP2Frame.setting(4, 0x7FFF_FFFF), .windowUpdate(0, by: 0x7FFF_0000))
        // More than the kernel has room for on either side.
        let streams = (0..<60).map { UInt32(2 * $0 + 1) }
        client.get(streams) { _ in "/v1/catalog/us/albums/large" }
        let budget = scene.proxy.statistics.answerBudget
        waitUntil { budget.heldBytes > 0 }
        waitUntil { budget.heldBytes == 0 }
        client.resume()
        waitUntil { client.isClosed }
    }

    /// Large answers that no client reads make room for others at once.
    @Test func answersThatNobodyTakesMakeRoomForOthers() throws {
        let scene = try HTTP2Scene()
        let most = 1 << 20
        scene.proxy.statistics.answerBudget.limit(to: most)
        let client = try scene.client()
        client.send(HTTP2Frame.setting(4, 0))
        let streams = (0..<20).map { UInt32(2 * $0 + 1) }
        client.get(streams) { "/v1/catalog/us/albums/large\($0)" }
        waitUntil { client.frames(.reset).count >= 17 && scene.proxy.statistics.answerBudget.heldBytes <= most }
        // Three of 320 kB fit; they come when the windows open.
        let kept = streams.filter { !client.isOver($0) }
        client.send(.windowUpdate(0, by: 1 << 24))
        for stream in kept { client.send(.windowUpdate(stream, by: 1 << 24)) }
        for stream in kept { #expect(client.answer(stream) == HTTP2Scene.large) }
    }

    /// Waiting requests of one connection are counted like those of many.
    @Test func requestsThatWaitMakeNoMoreThanTheyMay() throws {
        let scene = try HTTP2Scene()
        let mayAnswer = scene.answerLater("late")
        scene.proxy.statistics.requestBudget.limit(to: 40_000)
        let client = try scene.client()
        let streams = (0..<100).map { UInt32(2 * $0 + 1) }
        client.get(streams) { String.album(Int($0)) }
        waitUntil { client.frames(.reset).count > 20 }
        #expect(scene.proxy.statistics.requestBudget.heldBytes <= 40_000)
        mayAnswer.signal()
        waitUntil { client.isClosed || streams.allSatisfy { client.isOver($0) } }
        let refused = client.frames(.reset).filter { $0.word(at: 0) == Self.calm }.count
        let answered = streams.count { client.text($0) == "late" }
        #expect(refused > 20 && answered > 5 && refused + answered == streams.count, "\(refused) \(answered)")
        waitUntil { scene.proxy.statistics.requestBudget.heldBytes == 0 }
    }

    @Test func anInvalidPrefaceEndsTheConnection() throws {
        let scene = try HTTP2Scene()
        let client = try scene.client(greets: false)
        client.send(Array(String.get("/").utf8))
        waitUntil { client.isClosed }
        #expect(scene.origin.requests.isEmpty)
    }
}
