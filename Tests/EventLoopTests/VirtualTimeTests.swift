import Synchronization
import TestSupport
import Testing

@testable import EventLoop

@Suite struct VirtualTimeTests {
    @Test func anHourPassesAtOnceAndTimersRunInOrder() throws {
        let time = VirtualTime()
        var seen: [Duration] = []
        try inVirtualTime(time) { loop, end in
            for minutes in [60, 1, 30] {
                loop.schedule(after: .seconds(minutes * 60)) {
                    seen.append(loop.now - VirtualTime.start)
                    #expect(loop.currentTime == loop.now)
                    if seen.count == 3 { end() }
                }
            }
        }
        #expect(seen == [.seconds(60), .seconds(1800), .seconds(3600)])
        #expect(time.elapsed == .seconds(3600))
    }

    @Test func timeStandsStillWhileBytesAreOnTheirWay() throws {
        let (time, folder) = (VirtualTime(), try TemporaryFolder())
        try inVirtualTime(time) { loop, end in
            var volleys = 0
            let (server, client) = (Recorder(), Recorder())
            let address = try #require(SocketAddress(path: folder.file("socket")))
            let listener = try Listener(address: address, loop: loop) { $0.handler = server }
            let stream = try Stream.connect(to: listener.address, loop: loop, handler: client)
            // The answer of each side to the other, a hundred times; a timer in a nanosecond waits
            // for all of them.
            server.onReadable = { stream in
                if stream.takeAll() > 0 { stream.send("x") }
            }
            client.onReadable = { stream in
                guard stream.takeAll() > 0 else { return }
                volleys += 1
                if volleys < 100 { stream.send("x") }
            }
            stream.send("x")
            loop.schedule(after: .nanoseconds(1)) {
                #expect(volleys == 100)
                end()
            }
        }
        #expect(time.elapsed == .nanoseconds(1))
    }

    @Test func workThatIsHandedInComesBeforeTheNextTimer() throws {
        var order: [String] = []
        try inVirtualTime { loop, end in
            let confined = Confined({ order.append("handed in") }, to: loop)
            loop.schedule(after: .seconds(2)) {
                order.append("timer")
                end()
            }
            loop.schedule(after: .seconds(1)) { confined.execute { $0() } }
        }
        #expect(order == ["handed in", "timer"])
    }

    @Test func workBegunElsewhereIsDoneBeforeTimePasses() throws {
        let settled = Mutex<[Duration]>([])
        let time = Mutex<VirtualTime?>(nil)
        let virtual = VirtualTime { @Sendable in
            let elapsed = time.withLock { $0?.elapsed } ?? .zero
            settled.withLock { $0.append(elapsed) }
        }
        time.withLock { $0 = virtual }
        try inVirtualTime(virtual) { loop, end in
            loop.schedule(after: .seconds(1)) {}
            loop.schedule(after: .seconds(3), end)
        }
        #expect(settled.withLock { Array($0.prefix(2)) } == [.zero, .seconds(1)])
    }
}

extension Stream {
    /// Reads all waiting bytes; returns their number.
    fileprivate func takeAll() -> Int {
        var sum = 0
        while case .bytes(let count) = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1, { read(into: $0) }) {
            sum += count
        }
        return sum
    }
}
