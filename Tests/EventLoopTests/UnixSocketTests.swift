import Glibc
import TestSupport
import Testing

import struct Foundation.Data
import class Foundation.FileManager

@testable import EventLoop

@Suite struct UnixSocketTests {
    /// A directory of its own, with the path of a socket in it.
    private final class Place {
        private let folder: TemporaryFolder
        var path: String { folder.file("s") }
        var address: SocketAddress { SocketAddress(path: path)! }

        init() throws { folder = try TemporaryFolder() }

        func listen(
            _ loop: EventLoop, inherited: InheritedSocket? = nil,
            _ onAccept: @escaping (Stream) -> Void = { $0.close() }
        ) throws -> Listener {
            let address = address
            return try loop.sync { () throws(SystemError) in
                try Listener(address: address, loop: loop, inherited: inherited, onAccept: onAccept)
            }
        }

        /// Whether a listener that echoes its bytes is reached.
        func echoes(_ text: String) throws -> Bool {
            let client = try RawClient(path: path)
            try client.send(text)
            return client.read(text.utf8.count) == Array(text.utf8)
        }

        var mode: mode_t? {
            var status = stat()
            return lstat(path, &status) == 0 ? status.st_mode : nil
        }
    }

    @Test func onlyTheOwnerConnectsAndIsKnown() throws {
        try withLoop { loop in
            let place = try Place()
            var users: [UInt32?] = []
            let listener = try place.listen(loop) { stream in
                users.append(stream.peerUserID)
                stream.handler = Recorder()
            }
            #expect(place.mode == S_IFSOCK | 0o600)
            #expect(listener.address.description == "unix:" + place.path && listener.address.isLoopback)
            let client = try RawClient(path: place.path)
            #expect(loop.eventually { users == [geteuid()] })
            client.close()
        }
    }

    @Test func whatADeadProcessLeftIsReplaced() throws {
        try withLoop { loop in
            let place = try Place()
            let dead = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
            #expect(place.address.withSockaddr { Glibc.bind(dead, $0, $1) } == 0)
            close(dead)
            #expect(place.mode != nil)
            _ = try place.listen(loop)
            _ = try RawClient(path: place.path)
        }
    }

    @Test func whatSomebodyListensOnIsLeftToThem() throws {
        try withLoop { loop in
            let place = try Place()
            let first = try place.listen(loop)
            let error = #expect(throws: SystemError.self) { try place.listen(loop) }
            #expect(error == SystemError(call: "bind", errno: EADDRINUSE))
            _ = try RawClient(path: place.path)
            loop.sync { first.close() }
        }
    }

    @Test func aFileThatIsNoSocketIsLeftAlone() throws {
        try withLoop { loop in
            let place = try Place()
            #expect(FileManager.default.createFile(atPath: place.path, contents: Data("mine".utf8)))
            #expect(throws: SystemError.self) { try place.listen(loop) }
            #expect(FileManager.default.contents(atPath: place.path) == Data("mine".utf8))
        }
    }

    /// A listener that was closed late took away the socket of the one that came after it.
    @Test func anothersSocketInItsPlaceStays() throws {
        try withLoop { loop in
            let place = try Place()
            let first = try place.listen(loop)
            #expect(unlink(place.path) == 0)
            let second = try place.listen(loop)
            loop.sync { first.close() }
            _ = try RawClient(path: place.path)
            loop.sync { second.close() }
            #expect(place.mode == nil)
        }
    }

    /// The service manager that started the process made the file and keeps it.
    @Test func anInheritedSocketKeepsItsFile() throws {
        try withLoop { loop in
            let place = try Place()
            let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            #expect(place.address.withSockaddr { Glibc.bind(descriptor, $0, $1) } == 0)
            #expect(InheritedSocket(descriptor: descriptor) == nil)
            #expect(Glibc.listen(descriptor, 4) == 0)
            let inherited = try #require(InheritedSocket(descriptor: descriptor))
            #expect(inherited.address == place.address)
            for round in 0..<2 {
                let listener = try place.listen(loop, inherited: inherited) { $0.handler = Recorder.echoing }
                #expect(try listener.address == place.address && place.echoes("\(round)"))
                loop.sync { listener.closeAfterAccepting() }
                #expect(place.mode != nil)
            }
        }
    }

    /// One that its maker hands over for good is as if it had been bound here.
    @Test func aSocketThatWasHandedOverTakesItsFileAlong() throws {
        try withLoop { loop in
            let place = try Place()
            let first = try place.listen(loop)
            let copy = try loop.sync { () throws(SystemError) in try first.copy() }
            let inherited = try #require(InheritedSocket(descriptor: dup(copy.number), isKept: false))
            let second = try place.listen(loop, inherited: inherited) { $0.handler = Recorder.echoing }
            inherited.settle()
            #expect(!inherited.isOpen)
            loop.sync {
                first.pause()
                first.handOver()
                first.closeAfterAccepting()
            }
            #expect(place.mode != nil)
            #expect(try place.echoes("1"))
            loop.sync { second.close() }
            #expect(place.mode == nil)
            withExtendedLifetime(copy) {}
        }
    }

    @Test func anInheritedSocketWithoutAPathIsNotTaken() throws {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        // An abstract name, which the kernel makes up (unix(7)).
        var family = sa_family_t(AF_UNIX)
        let result = withUnsafeMutablePointer(to: &family) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sa_family_t>.size))
            }
        }
        #expect(result == 0 && Glibc.listen(descriptor, 4) == 0)
        #expect(InheritedSocket(descriptor: descriptor) == nil)
    }

    @Test func pathsAreBounded() {
        #expect(SocketAddress(path: "/" + String(repeating: "x", count: 106)) != nil)
        #expect(SocketAddress(path: "/" + String(repeating: "x", count: 107)) == nil)
        #expect(SocketAddress(path: "") == nil && SocketAddress(path: "a\0b") == nil)
    }
}
