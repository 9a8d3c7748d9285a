import Glibc
import TestSupport
import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10))) struct ListenerTests: LoopSuite {
    let scene = LoopScene()

    /// To find out whether a port was free, the program listened on it for a moment: a client that
    /// connected in that moment was reset.
    @Test func whetherAnAddressIsFreeIsFoundOutWithoutListening() throws {
        let descriptor = try Listener.boundSocket(SocketAddress("127.0.0.1:0")!, reusePort: false)
        defer { close(descriptor) }
        let address = try #require(Socket.localAddress(descriptor))
        // Something that listened would now accept.
        #expect(throws: RawClient.Failure.self) { try RawClient(port: address.port) }
        let server = try TestServer(loop: loop)
        let taken = SystemError(call: "bind", errno: EADDRINUSE)
        #expect(throws: taken) { try Listener.checkIsFree(server.listener.address) }
        #expect(throws: taken) { try TestServer(loop: loop, address: server.listener.address.description) }
        #expect(taken.description == "bind: Address already in use")
        // An address of its own: another test's listener took the port as soon as this one left it.
        let shared = try loop.sync { () throws(SystemError) in
            try Listener(address: SocketAddress("127.28.0.1:0")!, loop: loop, reusePort: true) { $0.close() }
        }
        #expect(throws: SystemError.self) { try Listener.checkIsFree(shared.address) }
        loop.sync { shared.close() }
        #expect(throws: Never.self) { try Listener.checkIsFree(shared.address) }
    }

    /// A lost probe killed sound connections: the time without an acknowledgement was over with the
    /// first.
    @Test func anIdleConnectionIsGivenUpAfterItsLastProbe() throws {
        let descriptor = try Socket.open(family: AF_INET)
        defer { close(descriptor) }
        Socket.setKeepAlive(descriptor)
        func option(_ name: CInt) -> Int {
            var (value, length) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
            getsockopt(descriptor, CInt(IPPROTO_TCP), name, &value, &length)
            return Int(value)
        }
        let (idle, interval) = (option(TCP_KEEPIDLE), option(TCP_KEEPINTVL))
        #expect(idle > 0 && interval > 0 && option(TCP_KEEPCNT) >= 3)
        #expect(option(TCP_USER_TIMEOUT) >= (idle + interval * option(TCP_KEEPCNT)) * 1000)
    }

    @Test func loopsShareAnAddress() throws {
        let second = try EventLoop(label: "second")
        defer { second.stopAndWait() }
        // Touched on the second loop alone.
        var accepted = [0, 0]
        func listen(_ loop: EventLoop, _ address: SocketAddress, _ number: Int) throws -> Listener {
            try loop.sync { () throws(SystemError) in
                try Listener(address: address, loop: loop, reusePort: true) { stream in
                    stream.handler = Recorder()
                    second.sync { accepted[number] += 1 }
                }
            }
        }
        let one = try listen(loop, try #require(SocketAddress("127.0.0.1:0")), 0)
        _ = try listen(second, one.address, 1)
        let clients = try (0..<64).map { _ in try RawClient(port: one.address.port) }
        #expect(second.eventually { accepted[0] + accepted[1] == 64 })
        #expect(second.sync { !accepted.contains(0) })
        for client in clients { client.close() }
    }

    @Test func closingKeepsAcceptedConnections() throws {
        let server = try TestServer(loop: loop)
        let client = try RawClient(port: server.port)
        #expect(try client.echoes("a"))
        loop.sync { server.listener.close() }
        #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port) }
        #expect(try client.echoes("b"))
    }

    /// Only as many as one event takes were accepted before closing; the kernel reset the rest.
    @Test func closingAcceptsAllThatWaitFirst() throws {
        let server = try TestServer(loop: loop)
        let count = Listener.acceptsPerEvent * 2 + 1
        let clients = try loop.sync {
            let clients = try (0..<count).map { _ in try RawClient(port: server.port) }
            server.listener.closeAfterAccepting()
            return clients
        }
        #expect(loop.sync { server.recorders.count } == count)
        for client in clients { #expect(try client.echoes("a")) }
    }

    /// The errors for which clients were closed; used on the loop.
    private final class Shed {
        var errors: [CInt] = []
    }

    /// In a process of its own, whose limit of descriptors is its own.
    @Test func runsOutOfDescriptorsWithoutSpinning() async {
        await #expect(processExitsWith: .success) {
            let loop = try EventLoop(label: "descriptors")
            let server = try TestServer(loop: loop)
            let shed = Shed()
            loop.sync { server.listener.onShed = { shed.errors.append($0.errno) } }
            let early = try RawClient(port: server.port)
            try #require(try early.echoes("a"))
            // All clients first, while the loop is held up, then the lid on: accept could still use
            // a handful.
            var limit = rlimit(rlim_cur: 0, rlim_max: 4096)
            let clients = try loop.sync {
                let clients = try (0..<40).map { _ in try RawClient(port: server.port) }
                for client in clients { try client.send("b") }
                let highest = dup(0)
                close(highest)
                limit.rlim_cur = rlim_t(highest) + 4
                try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
                return clients
            }
            defer { for client in clients { client.close() } }
            try #require(loop.eventually { server.listener.failedAccepts >= 3 })
            let failuresBefore = loop.sync { server.listener.failedAccepts }
            usleep(500_000)
            // Five retries.
            try #require(loop.sync { server.listener.failedAccepts } - failuresBefore < 30)
            // Clients that were closed are told of; the first failure closes none.
            try #require(
                loop.sync {
                    shed.errors.allSatisfy { $0 == EMFILE } && 2..<server.listener.failedAccepts ~= shed.errors.count
                })
            // Those that were accepted work, and so does accepting once there is room.
            try #require(try early.echoes("c"))
            limit.rlim_cur = 1024
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            try #require(loop.eventually { server.recorders.count > 25 })
            try #require(try RawClient(port: server.port).echoes("d"))
            loop.stopAndWait()
        }
    }
}
