import Glibc
import TestSupport
import Testing

import struct Foundation.Data
import class Foundation.FileManager

@testable import EventLoop

@Suite(.timeLimit(.minutes(10))) struct UnixSocketTests: LoopSuite {
    let scene = LoopScene()

    /// The folder of the socket.
    private let folder: TemporaryFolder
    private var path: String { folder.file("s") }
    private var address: SocketAddress { SocketAddress(path: path)! }

    init() throws { folder = try TemporaryFolder() }

    private func listen(
        inherited: InheritedSocket? = nil, _ onAccept: @escaping (Stream) -> Void = { $0.close() }
    ) throws -> Listener {
        try loop.sync { () throws(SystemError) in
            try Listener(address: address, loop: loop, inherited: inherited, onAccept: onAccept)
        }
    }

    private var mode: mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode : nil
    }

    @Test func onlyTheOwnerConnectsAndIsKnown() throws {
        var users: [UInt32?] = []
        let listener = try listen { stream in
            users.append(stream.peerUserID)
            stream.handler = Recorder()
        }
        #expect(mode == S_IFSOCK | 0o600)
        #expect(listener.address.description == "unix:" + path && listener.address.isLoopback)
        let client = try RawClient(path: path)
        #expect(loop.eventually { users == [geteuid()] })
        client.close()
    }

    @Test func aDeadProcessesSocketIsReplaced() throws {
        let dead = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        #expect(address.withSockaddr { Glibc.bind(dead, $0, $1) } == 0)
        close(dead)
        #expect(mode != nil)
        _ = try listen()
        _ = try RawClient(path: path)
    }

    @Test func livingSocketsAndOtherFilesAreLeftAlone() throws {
        let first = try listen()
        let error = #expect(throws: SystemError.self) { try listen() }
        #expect(error == SystemError(call: "bind", errno: EADDRINUSE))
        _ = try RawClient(path: path)
        loop.sync { first.close() }
        #expect(FileManager.default.createFile(atPath: path, contents: Data("mine".utf8)))
        #expect(throws: SystemError.self) { try listen() }
        #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
    }

    /// A listener that was closed late took away the socket of the one that came after it.
    @Test func anothersSocketInItsPlaceStays() throws {
        let first = try listen()
        #expect(unlink(path) == 0)
        let second = try listen()
        loop.sync { first.close() }
        _ = try RawClient(path: path)
        loop.sync { second.close() }
        #expect(mode == nil)
    }

    /// The service manager that started the process made the file and keeps it.
    @Test func anInheritedSocketKeepsItsFile() throws {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        #expect(address.withSockaddr { Glibc.bind(descriptor, $0, $1) } == 0)
        #expect(InheritedSocket(descriptor: descriptor) == nil)
        #expect(Glibc.listen(descriptor, 4) == 0)
        let inherited = try #require(InheritedSocket(descriptor: descriptor))
        #expect(inherited.address == address)
        for round in 0..<2 {
            let listener = try listen(inherited: inherited) { $0.handler = Recorder.echoing }
            #expect(try listener.address == address && RawClient(path: path).echoes("\(round)"))
            loop.sync { listener.closeAfterAccepting() }
            #expect(mode != nil)
        }
    }

    /// One that its maker hands over for good is as if it had been bound here.
    @Test func aSocketThatWasHandedOverTakesItsFileAlong() throws {
        let first = try listen()
        let copy = try loop.sync { () throws(SystemError) in try first.copy() }
        let inherited = try #require(InheritedSocket(descriptor: dup(copy.number), isKept: false))
        let second = try listen(inherited: inherited) { $0.handler = Recorder.echoing }
        inherited.settle()
        #expect(!inherited.isOpen)
        loop.sync {
            first.pause()
            first.handOver()
            first.closeAfterAccepting()
        }
        #expect(mode != nil)
        #expect(try RawClient(path: path).echoes("1"))
        loop.sync { second.close() }
        #expect(mode == nil)
        withExtendedLifetime(copy) {}
    }

    @Test func anInheritedSocketWithoutAPathIsNotTaken() throws {
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        // An abstract name, which the kernel chooses (unix(7)).
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
