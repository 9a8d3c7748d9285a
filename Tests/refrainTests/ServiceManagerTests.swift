import Foundation
import Synchronization
import TestSupport
import Testing

@testable import refrain

@Suite struct ServiceManagerTests {
    /// A service manager's socket.
    private final class Receiver {
        let descriptor: Int32

        /// - Parameter path: its first byte is NUL for an abstract name.
        init(_ path: [UInt8]) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
            let length = socklen_t(2 + path.count + (path[0] == 0 ? 0 : 1))
            let result = withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
            }
            try #require(result == 0)
        }

        deinit { close(descriptor) }

        func receive() -> String {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
    }

    private func manager(_ environment: [String: String]) -> ServiceManager {
        ServiceManager({ environment[$0] }, process: 42)
    }

    @Test func messagesAreLinesOfAssignments() {
        typealias Event = ServiceManager.Event
        #expect(Event.ready(status: "a\nb").message == "READY=1\nSTATUS=a b")
        #expect(Event.reloading(monotonicMicroseconds: 7).message == "RELOADING=1\nMONOTONIC_USEC=7")
        #expect(Event.stopping(status: "s").message == "STOPPING=1\nSTATUS=s")
        #expect(Event.alive.message == "WATCHDOG=1")
    }

    @Test func socketsWithAPathAndAbstractOnesAreTold() throws {
        let folder = try TemporaryFolder()
        let (path, name) = (folder.file("notify"), "refrain-\(UUID().uuidString)")
        for (bytes, variable) in [(Array(path.utf8), path), ([0] + Array(name.utf8), "@" + name)] {
            let receiver = try Receiver(bytes)
            #expect(manager(["NOTIFY_SOCKET": variable]).tell(.ready(status: "listening")))
            #expect(receiver.receive() == "READY=1\nSTATUS=listening")
        }
    }

    @Test func withoutASocketNothingIsSent() {
        #expect(!manager([:]).tell(.alive))
        #expect(!manager(["NOTIFY_SOCKET": "relative"]).tell(.alive))
        #expect(!manager(["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 200)]).tell(.alive))
        #expect(!manager(["NOTIFY_SOCKET": "/nothing/listens/here"]).tell(.alive))
    }

    @Test func theWatchdogIsThisProcesss() {
        #expect(manager(["WATCHDOG_USEC": "3000000"]).watchdogInterval == .seconds(3))
        #expect(manager(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "42"]).watchdogInterval == .seconds(3))
        #expect(manager(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "43"]).watchdogInterval == nil)
        #expect(manager(["WATCHDOG_USEC": "0"]).watchdogInterval == nil)
    }

    @Test func aLoopThatDoesNotAnswerIsNotAlive() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("notify")
        let receiver = try Receiver(Array(path.utf8))
        let manager = manager(["NOTIFY_SOCKET": path])
        let (pings, alive, answers) = (Counter(), Counter(), Counter())
        let watchdog = Watchdog(
            interval: .milliseconds(10),
            ping: { answer in
                pings.add()
                // The third and later ones are never answered.
                if pings.count <= 2 {
                    answers.add()
                    answer()
                }
            },
            alive: {
                alive.add()
                manager.tell(.alive)
            })
        waitUntil { pings.count > 5 }
        withExtendedLifetime(watchdog) {}
        #expect(alive.count == 2 && answers.count == 2)
        #expect(receiver.receive() == "WATCHDOG=1" && receiver.receive() == "WATCHDOG=1" && receiver.receive().isEmpty)
    }

    private final class Counter: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock { $0 } }
        func add() { value.withLock { $0 += 1 } }
    }
}
