import EventLoop
import HTTP
import TestSupport
import Testing

@testable import Upstream

/// Answers too large to be collected.
@Suite(.timeLimit(.minutes(10))) struct UpstreamStreamingTests {
    private static func content(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    /// A pool that collects at most `most` bytes, in front of an origin with an answer of `count`
    /// bytes.
    private func scene(answering count: Int, collecting most: Int = 1000) throws -> UpstreamScene {
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n".utf8)
        let answer = ScriptedOrigin.Step.send(head + [UInt8](repeating: 7, count: count))
        return try UpstreamScene(ScriptedOrigin([.request, answer, .hold])) { $0.maxCollectedBytes = most }
    }

    @Test(arguments: [true, false])
    func largeAnswerArrivesWholeAndInOrder(isCounted: Bool) async throws {
        let content = Self.content(3_000_000)
        let head = isCounted ? "Content-Length: \(content.count)" : "Transfer-Encoding: chunked"
        var bytes = Array("HTTP/1.1 200 OK\r\n\(head)\r\n\r\n".utf8)
        if isCounted {
            bytes += content
        } else {
            for start in stride(from: 0, to: content.count, by: 10_000) {
                bytes += Array("2710\r\n".utf8) + content[start..<start + 10_000] + Array("\r\n".utf8)
            }
            bytes += Array("0\r\n\r\n".utf8)
        }
        let scene = try UpstreamScene(ScriptedOrigin([.request, .send(bytes), .hold])) {
            $0.maxCollectedBytes = 100_000
        }
        let answer = try #require(await scene.send().end().streamed)
        #expect(answer.response.status == 200 && answer.content == content)
        #expect(scene.idle == 1)
    }

    @Test func pausedReceiverSlowsTheOriginDown() async throws {
        let count = 48 << 20
        let scene = try scene(answering: count, collecting: 100_000)
        let receiver = scene.send(pausing: true)
        await receiver.began()
        // Both kernels' buffers fill up, then nothing moves any more.
        var sent = -1
        while sent != scene.origin.sentBytes {
            sent = scene.origin.sentBytes
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(sent < count)
        #expect(scene.onLoop { _ in receiver.content.count } < 100_000)
        scene.onLoop { _ in receiver.exchange?.resume() }
        #expect(await receiver.end().streamed?.content.count == count)
    }

    @Test(
        arguments: [RecordingReceiver.Call.began, .received],
        ["Content-Length: 3000000", "Transfer-Encoding: chunked", ""])
    func exchangeCancelledInsideACallIsSilentAndClosesItsConnection(
        call: RecordingReceiver.Call, framing: String
    ) async throws {
        let isChunked = framing.hasPrefix("Transfer")
        var bytes = Array("HTTP/1.1 200 OK\r\n\(framing.isEmpty ? "" : framing + "\r\n")\r\n".utf8)
        for _ in 0..<300 {
            let piece = [UInt8](repeating: 7, count: 10_000)
            bytes += isChunked ? Array("2710\r\n".utf8) + piece + Array("\r\n".utf8) : piece
        }
        if isChunked { bytes += Array("0\r\n\r\n".utf8) }
        let scene = try UpstreamScene(
            ScriptedOrigin([.request, .send(bytes), .hold], [.request, .answer("ok"), .hold])
        ) {
            $0.maxCollectedBytes = 1000
            $0.maxConnections = 1
        }
        let receiver = scene.send(cancelling: call)
        // Waits for the one connection there may be, which the cancelled exchange must not have
        // kept.
        #expect(await scene.send().end().text == "ok")
        waitUntil { scene.origin.endedConnections == 1 }
        #expect(scene.onLoop { _ in receiver.hasCancelled && !receiver.hasEnded })
        #expect(scene.leased == 0 && scene.idle == 1)
    }

    @Test(arguments: [RecordingReceiver.Call.answered, .finished])
    func cancellingInsideTheLastCallChangesNothing(call: RecordingReceiver.Call) async throws {
        let count = call == .finished ? 200_000 : 100
        let scene = try scene(answering: count)
        let receiver = scene.send(cancelling: call)
        #expect(await receiver.end().text?.utf8.count == count)
        #expect(scene.onLoop { _ in receiver.hasCancelled })
        #expect(scene.idle == 1)
    }
}
