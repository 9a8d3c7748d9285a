import Foundation
import TestSupport
import Testing

@testable import EventLoop
@testable import refrain

@Suite(.timeLimit(.minutes(10))) struct ServiceManagerTests {
    private typealias Receiver = NotifySocket

    private func manager(_ environment: [String: String]) -> ServiceManager {
        ServiceManager({ environment[$0] }, process: 42)
    }

    @Test func messagesAndTheWatchdogAreRead() {
        typealias Event = ServiceManager.Event
        #expect(Event.ready(status: "a\nb").message == "READY=1\nSTATUS=a b")
        #expect(Event.reloading(monotonicMicroseconds: 7).message == "RELOADING=1\nMONOTONIC_USEC=7")
        #expect(Event.stopping(status: "s").message == "STOPPING=1\nSTATUS=s")
        #expect(Event.alive.message == "WATCHDOG=1")
        #expect(manager(["WATCHDOG_USEC": "3000000"]).watchdogInterval == .seconds(3))
        #expect(manager(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "42"]).watchdogInterval == .seconds(3))
        #expect(manager(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "43"]).watchdogInterval == nil)
        #expect(manager(["WATCHDOG_USEC": "0"]).watchdogInterval == nil)
    }

    /// systemd ignored the whole message: a unit whose reload had failed stayed "reloading".
    @Test(arguments: ["a", "é", "漢", "🎵"]) func aLongStatusLeavesTheMessageShort(character: String) {
        let text = String(repeating: character, count: 5000)
        let most = ServiceManager.Event.mostStatusBytes
        for event in [ServiceManager.Event.ready(status: text), .stopping(status: text)] {
            #expect(event.message.utf8.count < 4096 && event.message.hasSuffix(character + "..."))
            let status = event.message.split(separator: "=").last ?? ""
            #expect((most - 3...most).contains(status.utf8.count))
        }
        let whole = String(repeating: "a", count: most)
        #expect(ServiceManager.Event.ready(status: whole).message == "READY=1\nSTATUS=" + whole)
    }

    @Test func socketsWithAPathAndAbstractOnesAreTold() throws {
        let folder = try TemporaryFolder()
        let (path, name) = (folder.file("notify"), "refrain-\(UUID().uuidString)")
        for (bytes, variable) in [(Array(path.utf8), path), ([0] + Array(name.utf8), "@" + name)] {
            let receiver = try Receiver(bytes)
            #expect(manager(["NOTIFY_SOCKET": variable]).tell(.ready(status: "listening")))
            #expect(receiver.receive() == "READY=1\nSTATUS=listening")
        }
        #expect(!manager([:]).tell(.alive))
        #expect(!manager(["NOTIFY_SOCKET": "relative"]).tell(.alive))
        #expect(!manager(["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 200)]).tell(.alive))
        #expect(!manager(["NOTIFY_SOCKET": "/nothing/listens/here"]).tell(.alive))
    }
}

