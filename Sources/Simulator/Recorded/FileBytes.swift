// Whole files as bytes, with Glibc alone.

import Glibc

/// Why a recording cannot be served.
public enum RecordingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file could not be opened or read; `code` is `errno`.
    case cannotRead(path: String, code: CInt)
    /// A line of the index is not what it should be; lines count from 1.
    case badLine(path: String, line: Int, reason: String)
    /// There is nothing in it.
    case empty(path: String)

    public var description: String {
        switch self {
        case .cannotRead(let path, let code): path + ": " + String(cString: strerror(code))
        case .badLine(let path, let line, let reason): path + ":" + String(line) + ": " + reason
        case .empty(let path): path + ": no recorded response in it"
        }
    }
}

enum FileBytes {
    /// The most that is read of one file, so that a wrong path cannot fill the memory.
    static let most = 1 << 30

    static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    static func read(_ path: String) throws(RecordingError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotRead(path: path, code: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while bytes.count < most {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw .cannotRead(path: path, code: errno)
            }
            bytes.append(contentsOf: chunk[..<count])
        }
        throw .cannotRead(path: path, code: EFBIG)
    }
}
