// The files of a recording on their way from `FILE` to `FILE.1`, `FILE.2` and so on, the oldest
// with the highest number, each with its bodies next to it.
// Must hold: nothing that is not a recording of this program's is ever overwritten, moved or
// removed.

import EventLoop
import Glibc
import Text

enum RecordingFiles {
    /// The name of a recording that `age` others have followed.
    static func path(_ path: String, age: Int) -> String { age == 0 ? path : path + "." + String(age) }

    /// Checks that `makeRoom` could make room for a new recording.
    /// - Throws: `RecordingError` if a file in the way is no recording, another user may have laid
    ///   it there, or the directory cannot be written to.
    static func check(
        _ settings: RecordingSettings, _ trust: FileTrust = .ofThisProcess
    ) throws(RecordingError) {
        for age in 0..<settings.mostFiles {
            let path = path(settings.path, age: age)
            for name in [path, RecordedBodies.path(beside: path)] {
                if let objection = FilePlace.objection(to: name, for: .appended, trust) { throw .untrusted(objection) }
            }
            guard try content(of: path) != .nothing else { break }
        }
        let directory = settings.path.lastIndex(of: "/").map { String(settings.path[...$0]) } ?? "."
        guard access(directory, W_OK | X_OK) == 0 else { throw .cannotWrite(path: settings.path, code: errno) }
    }

    /// Moves older recordings up and removes the oldest beyond the limit; then `FILE` is free.
    static func makeRoom(_ settings: RecordingSettings) throws(RecordingError) {
        try check(settings)
        try completeMove(settings)
        switch try content(of: settings.path) {
        case .nothing: return
        case .noExchange: return try remove(settings.path)
        case .exchanges: break
        }
        // Moves the files that are numbered without a gap.
        var last = 0
        while last < settings.mostFiles - 1, exists(path(settings.path, age: last + 1)) { last += 1 }
        if last == settings.mostFiles - 1 { try remove(path(settings.path, age: last)) }
        for age in (0...last).reversed() where exists(path(settings.path, age: age)) {
            try move(path(settings.path, age: age), to: path(settings.path, age: age + 1))
        }
    }

    private enum Content {
        case nothing
        /// A file that is empty, or has but the first line of a recording.
        case noExchange
        case exchanges
    }

    private static func content(of path: String) throws(RecordingError) -> Content {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .cannotRead(path: path, code: errno) }
            return .nothing
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw foreign(path) }
        guard status.st_size > 0 else { return .noExchange }
        guard let first = try InputFile(path).nextLine(), let text = String(validating: first.bytes, as: UTF8.self)
        else { throw foreign(path) }
        guard first.isWhole else {
            // A writer that was stopped at its very first line.
            guard text.hasPrefix(RecordingHeader.beginning) else { throw foreign(path) }
            return .noExchange
        }
        guard let object = try? JSON.parse(first.bytes), RecordingHeader.begins(object) else { throw foreign(path) }
        do {
            _ = try RecordingHeader(object)
        } catch {
            throw .badLine(path: path, line: 1, reason: error.reason)
        }
        return status.st_size > first.bytes.count + 1 ? .exchanges : .noExchange
    }

    private static func foreign(_ path: String) -> RecordingError {
        .badFile(path: path, reason: "exists and is not a recording, so it is not overwritten")
    }

    /// Completes a move that was stopped between a recording and its bodies. Moves begin with the
    /// oldest recording, so all above it have moved.
    private static func completeMove(_ settings: RecordingSettings) throws(RecordingError) {
        for age in (0..<settings.mostFiles).reversed() {
            let bodies = RecordedBodies.path(beside: path(settings.path, age: age))
            let moved = path(settings.path, age: age + 1)
            guard !exists(path(settings.path, age: age)), exists(bodies) else { continue }
            if age + 1 < settings.mostFiles, exists(moved), !exists(RecordedBodies.path(beside: moved)) {
                try rename(bodies, to: RecordedBodies.path(beside: moved))
            } else {
                // The lines were moved or removed and may name these bodies, so they are kept.
                try rename(bodies, to: bodies + ".left-\(Timestamp.now().microseconds)")
            }
        }
    }

    private static func move(_ path: String, to other: String) throws(RecordingError) {
        try rename(path, to: other)
        let bodies = RecordedBodies.path(beside: path)
        if exists(bodies) { try rename(bodies, to: RecordedBodies.path(beside: other)) }
    }

    private static func rename(_ path: String, to other: String) throws(RecordingError) {
        guard Glibc.rename(path, other) == 0 else { throw .cannotWrite(path: other, code: errno) }
    }

    /// Removes the bodies first: a stop in between leaves no bodies without a recording.
    private static func remove(_ path: String) throws(RecordingError) {
        for name in [RecordedBodies.path(beside: path), path] where unlink(name) != 0 && errno != ENOENT {
            throw .cannotWrite(path: name, code: errno)
        }
    }

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}
