import Foundation
import TestSupport
import Testing

/// Starts that depend on the moment, on rights or on systemd: `check` names the trouble and passes,
/// `serve` ends.
@Suite(.timeLimit(.minutes(20)), .requires(.binary)) struct StartDifferenceTests {
    private let scene: StartScene

    init() throws { scene = try StartScene() }

    @Test func anAddressInUse() throws {
        let (socket, port) = try RawSocket.listening()
        defer { socket.close() }
        try scene.configure(["listen 127.0.0.1:\(port)"])
        try expect("127.0.0.1:\(port) is in use;", at: "check", status: 0)
        try expect("Address already in use", at: "serve", status: 1)
    }

    /// It set the file of the running one aside before it found its port taken.
    @Test func aCacheFileThatAnotherProcessUses() throws {
        try scene.configure(["cache_file @/cache.sqlite"])
        let first = try scene.serve(log: "first")
        let words = "cache.sqlite is in use by process \(first.id)"
        try expect(words, at: "check", status: 0)
        try expect(words + "; stop it", at: "serve", status: 78)
        #expect(!scene.said("listening on", "serve"))
        #expect(try scene.folder.names.allSatisfy { !$0.contains("corrupt") })
        // A reload keeps the file, and the lock with it.
        first.send(SIGHUP)
        waitUntil { scene.said("SIGHUP: reloaded", "first") }
        try scene.configure(["cache_file @/cache.sqlite", "cache_file_locked memory"])
        let second = try scene.serve(log: "second")
        #expect(scene.said("serving from memory", "second") && scene.said("by process \(first.id)", "second"))
        #expect(scene.stop(first) == 0)
        #expect(!scene.said("unusable", "first") && !scene.said("unavailable", "first"), "\(scene.text("first"))")
        waitUntil { scene.said("is available again", "second") }
        #expect(scene.stop(second) == 0, "\(scene.text("second"))")
    }

    @Test func aStartThatIsStoppedWhileItWaitsForTheCacheFile() throws {
        try scene.configure(["cache_file @/cache.sqlite"])
        let first = try scene.serve(log: "first")
        let second = try scene.start("serve", log: "second")
        waitUntil { scene.said("for it to end", "second") || !second.isRunning }
        #expect(scene.stop(second) == 1)
        // One that waits to the end of its time names the holder, and ends with 78.
        #expect(scene.said("stopped before it had the cache file", "second") && !scene.said("stop that", "second"))
        #expect(scene.stop(first) == 0)
    }

    @Test func aPortBelow1024WithoutTheRight() throws {
        let first = (try? String(contentsOfFile: "/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding: .utf8))
        guard first == "1024\n", let program = try scene.programOfAnotherUser() else {
            return LeftOut.note("not root, no setpriv, or low ports for all: none was asked for without rights")
        }
        try scene.configure(["listen 127.0.0.1:81"])
        let words = "let systemd bind this port (ListenStream= in refrain.socket), or grant CAP_NET_BIND_SERVICE"
        try expect(words, at: "check", status: 0, program)
        try expect(words, at: "serve", status: 1, program)
    }

    @Test func aSocketOfSystemdThatNoLineNames() throws {
        let (socket, port) = try RawSocket.listening()
        defer { socket.close() }
        try expect("", at: "check", status: 0)
        // As sd_listen_fds(3) has it.
        let program = ["/bin/sh", "-c", "LISTEN_FDS=1 LISTEN_PID=$$ exec \"$0\" \"$@\"", BinaryUnderTest.path ?? ""]
        try expect(
            "systemd passes a socket for 127.0.0.1:\(port)", at: "serve", status: 78, program,
            passing: [socket.descriptor])
    }

    /// As another user where the test runs as root, because root may read everything anyway.
    @Test func theProcessIsNotReadableAndLeavesNoCore() throws {
        // The cache file's folder has to be the user's own.
        if StartScene.anotherUser != nil { #expect(chown(scene.folder.path, 61_234, 61_234) == 0) }
        try scene.configure(["cache_file @/cache.sqlite"])
        let proxy = try scene.serve((StartScene.anotherUser ?? []) + [BinaryUnderTest.path ?? ""])
        try #require(proxy.isRunning, "\(scene.text("serve"))")
        let limits = try String(contentsOfFile: "/proc/\(proxy.id)/limits", encoding: .utf8)
        let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
        #expect(core?.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"], "\(limits)")
        var owner = stat()
        #expect(stat("/proc/\(proxy.id)/environ", &owner) == 0)
        #expect(owner.st_uid == 0, "the kernel gives the files of a process that may be dumped to its user")
        if geteuid() != 0 { #expect(open("/proc/\(proxy.id)/mem", O_RDONLY | O_CLOEXEC) == -1) }
        #expect(scene.stop(proxy) == 0)
    }

    private func expect(
        _ words: String, at command: String, status: CInt, _ program: [String] = [BinaryUnderTest.path ?? ""],
        passing descriptors: [CInt] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let process = try scene.start(command, program, passing: descriptors)
        let end = process.waitForEnd()
        let isSaid = words.isEmpty || scene.said(words, command)
        #expect(end == status && isSaid, "\(scene.text(command))", sourceLocation: sourceLocation)
    }
}
