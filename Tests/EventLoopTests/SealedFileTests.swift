import Glibc
import TestSupport
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10))) struct SealedFileTests: LoopSuite {
    let scene = LoopScene()

    /// More than both sockets' buffers hold together.
    private static let bytes: [UInt8] = {
        let piece = (0..<100_003).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        return Array((0..<200).map { _ in piece }.joined())
    }()

    @Test func cannotBeChanged() throws {
        let file = try #require(SealedFile(Array("stored".utf8)))
        #expect(pwrite(file.descriptor, "x", 1, 0) == -1 && errno == EPERM)
        #expect(ftruncate(file.descriptor, 0) == -1 && errno == EPERM)
        #expect(file.count == 6)
    }

    /// More than a socket takes at once, to a peer that begins to read late; head and file wait for
    /// the bytes queued before them.
    @Test(arguments: [0, 20_000_000]) func aFileFollowsQueuedBytesWhole(queued: Int) throws {
        let file = try #require(SealedFile(Self.bytes))
        let first = [UInt8](repeating: 7, count: queued)
        let server = try TestServer(loop: loop) { recorder in
            recorder.onOpen = { stream in
                if queued > 0 { stream.send(UnsafeRawBufferPointer(start: nil, count: 0), first) }
                Array("head".utf8).withUnsafeBytes { stream.send($0, file) }
                if queued > 0 { stream.closeAfterSending() }
            }
            recorder.onDrain = { stream in
                stream.send("tail")
                stream.closeAfterSending()
            }
        }
        let recorder = try server.client { $0.isPaused = true }
        #expect(loop.eventually { (server.recorders.first?.stream?.pendingBytes ?? 0) > 0 })
        loop.sync {
            recorder.isPaused = false
            recorder.stream?.readLater()
        }
        #expect(loop.eventually { recorder.end == .end })
        let sent = first + Array("head".utf8) + Self.bytes
        let isEqual = loop.sync { recorder.received == (queued > 0 ? sent : sent + Array("tail".utf8)) }
        #expect(isEqual)
    }
}
