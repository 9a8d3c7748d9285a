import Glibc
import TestSupport
import Testing

@testable import EventLoop

@Suite struct SealedFileTests {
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

    /// More than a socket takes at once, to a peer that begins to read late.
    @Test func leavesWholeBehindWhatCameBefore() throws {
        try withLoop { loop in
            let file = try #require(SealedFile(Self.bytes))
            let server = try TestServer(loop: loop) { recorder in
                recorder.onOpen = { stream in
                    Array("head".utf8).withUnsafeBytes { stream.send($0, file) }
                    recorder.maxPending = stream.pendingBytes
                }
                recorder.onDrain = { $0.send("tail") }
            }
            let recorder = Recorder()
            recorder.isPaused = true
            let stream = try connect(loop, port: server.port, recorder)
            #expect(loop.eventually { (server.recorders.first?.maxPending ?? 0) > 0 })
            loop.sync {
                recorder.isPaused = false
                recorder.readAll(stream)
            }
            let count = 4 + Self.bytes.count + 4
            #expect(loop.eventually { recorder.received.count == count })
            let isEqual = loop.sync {
                recorder.received == Array("head".utf8) + Self.bytes + Array("tail".utf8)
            }
            #expect(isEqual)
        }
    }

    /// If something else is queued, head and file wait for it.
    @Test func waitsItsTurn() throws {
        try withLoop { loop in
            let file = try #require(SealedFile(Self.bytes))
            let first = [UInt8](repeating: 7, count: 20_000_000)
            let server = try TestServer(loop: loop) { recorder in
                recorder.onOpen = { stream in
                    stream.send(UnsafeRawBufferPointer(start: nil, count: 0), first)
                    Array("head".utf8).withUnsafeBytes { stream.send($0, file) }
                    stream.closeAfterSending()
                }
            }
            let recorder = try server.client()
            #expect(loop.eventually { recorder.end == .end })
            let isEqual = loop.sync { recorder.received == first + Array("head".utf8) + Self.bytes }
            #expect(isEqual)
        }
    }
}
