import EventLoop
import Foundation
import TestSupport
import Testing

/// The program and its cache file: its permissions, and the process as others can see it.
@Suite(.timeLimit(.minutes(10)), .requires(.binary))
struct CacheFileTests {
    /// One run of the program with the cache file of its folder.
    private func start(
        _ folder: TemporaryFolder, _ name: String, _ lines: String = "", runner: [String] = []
    ) throws -> ServedProgram {
        let standing = "access_log off\nupstream http://127.0.0.1:9\ncache_file \(folder.file("cache.sqlite"))\n"
        return try ServedProgram(folder, named: name, standing + lines, runner: runner)
    }

    /// It set the file of the running one aside before it found its port taken.
    @Test func aSecondProxyTakesTheFileOfTheFirst() async throws {
        try await onThread {
            let folder = try TemporaryFolder()
            let first = try start(folder, "first")
            try #require(first.listens(), "\(first.text)")
            let second = try start(folder, "second")
            #expect(second.waitForEnd() == 78, "\(second.text)")
            #expect(second.text.contains("cache.sqlite is in use by process \(first.id)"), "\(second.text)")
            #expect(!second.text.contains("listening on"))
            #expect(try folder.names.allSatisfy { !$0.contains("corrupt") })
            // A reload keeps the file, and the lock with it.
            first.send(SIGHUP)
            #expect(first.logs("SIGHUP: reloaded"))
            let third = try start(folder, "third", "cache_file_locked memory")
            #expect(third.listens() && third.text.contains("in use by process \(first.id)"), "\(third.text)")
            #expect(
                first.stop() == 0 && !first.text.contains("unusable") && !first.text.contains("unavailable"),
                "\(first.text)")
            #expect(third.logs("is available again") && third.stop() == 0, "\(third.text)")
        }
    }

    @Test func aLinkIsRefusedWithItsLine() async throws {
        try await onThread {
            let folder = try TemporaryFolder()
            let target = try folder.put("precious".utf8, "precious")
            chmod(target, 0o644)
            #expect(symlink(target, folder.file("cache.sqlite")) == 0)
            let proxy = try start(folder, "link")
            #expect(proxy.waitForEnd() == 78)
            #expect(proxy.text.contains("link.conf:5: cache_file: "), "\(proxy.text)")
            var status = stat()
            #expect(stat(target, &status) == 0 && status.st_mode & 0o777 == 0o644 && status.st_size == 8)
        }
    }

    /// As another user where the test runs as root, because root may read everything anyway.
    @Test func theProcessIsNotReadableAndLeavesNoCore() async throws {
        try await onThread {
            let folder = try TemporaryFolder()
            chmod(folder.path, 0o777)
            let setUser = "/usr/bin/setpriv"
            let isRoot = geteuid() == 0 && access(setUser, X_OK) == 0
            let runner = isRoot ? [setUser, "--reuid=65534", "--regid=65534", "--clear-groups"] : []
            let proxy = try start(folder, "proxy", runner: runner)
            try #require(proxy.listens(), "\(proxy.text)")
            let limits = try String(contentsOfFile: "/proc/\(proxy.id)/limits", encoding: .utf8)
            let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
            #expect(core?.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"], "\(limits)")
            var owner = stat()
            #expect(stat("/proc/\(proxy.id)/environ", &owner) == 0)
            #expect(owner.st_uid == 0, "the kernel gives the files of a process that may be dumped to its user")
            if geteuid() != 0 { #expect(open("/proc/\(proxy.id)/mem", O_RDONLY | O_CLOEXEC) == -1) }
            #expect(proxy.stop() == 0)
        }
    }
}