@Suite(.timeLimit(.minutes(10))) struct SocketActivationTests {
    private func configuration(_ lines: String) throws -> Configuration { try read(quiet(lines)).configuration }

    private func descriptors(_ environment: [String: String]) -> [String] {
        SocketActivation.descriptors({ environment[$0] }, provenBy: .number(42)).map { "\($0.descriptor) \($0.name)" }
    }

    @Test func descriptorsOfThisProcessBeginAtThree() {
        #expect(
            descriptors(["LISTEN_PID": "42", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "web::admin"]) == [
                "3 web", "4 unknown", "5 admin",
            ])
        #expect(descriptors(["LISTEN_PID": "42", "LISTEN_FDS": "1"]) == ["3 unknown"])
        #expect(descriptors(["LISTEN_PID": "43", "LISTEN_FDS": "1"]).isEmpty)
        #expect(descriptors(["LISTEN_FDS": "1"]).isEmpty)
        for count in ["0", "-1", "x", "1025"] {
            #expect(descriptors(["LISTEN_PID": "42", "LISTEN_FDS": count]).isEmpty)
        }
    }

    @Test func otherDescriptorsAreClosedWithAWarning() throws {
        let (other, writer) = try {
            let (mine, its) = try Descriptor.pair()
            return (mine, try Descriptor.duplicate(its.number))
        }()
        let sockets = InheritedSockets([(writer, "web")])
        #expect(sockets.problems.count == 1 && sockets.problems[0].contains("\(writer) (web)"))
        // Another test may have got the number by now: the other end tells. A child of another test
        // has a copy for a moment.
        var byte: UInt8 = 0
        waitUntil { recv(other.number, &byte, 1, CInt(MSG_DONTWAIT)) == 0 }
    }

    /// The socket was closed as no listening one, and the path was bound anew.
    @Test func theAdminListenerAdoptsAUnixSocket() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("admin")
        let address = try #require(SocketAddress(path: path))
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        #expect(address.withSockaddr { bind(descriptor, $0, $1) } == 0 && listen(descriptor, 16) == 0)
        let inherited = InheritedSockets([(dup(descriptor), "admin")])
        #expect(inherited.problems.isEmpty && inherited.unused(by: []).map(\.address) == [address])
        let configuration = try configuration("listen 127.0.0.1:0\nadmin_listen unix:\(path)\nworkers 1")
        let log = OperationalLog(level: .error) { _ in }
        let proxy = try RunningProxy(configuration, log, inheritance: Inheritance(sockets: inherited))
        #expect(proxy.adminAddress == address)
        let client = try RawClient(path: path)
        try client.send("GET /ready HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(String(decoding: client.read(), as: UTF8.self).hasPrefix("HTTP/1.1 "))
        proxy.stop()
        #expect(access(path, F_OK) == 0)
    }

    @Test func theProxyAdoptsInheritedListeners() throws {
        let (socket, port) = try RawSocket.listening()
        defer { socket.close() }
        let address = try #require(SocketAddress("127.0.0.1:\(port)"))
        let inherited = InheritedSockets([(dup(socket.descriptor), "web")])
        #expect(inherited.problems.isEmpty && inherited[address].count == 1)
        #expect(inherited.unused(by: []).map(\.address) == [address] && inherited.unused(by: [address]).isEmpty)
        var configuration = try configuration("listen 127.0.0.1:\(port)\nadmin_listen off\nworkers 2")
        let log = OperationalLog(level: .error) { _ in }
        let first = try RunningProxy(configuration, log, inheritance: Inheritance(sockets: inherited))
        #expect(first.addresses == [address])
        #expect(try HTTPTestClient(port: Int(port)).send("TRACE", "/").status == 405)
        // A reload finds the socket again.
        configuration.corsOrigins = []
        try first.adopt(configuration)
        #expect(try HTTPTestClient(port: Int(port)).send("TRACE", "/").status == 405)
        var other = configuration
        other.listeners[0] = ListenAddress(address: try HostPort("127.0.0.1:0").address, isTLS: false)
        #expect(throws: Self.unlisted(address)) { try first.adopt(other) }
        #expect(try HTTPTestClient(port: Int(port)).send("TRACE", "/").status == 405)
        first.stop()
        // Nothing listens, and yet no client is refused.
        let waiting = try RawClient(port: port)
        try waiting.send("TRACE / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        let again = Inheritance(sockets: InheritedSockets([(dup(socket.descriptor), "web")]))
        let second = try RunningProxy(configuration, log, inheritance: again)
        #expect(String(decoding: waiting.read(), as: UTF8.self).hasPrefix("HTTP/1.1 405"))
        second.stop()
        // The copy was closed with a warning, and clients of the manager's copy waited for ever.
        let third = Inheritance(sockets: InheritedSockets([(dup(socket.descriptor), "web")]))
        #expect(throws: Self.unlisted(address)) { _ = try RunningProxy(other, log, inheritance: third) }
    }

    private static func unlisted(_ address: SocketAddress) -> CommandFailure {
        .badSetting(
            "listen: systemd passes a socket for \(address) (ListenStream= in refrain.socket) that no listen or "
                + "admin_listen line names; add the line, or remove the ListenStream=")
    }
}
