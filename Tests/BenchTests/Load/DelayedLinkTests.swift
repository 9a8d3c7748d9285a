import TestSupport
import Testing

@testable import Bench
@testable import EventLoop

@Suite struct DelayedLinkTests {
    /// Sends back the bytes that come.
    private final class Echo: ReadingHandler {
        func take(_ bytes: UnsafeRawBufferPointer, _ stream: Stream) { stream.send(bytes) }
    }

    @Test func whatPassesIsWholeAndLateAndSoIsTheEnd() throws {
        let loop = try EventLoop(label: "test.echo")
        let address = try #require(SocketAddress("127.0.0.1:0"))
        let listener = try loop.sync { () throws(SystemError) in
            try Listener(address: address, loop: loop) { $0.handler = Echo() }
        }
        defer { loop.stop(nil) }
        let delay = Duration.milliseconds(20)
        let link = try DelayedLink(to: Int(listener.address.port), delay: delay)
        defer { link.stop() }
        let sent = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let begun = ContinuousClock.now
        let client = try RawClient(port: UInt16(link.port))
        try client.send(sent)
        #expect(client.read(sent.count) == sent)
        // Never less: how much more depends on the machine.
        #expect(ContinuousClock.now - begun >= delay * 2)
        client.finishSending()
        #expect(client.readToEnd().ended)
    }
}
