import EventLoop
import Glibc

/// Programs of the system that answer soon, such as systemctl(1).
enum SystemProgram {
    /// The time for an answer: systemctl(1) takes some 10 ms, and without its manager fails as
    /// soon. One that hangs delays `check` by that.
    static let patience: Duration = .seconds(3)
    /// The most that an answer can have. A unit with its drop-ins has a few KiB.
    static let mostBytes = 1 << 20

    /// Variables of each program: text for a program, without colours and without a pager.
    private static let plainText = ["SYSTEMD_COLORS=0", "SYSTEMD_PAGER="]

    /// The end of a program's output.
    private enum End {
        case whole([UInt8])
        case late
        case tooLarge
        case unreadable(CInt)
    }

    /// The standard output of a program, once it has ended with 0.
    /// - Parameters:
    ///   - words: its name, which `PATH` leads to, and its arguments.
    ///   - patience: the time from its start to its end. It is killed after that.
    static func output(of words: [String], within patience: Duration = patience) throws(FileProblem) -> String {
        let deadline = Instant.now() + patience
        let mine: Descriptor
        let process: SpawnedProcess
        do throws(SystemError) {
            let (one, its) = try Descriptor.pair()
            (mine, process) = (one, try start(words, output: its))
        } catch {
            throw FileProblem(code: error.errno)
        }
        let end = read(mine, until: deadline)
        var status = SpawnedProcess.Status.running
        if case .whole = end {
            process.awaitEnd(until: deadline)
            status = process.takeStatus()
        }
        if case .running = status { process.kill() }
        switch (end, status) {
        case (.whole(let bytes), .ended(0)): return String(decoding: bytes, as: UTF8.self)
        case (.whole, .ended), (.whole, .forgotten): throw FileProblem("it failed")
        case (.whole, .running), (.late, _):
            throw FileProblem("no answer within \(patience.components.seconds) seconds")
        case (.tooLarge, _): throw FileProblem("its answer has more than \(mostBytes) bytes")
        case (.unreadable(let code), _):
            throw FileProblem("its answer cannot be read: \(FileProblem(code: code))")
        }
    }

    /// Starts a program with the default action of each signal: those that this program ignores
    /// would be ignored by the child too.
    private static func start(_ words: [String], output: Descriptor) throws(SystemError) -> SpawnedProcess {
        try SpawnedProcess.start(
            words[0], words, variables: plainText, files: [.nowhere, .copy(output), .nowhere],
            signals: SpawnedProcess.Signals(usual: .all, held: sigset_t([])))
    }

    /// The bytes up to the end, if that comes in time and before the limit.
    private static func read(_ file: Descriptor, until deadline: Instant) -> End {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while bytes.count <= mostBytes {
            let left = (deadline - .now()).wholeNanoseconds / 1_000_000
            var wanted = pollfd(fd: file.number, events: Int16(POLLIN), revents: 0)
            guard left > 0 else { return .late }
            let ready = poll(&wanted, 1, CInt(clamping: left))
            if ready < 0, errno == EINTR { continue }
            guard ready >= 0 else { return .unreadable(errno) }
            guard ready > 0 else { return .late }
            let count = Glibc.read(file.number, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .unreadable(errno) }
            if count == 0 { return .whole(bytes) }
            bytes += chunk[..<count]
        }
        return .tooLarge
    }
}
