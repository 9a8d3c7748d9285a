import EventLoop
import Foundation
import TestSupport
import Testing

@testable import Proxy
@testable import Server

/// HTTP/2 from the handshake to the answer, frame by frame.
@Suite(.timeLimit(.minutes(10)), .requires(.nghttp2)) struct HTTP2Tests {
    private let scene: HTTP2Scene
    private let client: HTTP2TestClient

    init() throws {
        scene = try HTTP2Scene()
        client = try scene.client()
    }

    private func get(_ path: String, _ more: [(String, String)] = []) -> [(String, String)] {
        HTTP2Frame.get(path) + more
    }

    @Test func theSecondRequestIsAHit() throws {
        let expected = "{\"at\":\"GET \(String.album(1))\"}"
        for stream in [UInt32(1), 3, 5, 7] {
            #expect(client.ask(.album(1), stream: stream) == expected)
        }
        #expect(scene.origin.requests.count == 1)
        #expect(client.frames(.settings).first?.endsStream == false)
    }

    @Test func contentGoesUpWithAndWithoutALength() throws {
        client.send(.head(HTTP2Scene.post + [("content-length", "5")], stream: 1, isLast: false))
        client.send(HTTP2Frame(.data, flags: 1, stream: 1, payload: Array("hello".utf8)))
        #expect(client.answer(1) == "hello")
        client.send(.head(HTTP2Scene.post, stream: 3, isLast: false))
        for piece in ["on", "e ", "by one"] { client.send(HTTP2Frame(.data, stream: 3, payload: Array(piece.utf8))) }
        client.send(HTTP2Frame(.data, flags: 1, stream: 3))
        #expect(client.answer(3) == "one by one")
        // Trailers end a request, and say nothing.
        client.send(.head(HTTP2Scene.post, stream: 5, isLast: false))
        client.send(HTTP2Frame(.data, stream: 5, payload: Array("x".utf8)))
        client.send(.head([("checksum", "1")], stream: 5))
        #expect(client.answer(5) == "x")
        // More than the windows hold at first: the server opens them again.
        let piece = [UInt8](repeating: 97, count: 16_000)
        client.send(.head(HTTP2Scene.post, stream: 7, isLast: false))
        client.send(.windowUpdate(0, by: 1 << 20), .windowUpdate(7, by: 1 << 20))
        for _ in 0..<4 { client.send(HTTP2Frame(.data, stream: 7, payload: piece)) }
        waitUntil { [0, 7].allSatisfy { !client.frames(.windowUpdate, stream: $0).isEmpty } }
        client.send(HTTP2Frame(.data, flags: 1, stream: 7, payload: piece))
        #expect(client.answer(7) == String(repeating: "a", count: 80_000))
        #expect(
            scene.origin.requests.allSatisfy { request in
                request.field("transfer-encoding") == nil && request.field("checksum") == nil
            })
    }

    @Test func expectContinueIsAnswered() throws {
        client.send(.head(HTTP2Scene.post + [("expect", "100-continue")], stream: 1, isLast: false))
        waitUntil { !client.frames(.headers, stream: 1).isEmpty }
        #expect(client.frames(.headers, stream: 1).first?.endsStream == false)
        client.send(HTTP2Frame(.data, flags: 1, stream: 1, payload: Array("now".utf8)))
        #expect(client.answer(1) == "now")
        #expect(client.frames(.headers, stream: 1).count == 2)
    }

    @Test func aHeadRequestHasNoContentAndFetchesTheWhole() throws {
        var head = get(.album(1))
        head[0].1 = "HEAD"
        client.send(.head(head, stream: 1))
        #expect(client.answer(1).isEmpty)
        #expect(client.frames(.headers, stream: 1).first?.endsStream == true)
        #expect(scene.origin.requests.map(\.method) == ["GET"])
    }

    @Test func aClosedWindowHoldsOneAnswerAlone() throws {
        client.send(.head(get("/v1/catalog/us/albums/large"), stream: 1))
        waitUntil { client.content(1).count == 65_535 }
        #expect(!client.isOver(1))
        // The connection's window is shut as well; opened, it serves the streams that it can.
        client.send(.windowUpdate(0, by: 1000))
        #expect(client.ask(.album(2), stream: 3) == "{\"at\":\"GET \(String.album(2))\"}")
        client.send(.windowUpdate(0, by: 1 << 20))
        client.send(.windowUpdate(1, by: 1 << 20))
        #expect(client.answer(1) == HTTP2Scene.large)
    }

    @Test func anAnswerThatIsStreamedComesWhole() throws {
        let body = String(repeating: "streamed ", count: 1_200_000)
        scene.origin.answer { _ in FakeOrigin.Reply(body: body) }
        client.send(.windowUpdate(0, by: 1 << 30))
        client.send(HTTP2Frame.setting(4, 1 << 30))
        #expect(client.ask(.album(1), stream: 1) == body)
    }

    @Test(arguments: [
        ("connection", [("connection", "close")]), ("a line end", [("a", "b\r\nc: d")]),
        ("a pseudo-field behind others", [("a", "b"), (":path", "/")]),
    ])
    func aMalformedHeadEndsItsStreamAlone(what: String, fields: [(String, String)]) throws {
        client.send(.head(get(.album(1), fields), stream: 1))
        waitUntil { client.isOver(1) }
        #expect(!client.text(1).contains("albums"), "\(what)")
        #expect(client.ask(.album(2), stream: 3).contains("albums/2"))
        #expect(scene.origin.requests.count == 1)
    }

    @Test func requestsForAnotherHostAreMisdirected() throws {
        #expect(client.ask(.album(1), authority: "other.example", stream: 1).contains("\"421\""))
        // A client that names no host in the handshake may use any.
        let numeric = try scene.client(host: "127.0.0.1")
        #expect(numeric.ask(.album(1), authority: "other.example", stream: 1).contains("albums/1"))
        let line = "\"GET /v1/catalog/us/albums/1 HTTP/2.0\" 421 "
        let cause = " refused/authority-is-not-the-host-of-the-tls-handshake "
        #expect(try scene.proxy.finalLog().contains { $0.contains(line) && $0.contains(cause) })
    }

    @Test func lengthsThatContradictTheContentAreRefused() throws {
        for (stream, (length, content)) in zip([UInt32(1), 3, 5], [("3", "four"), ("5", "four"), ("x", "four")]) {
            client.send(.head(HTTP2Scene.post + [("content-length", length)], stream: stream, isLast: false))
            client.send(HTTP2Frame(.data, flags: 1, stream: stream, payload: Array(content.utf8)))
            #expect(client.answer(stream) != content)
        }
        #expect(scene.origin.requests.isEmpty)
    }

    /// A request is withdrawn while others wait for its answer.
    @Test func aWithdrawnLeaderLeavesItsFlightToOthers() throws {
        let mayAnswer = scene.answerLater("{\"for\":\"all\"}")
        let (first, second) = (try scene.client(), try scene.client())
        first.send(.head(get(.album(1)), stream: 1))
        waitUntil { !scene.origin.requests.isEmpty }
        second.send(.head(get(.album(1)), stream: 1))
        first.send(.reset(1))
        first.send(HTTP2Frame(.ping, payload: [1, 2, 3, 4, 5, 6, 7, 8]))
        waitUntil { !first.frames(.ping).isEmpty }
        mayAnswer.signal()
        #expect(second.answer(1) == "{\"for\":\"all\"}")
        #expect(first.ask(.album(1), stream: 3) == "{\"for\":\"all\"}" && !first.isClosed)
        #expect(scene.origin.requests.count == 1 && first.content(1).isEmpty)
    }

    /// A client that goes with requests under way leaves none of its state.
    @Test func aConnectionThatGoesLeavesNothingBehind() throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        scene.origin.answer { request in
            if !request.target.contains("large") {
                mayAnswer.waitOrFail()
                mayAnswer.signal()
            }
            return HTTP2Scene.reply(request)
        }
        client.send(.head(get("/v1/catalog/us/albums/large"), stream: 1))
        waitUntil { client.content(1).count == 65_535 }
        client.get(Array(stride(from: 3, to: 43, by: 2))) { String.album(Int($0)) }
        client.send(.head(HTTP2Scene.post, stream: 43, isLast: false))
        client.send(HTTP2Frame(.data, stream: 43, payload: Array("half".utf8)))
        waitUntil { scene.proxy.statistics.requestBudget.heldBytes > 0 }
        client.close()
        waitUntil { scene.proxy.statistics.connections.count == 0 }
        mayAnswer.signal()
        waitUntil { scene.proxy.statistics.requestBudget.heldBytes == 0 && !scene.proxy.isAsking }
        #expect(scene.proxy.statistics.answerBudget.heldBytes == 0)
    }

    @Test func theLogAndTheFeedNameTheProtocol() throws {
        let feed = scene.proxy.statistics.feed
        let start = feed.begin()
        defer { feed.end() }
        // A user's token is that of HTTP/1.1: a shared answer has nothing of it, a personal one is
        // that user's, and the route alone is logged.
        for (stream, user) in [(UInt32(1), "anna"), (5, "ben")] {
            let fields = [("user-agent", "frames"), ("music-user-token", user)]
            client.send(.head(get(.album(1), fields), stream: stream))
            #expect(client.answer(stream).contains("albums/1"))
            client.send(.head(get("/v1/me/library/songs", fields), stream: stream + 2))
            #expect(client.answer(stream + 2).contains("library/songs"))
        }
        #expect(scene.origin.requests.map { $0.field("music-user-token") } == [nil, "anna", "ben"])
        _ = try scene.proxy.client.send("GET", .album(1))
        #expect(scene.proxy.statistics[.http2Requests] == 4 && scene.proxy.statistics[.requests] == 5)
        #expect(feed.events(from: start).events.map(\.isHTTP2) == [true, true, true, true, false])
        let log = try scene.proxy.finalLog().joined()
        #expect(log.contains("\"GET \(String.album(1)) HTTP/2.0\" 200"))
        #expect(log.hasPrefix("127.0.0.1 ") && log.contains("\"frames\""))
        #expect(!log.contains("anna") && !log.contains("library/songs"))
    }

    @Test func clientsNeedTheirKeys() throws {
        let scene = try HTTP2Scene(clientKeys: ClientKeys(text: "app 0123456789abcdef\n"))
        let client = try scene.client()
        #expect(client.ask(.album(1), stream: 1).contains("\"401\""))
        client.send(.head(get(.album(1), [("x-refrain-key", "0123456789abcdef")]), stream: 3))
        #expect(client.answer(3).contains("albums/1") && scene.origin.requests.count == 1)
    }

    // MARK: The end of the server

    @Test func requestsUnderWayAreAnsweredWhileDraining() throws {
        let mayAnswer = scene.answerLater("the last")
        client.send(.head(HTTP2Frame.get(.album(1)), stream: 1))
        waitUntil { !scene.origin.requests.isEmpty }
        let proxy = scene.proxy
        let thread = Thread { proxy.stop() }
        thread.start()
        // First only that it ends: requests on their way are still welcome (RFC 9113 6.8).
        waitUntil { client.goodbye != nil }
        #expect(client.frames(.goAway).first?.word(at: 0) == 0x7FFF_FFFF && client.goodbye == 0)
        mayAnswer.signal()
        #expect(client.answer(1) == "the last")
        waitUntil { thread.isFinished && client.isClosed }
        #expect(client.frames(.goAway).last?.word(at: 0) == 1 && proxy.stop() == 0)
    }

    @Test func unfinishedRequestsAreCutOffAndCounted() throws {
        let scene = try HTTP2Scene { ($0.grace, $0.drain) = (.milliseconds(100), .milliseconds(300)) }
        let client = try scene.client()
        client.send(.head(HTTP2Frame.get("/v1/catalog/us/albums/large"), stream: 1))
        waitUntil { client.content(1).count == 65_535 }
        #expect(scene.proxy.stop() == 1)
    }

    @Test func aReloadMaySwitchItOffAndOn() throws {
        func connect(afterReloadOffering isOffered: Bool) throws -> HTTP2TestClient {
            let tls = try ServerTLS(authority: scene.authority, hosts: ["localhost"], offersHTTP2: isOffered)
            try scene.proxy.adopt { settings in
                settings.listeners[1] = ListenerSettings(address: settings.listeners[1].address, tls: tls, headers: nil)
            }
            return try scene.client()
        }
        // The server has accepted the first client.
        waitUntil { !client.frames(.settings).isEmpty }
        #expect(try !connect(afterReloadOffering: false).ask(.album(1), stream: 1).contains("albums/1"))
        // It could not have come under these settings.
        #expect(client.end() == 0)
        let later = try connect(afterReloadOffering: true)
        #expect(later.ask(.album(1), stream: 1).contains("albums/1"))
        // A connection from before the reload stays where it could have come after it.
        _ = try connect(afterReloadOffering: true)
        #expect(later.ask(.album(1), stream: 3).contains("albums/1"))
    }
}
