import EventLoop
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Proxy

@Suite(.timeLimit(.minutes(10))) struct AccessLogSinkTests {
    private let folder: TemporaryFolder
    private var path: String { folder.url.appendingPathComponent("access.log").path }
    private var moved: String { path + ".1" }

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String, to sink: AccessLogSink) {
        sink.write(Array(text.utf8))
        sink.flush(within: .seconds(Patience.seconds(60)))
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    /// As a log is rotated: moved away, and opened anew at a signal.
    @Test func afterReopeningLinesGoToTheNewFileAndNoneAreLost() throws {
        let sink = try AccessLogSink(path: path)
        write("one\n", to: sink)
        try FileManager.default.moveItem(atPath: path, toPath: moved)
        write("two\n", to: sink)
        #expect(!FileManager.default.fileExists(atPath: path), "until it is told, it writes on")
        #expect(try sink.reopen())
        write("three\n", to: sink)
        #expect(try text(moved) == "one\ntwo\n" && text(path) == "three\n")
        #expect(try sink.reopen())
        write("four\n", to: sink)
        #expect(try text(path) == "three\nfour\n", "the content of the file is kept")
        #expect(sink.dropped == 0)
    }

    @Test func withoutAReopenedFileTheOldOneIsKept() throws {
        let directory = folder.url.appendingPathComponent("logs")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let sink = try AccessLogSink(path: directory.appendingPathComponent("access.log").path)
        let away = folder.url.appendingPathComponent("old")
        try FileManager.default.moveItem(at: directory, to: away)
        #expect(throws: (any Error).self) { try sink.reopen() }
        write("one\n", to: sink)
        #expect(try text(away.appendingPathComponent("access.log").path) == "one\n" && sink.dropped == 0)
        let pipe = Pipe()
        let handed = AccessLogSink(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        #expect(try !handed.reopen())
        write("one\n", to: handed)
        #expect(pipe.fileHandleForReading.availableData == Data("one\n".utf8))
    }

    /// The start waited for a reader, and the stop after it.
    @Test func aPipeWithoutAReaderBlocksNothing() throws {
        #expect(mkfifo(path, 0o600) == 0)
        #expect(AccessLogSink.problem(path) == nil)
        let sink = try AccessLogSink(path: path)
        // More than a pipe holds.
        for _ in 0..<100 { sink.write(Array(repeating: UInt8(ascii: "a"), count: 4095) + [10]) }
        sink.flush(within: .milliseconds(50))
        #expect(try sink.reopen())
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        var (read, chunk) = (0, [UInt8](repeating: 0, count: 65_536))
        waitUntil {
            while case let count = Glibc.read(reader, &chunk, chunk.count), count > 0 { read += count }
            return read == 100 * 4096
        }
        #expect(sink.dropped == 0, "a reader that comes later gets what waits")
    }

    @Test func theProblemOfALogIsFoundWithoutCreatingIt() throws {
        #expect(AccessLogSink.problem(path) == nil)
        #expect(AccessLogSink.problem(folder.file("no/access.log"))?.errno == ENOENT)
        #expect(AccessLogSink.problem(folder.url.path)?.errno == EISDIR)
        for (name, target) in [("a", "b"), ("b", "new"), ("c", "no/new"), ("d", "d")] {
            #expect(symlink(target, folder.file(name)) == 0)
        }
        #expect(AccessLogSink.problem(folder.file("a")) == nil)
        #expect(AccessLogSink.problem(folder.file("c"))?.errno == ENOENT)
        #expect(AccessLogSink.problem(folder.file("d"))?.errno == ELOOP)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["a", "b", "c", "d"])
    }

    /// Lines went into whatever a link led to that another user had laid in the log's folder.
    @Test(.requires(.root)) func aFileOfAnotherUserIsNotWrittenTo() throws {
        let sink = try AccessLogSink(path: path)
        try FileManager.default.moveItem(atPath: path, toPath: moved)
        let own = try TemporaryFolder()
        let victim = try own.put("precious", "victim", mode: 0o644)
        for lay in [
            { symlink(victim, $0) == 0 && lchown($0, 65_534, 65_534) == 0 },
            { mkfifo($0, 0o600) == 0 && chown($0, 65_534, 65_534) == 0 },
            { link(victim, $0) == 0 && chmod(folder.path, 0o1777) == 0 },
        ] as [(String) -> Bool] {
            #expect(lay(path))
            #expect(AccessLogSink.problem(path)?.errno == nil && AccessLogSink.problem(path) != nil)
            #expect(throws: FileRefusal.self) { try sink.reopen() }
            #expect(throws: FileRefusal.self) { try AccessLogSink(path: path) }
            write("one\n", to: sink)
            #expect(unlink(path) == 0)
        }
        #expect(try text(moved) == "one\none\none\n" && own.text("victim") == "precious")
    }

    /// Nothing reads: lines beyond the bound are dropped whole, and that is reported.
    @Test func linesBeyondWhatMayWaitAreDroppedAndCounted() async throws {
        let megabyte = 1 << 20
        let pipe = Pipe()
        let told = Mutex<[String]>([])
        let sink = AccessLogSink(descriptor: pipe.fileHandleForWriting.fileDescriptor) { text in
            told.withLock { $0.append(text) }
        }
        for letter in Array("abcdefgh".utf8) { sink.write(Array(repeating: letter, count: megabyte)) }
        #expect(sink.dropped == 0)
        sink.write(Array("x".utf8))
        #expect(sink.dropped == 1)
        sink.write(Array(repeating: UInt8(ascii: "y"), count: 99))
        #expect(sink.dropped == 100)
        #expect(told.withLock { $0.count == 1 && $0[0].hasPrefix("its reader or disk is too slow; ") })
        let read = try await onThread {
            var read = Data()
            while read.count < 8 * megabyte { read += pipe.fileHandleForReading.availableData }
            return read
        }
        sink.flush(within: .seconds(Patience.seconds(60)))
        let expected = Array("abcdefgh".utf8).reduce(into: Data()) { $0 += Data(repeating: $1, count: megabyte) }
        #expect(read == expected, "what was taken is whole and in order")
        #expect(told.withLock { $0.count == 2 && $0[1].hasPrefix("the log can be written again; 100 bytes") })
        write("z", to: sink)
        #expect(pipe.fileHandleForReading.availableData == Data("z".utf8) && sink.dropped == 100)
    }

    @Test func aFullDiskIsReported() throws {
        let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let told = Mutex<[String]>([])
        let sink = AccessLogSink(descriptor: descriptor) { text in told.withLock { $0.append(text) } }
        for _ in 0..<3 { sink.write(Array("12345".utf8)) }
        sink.flush(within: .seconds(Patience.seconds(60)))
        let begun = ["No space left on device; lines are dropped until the log can be written again"]
        #expect(told.withLock { $0 } == begun)
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #expect(dup2(file, descriptor) == descriptor)
        close(file)
        for _ in 0..<3 { sink.write(Array("a\n".utf8)) }
        sink.flush(within: .seconds(Patience.seconds(60)))
        let over = "the log can be written again; 15 bytes of lines were dropped since the start"
        #expect(told.withLock { $0 } == begun + [over])
        #expect(try text(path) == "a\na\na\n")
    }
}
