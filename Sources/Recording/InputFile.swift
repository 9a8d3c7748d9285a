// Reads a file by lines or whole, with Glibc alone.
// Must hold: memory is bounded for every file; most lines cost no system call.

import Glibc
import Text

/// A line of a file, without its end.
struct FileLine {
    var bytes: [UInt8]
    /// From 1.
    var number: Int
    /// False for a last line without a line end: its writer was stopped or still writes.
    var isWhole: Bool

    var isBlank: Bool { bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }
}

/// Confined to its reader.
final class InputFile {
    let path: String
    private let descriptor: CInt
    private var buffer: [UInt8] = []
    private var piece = [UInt8](repeating: 0, count: InputFile.chunk)
    private var position = 0
    private var isAtEnd = false
    private var number = 0
    /// In bytes, when it was opened.
    private let size: Int
    /// Bytes that were read.
    private var taken = 0

    /// Far above the longest line of a recording: a target and some twenty fields have at most 16
    /// KiB each.
    static let longestLine = 1 << 20
    /// Size of files that are read whole: HAR files and their bodies.
    static let mostWhole = 1 << 28
    /// Size of a read, and of the beginning by which a file is recognised.
    static let chunk = 1 << 16

    init(_ path: String) throws(RecordingError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        size = try Self.size(of: descriptor, path)
    }

    /// Reads what the process was given as its standard input.
    init(standardInputAs name: String) throws(RecordingError) {
        path = name
        descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
        size = try Self.size(of: descriptor, name)
    }

    private static func size(of descriptor: CInt, _ path: String) throws(RecordingError) -> Int {
        guard descriptor >= 0 else { throw .cannotRead(path: path, code: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            close(descriptor)
            throw .cannotRead(path: path, code: EISDIR)
        }
        return Int(status.st_size)
    }

    /// How much of it was read, from 0 to 1; 0 for a pipe.
    var share: Double { size > 0 ? min(1, Double(taken) / Double(size)) : 0 }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The path with links resolved; nil if it is outside `folder`.
    static func resolved(_ path: String, within folder: String) throws(RecordingError) -> String? {
        let (folder, file) = (try withoutLinks(folder), try withoutLinks(path))
        return file.hasPrefix(folder == "/" ? folder : folder + "/") ? file : nil
    }

    private static func withoutLinks(_ path: String) throws(RecordingError) -> String {
        guard let resolved = realpath(path, nil) else { throw .cannotRead(path: path, code: errno) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The first 64 KiB of the file at most, without a byte order mark that was skipped; they stay
    /// unread.
    func beginning() throws(RecordingError) -> ArraySlice<UInt8> {
        while buffer.count < Self.chunk, try fill() {}
        return buffer[position..<min(buffer.count, Self.chunk)]
    }

    /// Passes over a byte order mark, which some editors write at the beginning of a text.
    func skipByteOrderMark() throws(RecordingError) {
        position = try Array(beginning()).span.byteOrderMarkCount
    }

    /// The next line; nil at the end.
    func nextLine() throws(RecordingError) -> FileLine? {
        var searched = position
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                defer { position = end + 1 }
                return line(upTo: end, isWhole: true)
            }
            searched = buffer.count
            guard buffer.count - position <= Self.longestLine else {
                throw .badLine(
                    path: path, line: number + 1, reason: "longer than 1 MiB, the limit for lines of a recording")
            }
            if position > 0 {
                searched -= position
                buffer.removeFirst(position)
                position = 0
            }
            guard try fill() else {
                guard buffer.count > position else { return nil }
                defer { position = buffer.count }
                return line(upTo: buffer.count, isWhole: false)
            }
        }
    }

    /// Skips a line that `nextLine` refused for its length, without holding it.
    func skipLine() throws(RecordingError) -> FileLine {
        while true {
            if let end = buffer[position...].firstIndex(of: 0x0A) {
                position = end + 1
                return line(upTo: position, isWhole: true)
            }
            buffer.removeAll(keepingCapacity: true)
            position = 0
            guard try fill() else { return line(upTo: position, isWhole: false) }
        }
    }

    func rest() throws(RecordingError) -> [UInt8] {
        while try fill() {
            guard buffer.count <= Self.mostWhole else { throw .tooLarge(path: path, most: Self.mostWhole) }
        }
        defer { position = buffer.count }
        return Array(buffer[position...])
    }

    private func line(upTo end: Int, isWhole: Bool) -> FileLine {
        number += 1
        return FileLine(bytes: Array(buffer[position..<end]), number: number, isWhole: isWhole)
    }

    /// False at the end.
    private func fill() throws(RecordingError) -> Bool {
        guard !isAtEnd else { return false }
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .cannotRead(path: path, code: errno) }
            buffer += piece[..<count]
            isAtEnd = count == 0
            taken += count
            return !isAtEnd
        }
    }
}
